// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often a thread has turned in a loop that changes nothing, and has found the same each time:
// steps at one program point, of one object with one value, since the thread's last step that
// changed or found something new. (A read-modify-write that leaves the value that it finds changes
// nothing.)
//
// A loop may access several objects at one point, as where it goes through a list: the turns are
// counted at one of them, which is replaced by a later one when it has not come again for twice as
// many steps as the one before it was given (Brent's way to find a cycle).
//
// All of it follows from what the thread itself has done and read. So a thread that is stopped for
// its turns is stopped at the same step in all runs that differ in the order of independent steps
// alone, and an exploration of all schedules (dpor.h) stays one of a program: of the one whose
// loops end the thread after so many turns.

#ifndef RSAN_SCHEDULE_TURNS_H
#define RSAN_SCHEDULE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "dependence.h"

// Program points that are counted at the same time. In a loop that has more of them others are
// forgotten, one after the other; those that stay count its turns.
enum { RSAN_TURNS_POINTS = 8 };

struct rsan_turns {
  struct {
    uint64_t point, object;
    struct rsan_value value;
    uint32_t count;
    uint32_t others, most_others; // steps there of other objects since this one came; at most
  } at[RSAN_TURNS_POINTS];
};

// Does the thread get further by the step, whatever it finds?
static inline bool rsan_turns_ends(const struct rsan_op *op) {
  return (op->writes && !op->leaves) || op->ends || op->kind == RSAN_KIND_START ||
         op->kind == RSAN_KIND_END || op->kind == RSAN_KIND_JOIN;
}

// The thread makes the step.
void rsan_turns_make(struct rsan_turns *t, const struct rsan_op *op);
void rsan_turns_forget(struct rsan_turns *t);

// How often it has made this step. (What it will find now is not asked.)
uint32_t rsan_turns_made(const struct rsan_turns *t, const struct rsan_op *op);
// The most at any point.
uint32_t rsan_turns_most(const struct rsan_turns *t);

#endif
