// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// moodycamel::BlockingConcurrentQueue: the same queue with a semaphore that spins, then sleeps.

#include <concurrentqueue/blockingconcurrentqueue.h>

#include "stress.hpp"

int main() {
  moodycamel::BlockingConcurrentQueue<stress::object *> queue(32);
  return stress::pass_through(
      {}, stress::order::fifo, [&](stress::object *one) { return queue.enqueue(one); },
      [&](stress::object *&one) {
        queue.wait_dequeue(one);
        return true;
      });
}
