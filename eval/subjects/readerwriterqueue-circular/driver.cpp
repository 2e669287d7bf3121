// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// moodycamel::BlockingReaderWriterCircularBuffer: plain indices, ordered by two semaphores.

#include <readerwriterqueue/readerwritercircularbuffer.h>

#include "stress.hpp"

int main() {
  moodycamel::BlockingReaderWriterCircularBuffer<stress::object *> queue(8);
  return stress::pass_through(
      {1, 1, 2000}, stress::order::fifo,
      [&](stress::object *one) { return queue.try_enqueue(one); },
      [&](stress::object *&one) { return queue.try_dequeue(one); });
}
