// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// moodycamel::ReaderWriterQueue, for one producer and one consumer: relaxed loads and stores
// between explicit fences.

#include <readerwriterqueue/readerwriterqueue.h>

#include "stress.hpp"

int main() {
  moodycamel::ReaderWriterQueue<stress::object *, 8> queue(15);
  return stress::pass_through(
      {1, 1, 2000}, stress::order::fifo, [&](stress::object *one) { return queue.enqueue(one); },
      [&](stress::object *&one) { return queue.try_dequeue(one); });
}
