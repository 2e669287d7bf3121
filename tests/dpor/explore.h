// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All schedules of a program by rsan/schedule/dpor.h: runs it along each prefix.

#ifndef RSAN_TESTS_DPOR_EXPLORE_H
#define RSAN_TESTS_DPOR_EXPLORE_H

#include "program.h"

struct run_entry {
  uint8_t thread, choice;
  bool is_choice;
};

// A run: the threads in their order, and what was chosen.
struct run {
  struct run_entry entry[MOST_STEPS];
  uint32_t count;
  struct state end;
  enum rsan_dpor_end ended;
};

// Sees each run. False ends the exploration.
typedef bool (*run_visitor)(void *context, const struct dpor_program *p, const struct run *run);

enum { MOST_JOBS = 8, MOST_PARTS = 8 };

struct way {
  uint32_t preemptions; // at most
  uint32_t jobs;        // runs under way, from 1; they come back in their order, some are withdrawn
  uint64_t saves;       // not 0: after each so many runs the exploration is saved and restored
  uint32_t parts;       // not 0: most of it is made in so many parts at a time; some are lost
  bool scheduled;       // runs are made as in the runtime (scheduled.h); one at a time
};

// Leaves what was counted in *d, which the caller clears.
void explore(const struct dpor_program *p, const struct way *way, run_visitor visit, void *context,
             struct rsan_dpor *d);

// As rsan_dpor takes it: what the thread is about to do.
struct rsan_op program_op(const struct dpor_program *p, const struct state *s, uint32_t thread);

#endif
