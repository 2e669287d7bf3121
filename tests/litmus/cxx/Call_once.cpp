// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call_once: three threads initialise an object through std::call_once, and use it.
// Verdict: robust (any run)
// Why: the fast path acquires what was initialised, as in Once+acq.
// Twin: Once+rlx

#include "litmus.h"

#include <atomic>
#include <mutex>
#include <new>

namespace {

struct shared {
  std::once_flag once;
  std::atomic<int> calls;
  int data; // plain: call_once publishes it
  int r[3];
};

void init(void *memory) {
  new (memory) shared();
}

void fini(void *memory) {
  static_cast<shared *>(memory)->~shared();
}

void use(shared *s, int self) {
  step();
  std::call_once(s->once, [s] {
    s->calls.fetch_add(1, std::memory_order_relaxed);
    s->data = 1;
  });
  s->r[self] = s->data + s->calls.load(std::memory_order_relaxed);
}

void thread_0(void *memory) {
  use(static_cast<shared *>(memory), 0);
}
void thread_1(void *memory) {
  use(static_cast<shared *>(memory), 1);
}
void thread_2(void *memory) {
  use(static_cast<shared *>(memory), 2);
}

int weak(const void *memory) {
  const auto *s = static_cast<const shared *>(memory);
  return s->r[0] != 2 || s->r[1] != 2 || s->r[2] != 2;
}

} // namespace

const struct litmus litmus_program = {
    .size = sizeof(shared),
    .threads = 3,
    .thread = {thread_0, thread_1, thread_2},
    .init = init,
    .fini = fini,
    .weak = weak,
};
