// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneTBB's concurrent_queue.

#include <oneapi/tbb/concurrent_queue.h>

#include "stress.hpp"

int main() {
  tbb::concurrent_queue<stress::object *> queue;
  return stress::pass_through(
      {}, stress::order::fifo,
      [&](stress::object *one) {
        queue.push(one);
        return true;
      },
      [&](stress::object *&one) { return queue.try_pop(one); });
}
