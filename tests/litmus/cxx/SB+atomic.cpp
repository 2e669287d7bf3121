// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SB+atomic: store buffering with std::atomic's operators, whose order is seq_cst.
// Verdict: robust (0/6)
// Why: a program of seq_cst accesses alone has sequentially consistent runs only.
// Twin: SB+atomic+rlx

#include "litmus.h"

#include <atomic>
#include <new>

namespace {

struct shared {
  std::atomic<int> x, y;
  int r[2];
};

void init(void *memory) {
  new (memory) shared;
}

void thread_0(void *memory) {
  auto *s = static_cast<shared *>(memory);
  step();
  s->x = 1;
  step();
  s->r[0] = s->y;
}

void thread_1(void *memory) {
  auto *s = static_cast<shared *>(memory);
  step();
  s->y = 1;
  step();
  s->r[1] = s->x;
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
    .weak = weak,
};
