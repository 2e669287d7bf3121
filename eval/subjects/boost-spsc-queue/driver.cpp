// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boost.Lockfree's ring buffer for one producer and one consumer.

#include <boost/lockfree/spsc_queue.hpp>

#include "stress.hpp"

int main() {
  boost::lockfree::spsc_queue<stress::object *, boost::lockfree::capacity<16>> queue;
  return stress::pass_through(
      {1, 1, 20000}, stress::order::fifo, [&](stress::object *one) { return queue.push(one); },
      [&](stress::object *&one) { return queue.pop(one); });
}
