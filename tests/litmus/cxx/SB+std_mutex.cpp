// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+std_mutex: relaxed store buffering of std::atomic, each access under one std::mutex.
// Verdict: robust (0/6)
// Why: the mutex orders everything, as in SB+mutex.
// Twin: SB+mutex+bare

#include "litmus.h"

#include <atomic>
#include <mutex>
#include <new>

namespace {

struct shared {
  std::atomic<int> x, y;
  std::mutex mutex;
  int r[2];
};

void init(void *memory) {
  new (memory) shared();
}

void fini(void *memory) {
  static_cast<shared *>(memory)->~shared();
}

// The unlock is a step of its own.
struct scope {
  std::mutex *mutex;
  explicit scope(std::mutex *mutex) : mutex(mutex) {
    step_lock(mutex);
    mutex->lock();
  }
  ~scope() {
    step_unlock(mutex);
    mutex->unlock();
  }
};

void thread_0(void *memory) {
  auto *s = static_cast<shared *>(memory);
  {
    scope locked(&s->mutex);
    step();
    s->x.store(1, std::memory_order_relaxed);
  }
  scope locked(&s->mutex);
  step();
  s->r[0] = s->y.load(std::memory_order_relaxed);
}

void thread_1(void *memory) {
  auto *s = static_cast<shared *>(memory);
  {
    scope locked(&s->mutex);
    step();
    s->y.store(1, std::memory_order_relaxed);
  }
  scope locked(&s->mutex);
  step();
  s->r[1] = s->x.load(std::memory_order_relaxed);
}

int weak(const void *memory) {
  const auto *s = static_cast<const shared *>(memory);
  return s->r[0] == 0 && s->r[1] == 0;
}

} // namespace

const struct litmus litmus_program = {
    .size = sizeof(shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .fini = fini,
    .weak = weak,
};
