// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// moodycamel::ConcurrentQueue: one sub-queue a producer. Small blocks, so that they are passed on
// between producers.

#include <concurrentqueue/concurrentqueue.h>

#include "stress.hpp"

struct traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 8;
  static const bool RECYCLE_ALLOCATED_BLOCKS = true;
};

int main() {
  moodycamel::ConcurrentQueue<stress::object *, traits> queue(32);
  return stress::pass_through(
      {}, stress::order::fifo, [&](stress::object *one) { return queue.enqueue(one); },
      [&](stress::object *&one) { return queue.try_dequeue(one); });
}
