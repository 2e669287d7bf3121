// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// moodycamel::BlockingReaderWriterQueue: the same queue with a semaphore that spins, then sleeps.

#include <readerwriterqueue/readerwriterqueue.h>

#include "stress.hpp"

int main() {
  moodycamel::BlockingReaderWriterQueue<stress::object *, 8> queue(15);
  return stress::pass_through(
      {1, 1, 2000}, stress::order::fifo, [&](stress::object *one) { return queue.enqueue(one); },
      [&](stress::object *&one) {
        queue.wait_dequeue(one);
        return true;
      });
}
