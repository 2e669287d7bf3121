// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// moodycamel::ConcurrentQueue with explicit producers and consumers (tokens), the other half of its
// code.

#include <concurrentqueue/concurrentqueue.h>

#include "stress.hpp"

struct traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 8;
  static const bool RECYCLE_ALLOCATED_BLOCKS = true;
};
using queue_type = moodycamel::ConcurrentQueue<stress::object *, traits>;

static queue_type *queue;

struct tokens {
  moodycamel::ProducerToken producer{*queue};
  moodycamel::ConsumerToken consumer{*queue};
};
static thread_local std::unique_ptr<tokens> mine;

struct scope {
  scope() { mine.reset(new tokens); }
  ~scope() { mine.reset(); }
};

int main() {
  queue_type the_queue(32);
  queue = &the_queue;
  return stress::pass_through<scope>(
      {}, stress::order::fifo,
      [](stress::object *one) { return queue->enqueue(mine->producer, one); },
      [](stress::object *&one) { return queue->try_dequeue(mine->consumer, one); });
}
