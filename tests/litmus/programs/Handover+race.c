// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handover+race: two plain stores of one location (a test of the scheduler).
// Verdict: race (6/6)
// Why: nothing orders the stores; a hand-over that the tool sees would.
// Twin: Handover+mutex

#include "litmus.h"

struct shared {
  int data;
};

static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  s->data = 1;
  step(); // hands over what came before, if the tool can see it
}

static void thread_1(void *shared) {
  struct shared *s = shared;
  step();
  s->data = 2;
  step();
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .flagged = "0011 0101 0110 1001 1010 1100",
};
