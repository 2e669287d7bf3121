// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/seqlock.c, or a repair of it, as a litmus program: its two threads in every
// interleaving.

#define main main_of_the_example
#include "seqlock.c"
#undef main

#include "litmus.h"

static void begin(void *shared) {
  (void)shared;
  atomic_init(&sequence, 0);
  atomic_init(&left, 0);
  atomic_init(&right, 0);
}

static void write_once(void *shared) {
  writer(shared);
}

static void read_once(void *shared) {
  int whole;
  stage_rounds = 0;
  if (setjmp(stage_end) == 0)
    reader(&whole);
  (void)shared;
}

const struct litmus litmus_program = {
    .size = 1, .threads = 2, .thread = {write_once, read_once}, .init = begin};
