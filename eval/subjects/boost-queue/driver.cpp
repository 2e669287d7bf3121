// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boost.Lockfree's queue: Michael and Scott's, its nodes recycled through a free list, pointers
// tagged against ABA.

#include <boost/lockfree/queue.hpp>

#include "stress.hpp"

int main() {
  boost::lockfree::queue<stress::object *> queue(16);
  return stress::pass_through(
      {}, stress::order::fifo, [&](stress::object *one) { return queue.push(one); },
      [&](stress::object *&one) { return queue.pop(one); });
}
