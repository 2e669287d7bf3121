// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic_wait: std::atomic::wait and notify_one, seq_cst as by default.
// Verdict: robust (any run)
// Why: all accesses are seq_cst, as in AtomicWait+sc.
// Twin: AtomicWait+rel+acq

#include "litmus.h"

#include <atomic>
#include <new>

namespace {

constexpr int ROUNDS = 4;

struct shared {
  std::atomic<int> turn;
  int data; // plain: the turn publishes it
};

void init(void *memory) {
  new (memory) shared();
}

// Waits for each of its turns, then adds to the data and gives the turn to the other thread.
void play(shared *s, int self) {
  step();
  for (int turn = self; turn < 2 * ROUNDS; turn += 2) {
    for (int seen; (seen = s->turn.load(std::memory_order_seq_cst)) != turn;)
      s->turn.wait(seen, std::memory_order_seq_cst);
    s->data++;
    s->turn.store(turn + 1, std::memory_order_seq_cst);
    s->turn.notify_one();
  }
}

void thread_0(void *memory) {
  play(static_cast<shared *>(memory), 0);
}
void thread_1(void *memory) {
  play(static_cast<shared *>(memory), 1);
}

int weak(const void *memory) {
  return static_cast<const shared *>(memory)->data != 2 * ROUNDS;
}

} // namespace

const struct litmus litmus_program = {
    .size = sizeof(shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .weak = weak,
};
