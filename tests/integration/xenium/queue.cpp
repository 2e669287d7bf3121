// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xenium's Michael-Scott queue with hazard pointers: producers push numbers, consumers pop them.
// Exit code 0 if every number was popped exactly once, and each consumer saw each producer's
// numbers in the order in which they were pushed.

#include "orders.hpp"

#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "stage.h"

using queue_type =
    xenium::michael_scott_queue<unsigned,
                                xenium::policy::reclaimer<xenium::reclamation::hazard_pointer<>>>;

constexpr unsigned PRODUCERS = 3, CONSUMERS = 3, EACH = 10000, ALL = PRODUCERS * EACH;
static_assert(ALL % CONSUMERS == 0, "a consumer stops after its share, so that none waits forever");

// The threads make their first step one after the other (stage.h), so that some reports are
// certain.
static void produce(queue_type &queue, unsigned producer) {
  stage_await(static_cast<int>(producer));
  for (unsigned i = 0; i < EACH; i++) {
    queue.push(producer * EACH + i);
    stage_reach(static_cast<int>(producer) + 1);
  }
}

static void consume(queue_type &queue, unsigned consumer, std::vector<unsigned> &popped) {
  stage_await(static_cast<int>(PRODUCERS + consumer));
  while (popped.size() < ALL / CONSUMERS) {
    unsigned value;
    if (queue.try_pop(value))
      popped.push_back(value);
    else
      std::this_thread::yield();
    stage_reach(static_cast<int>(PRODUCERS + consumer) + 1);
  }
}

// The numbers that one consumer popped: none that another one has popped, and in order.
static bool right(const std::vector<unsigned> &popped, std::vector<bool> &seen) {
  std::vector<unsigned> next(PRODUCERS, 0);
  for (unsigned value : popped) {
    if (value >= ALL || seen[value] || value % EACH < next[value / EACH])
      return false;
    seen[value] = true;
    next[value / EACH] = value % EACH + 1;
  }
  return true;
}

int main() {
  auto queue = std::make_unique<queue_type>();
  std::vector<unsigned> popped[CONSUMERS];
  std::vector<std::thread> threads;
  for (unsigned producer = 0; producer < PRODUCERS; producer++)
    threads.emplace_back(produce, std::ref(*queue), producer);
  for (unsigned consumer = 0; consumer < CONSUMERS; consumer++)
    threads.emplace_back(consume, std::ref(*queue), consumer, std::ref(popped[consumer]));
  for (std::thread &thread : threads)
    thread.join();

  std::vector<bool> seen(ALL, false);
  size_t count = 0;
  bool ok = true;
  for (const std::vector<unsigned> &each : popped) {
    ok = ok && right(each, seen);
    count += each.size();
  }
  unsigned left;
  ok = ok && count == ALL && !queue->try_pop(left);
  std::puts(ok ? "right" : "wrong");
  return ok ? 0 : 1;
}
