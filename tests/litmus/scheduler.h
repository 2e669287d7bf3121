// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the threads of a litmus program one step at a time in a given order, or
// freely. The tool must not see the hand-over, or else it would add the
// happens-before that the program lacks: scheduler.c is compiled without a sanitizer
// and calls nothing that the runtime intercepts; threads wait in raw system
// calls. Handover+race holds it to that.

#ifndef RSAN_TESTS_LITMUS_SCHEDULER_H
#define RSAN_TESTS_LITMUS_SCHEDULER_H

#include <stdbool.h>

// Longer programs than this end with an error.
enum { SCHED_MAX_STEPS = 128 };

// What ran, and what could have run instead: enough to visit the next one.
struct schedule {
  int length;
  unsigned char thread[SCHED_MAX_STEPS];
  unsigned char enabled[SCHED_MAX_STEPS]; // bit t: thread t could take this step
};

// Prepares one controlled run: the first `length` steps as in *schedule, each
// later one by the lowest-numbered thread that can. The rest of *schedule is
// filled in as the threads run; it may be read after sched_wait().
void sched_begin_controlled(struct schedule *schedule, int threads);
// Prepares a run under the system's scheduler: the threads meet at their first
// step and go on together.
void sched_begin_free(int threads);
// Returns when all threads have left.
void sched_wait(void);

// Makes *schedule the first part of the next one, depth first. False: there is
// none.
bool sched_next(struct schedule *schedule);

#endif
