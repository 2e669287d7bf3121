// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condition_variable: a producer and two consumers of a queue of one place.
// Verdict: robust (any run)
// Why: the mutex orders everything, as in Condition+locked.
// Twin: Condition+unlocked

#include "litmus.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>

namespace {

constexpr int ITEMS = 4; // an even number: half of them for each consumer

struct shared {
  std::mutex mutex;
  std::condition_variable changed;
  int item = 0;             // 0: the place is free
  std::atomic<int> made{0}; // relaxed accesses: the mutex orders them
  int wrong[2] = {0, 0}, sum[2] = {0, 0};
};

void init(void *memory) {
  new (memory) shared;
}

void fini(void *memory) {
  static_cast<shared *>(memory)->~shared();
}

void produce(void *memory) {
  auto *s = static_cast<shared *>(memory);
  step();
  for (int i = 1; i <= ITEMS; i++) {
    std::unique_lock<std::mutex> lock(s->mutex);
    s->changed.wait(lock, [s] { return s->item == 0; });
    s->item = i;
    s->made.store(i, std::memory_order_relaxed);
    s->changed.notify_all();
  }
}

void consume(shared *s, int self) {
  step();
  for (int i = 0; i < ITEMS / 2; i++) {
    std::unique_lock<std::mutex> lock(s->mutex);
    s->changed.wait(lock, [s] { return s->item != 0; });
    s->wrong[self] += s->made.load(std::memory_order_relaxed) != s->item;
    s->sum[self] += s->item;
    s->item = 0;
    s->changed.notify_all();
  }
}

void consume_0(void *memory) {
  consume(static_cast<shared *>(memory), 0);
}
void consume_1(void *memory) {
  consume(static_cast<shared *>(memory), 1);
}

int weak(const void *memory) {
  const auto *s = static_cast<const shared *>(memory);
  return s->wrong[0] || s->wrong[1] || s->sum[0] + s->sum[1] != ITEMS * (ITEMS + 1) / 2;
}

} // namespace

const struct litmus litmus_program = {
    .size = sizeof(shared),
    .threads = 3,
    .thread = {produce, consume_0, consume_1},
    .init = init,
    .fini = fini,
    .weak = weak,
};
