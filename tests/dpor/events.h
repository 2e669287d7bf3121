// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of a program as the core and the oracle take it: a trace (tools/trace/trace.h).
//
// Sleeping on a condition variable is to give its mutex back, and to take it again later; a lock
// that is not had, a choice and the end of the program are no events. A thread that waits in vain
// at the end of the run has arrived there.
//
// A non-atomic access is one of its object, and a write to an object of each pair of instructions
// of which it is one and which may race: so who races with whom is known by the object.

#ifndef RSAN_TESTS_DPOR_EVENTS_H
#define RSAN_TESTS_DPOR_EVENTS_H

#include "explore.h"
#include "trace.h"

enum { MOST_EVENTS = 1024 };

struct events {
  struct trace trace;
  uint8_t place[MOST_EVENTS]; // of each event's instruction
};

// What a step has found in an atomic object, and what it has left there.
struct effect {
  uint8_t found, left;
};

// The thread makes that instruction. Nothing happens if the state notes no events.
void events_add(const struct dpor_program *p, const struct state *s, uint32_t thread,
                const struct instruction *i, struct effect effect);

// In place of what was in there.
void events_of_run(const struct dpor_program *p, const struct run *run, struct events *out);
void events_free(struct events *events);

// Is it an object of a pair, in place of one of the program?
static inline bool events_is_pair(uint32_t object) {
  return object >= OBJECTS;
}

#endif
