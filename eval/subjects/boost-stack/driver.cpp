// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boost.Lockfree's stack: Treiber's, its nodes recycled through a free list, pointers tagged
// against ABA.

#include <boost/lockfree/stack.hpp>

#include "stress.hpp"

int main() {
  boost::lockfree::stack<stress::object *> stack(16);
  return stress::pass_through(
      {}, stress::order::any, [&](stress::object *one) { return stack.push(one); },
      [&](stress::object *&one) { return stack.pop(one); });
}
