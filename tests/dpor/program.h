// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs for the exploration of all schedules: what a step does, and when it can be made.
// Explorer (explore.h) and brute force (classes.h) run the same programs; which steps depend on
// each other each of them says in its own way.

#ifndef RSAN_TESTS_DPOR_PROGRAM_H
#define RSAN_TESTS_DPOR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "schedule/dpor.h"

enum {
  MOST_THREADS = 4,
  MOST_INSTRUCTIONS = 12,
  OBJECTS = 6, // atomic objects, mutexes and condition variables have numbers of their own
  MOST_STEPS = 96,
};

// Name in a printed program, and what its operands are: o object, v value, e expected value.
#define INSTRUCTIONS(X)                                                                            \
  X(LOAD, "load", "o")                                                                             \
  X(STORE, "store", "ov")                                                                          \
  X(ADD, "add", "ov")                                                                              \
  X(EXCHANGE, "exchange", "ov")                                                                    \
  X(CAS, "cas", "oev")                                                                             \
  X(WAIT, "wait", "oe")                                                                            \
  X(WAIT_OWN, "wait-own", "o")     /* for what the thread has read last */                         \
  X(STORE_NEXT, "store-next", "o") /* one more than that */                                        \
  X(BCAS, "bcas", "oev")                                                                           \
  X(FENCE, "fence", "")                                                                            \
  X(LOCK, "lock", "o")                                                                             \
  X(TRY_LOCK, "trylock", "o") /* if it fails, the next instruction is left out */                  \
  X(UNLOCK, "unlock", "o")                                                                         \
  X(SLEEP, "sleep", "ov") /* on the condition variable; the value is its mutex */                  \
  X(SIGNAL, "signal", "o")                                                                         \
  X(BROADCAST, "broadcast", "o")                                                                   \
  X(JOIN, "join", "o")                                                                             \
  X(CHOOSE, "choose", "v")                                                                         \
  X(EXIT, "exit", "")                                                                              \
  X(CREATE, "create", "o")     /* no step */                                                       \
  X(BACK, "back-if-not", "ov") /* no step: so far, if the value read last is not that */           \
  X(READ, "read", "o")         /* no step: not atomic, of an object of its own kind */             \
  X(WRITE, "write", "o")       /* no step */                                                       \
  X(WEAK_FENCE, "fence", "")   /* no step: not seq_cst */

enum instruction_op {
#define X(name, text, operands) I_##name,
  INSTRUCTIONS(X)
#undef X
};

struct instruction {
  uint8_t op, object, value, expected;
  uint8_t order, failure; // enum trace_order; of what has one
};

struct dpor_program {
  uint32_t threads; // the first one runs from the beginning, the others if they are created
  bool all_run;     // from the beginning
  bool bounds;      // start and end of each thread are steps, as in the runtime
  bool commute;     // seq_cst fences do not depend on each other
  // Not 0: a thread makes no more steps when it would read the same once more, at one instruction,
  // after so many times since it wrote or read something new.
  uint8_t loop;
  uint8_t length[MOST_THREADS];
  struct instruction at[MOST_THREADS][MOST_INSTRUCTIONS];
};

struct events; // events.h

enum phase { P_NONE, P_START, P_RUNS, P_SLEEPS, P_WOKEN, P_ENDS, P_ENDED };

struct running {
  uint8_t phase, pc;
  uint8_t last;   // value read last
  uint16_t after; // rsan_op's
  uint16_t end;   // the step with which it ended
  uint64_t log;   // a hash of what it has read
  // For the bound `loop`, of each instruction that has only read.
  uint8_t turns[MOST_INSTRUCTIONS], found[MOST_INSTRUCTIONS];
};

struct state {
  uint8_t value[OBJECTS], owner[OBJECTS]; // owner of a mutex: thread + 1
  struct running thread[MOST_THREADS];
  uint16_t steps;  // and choices
  uint8_t choices; // not 0: `chooser` chooses one of so many
  uint8_t chooser;
  bool exited;
  struct events *events; // what happens is noted there; null: nowhere
};

// What happens is noted in `events`, unless that is null.
void program_begin(const struct dpor_program *p, struct state *s, struct events *events);
bool program_enabled(const struct dpor_program *p, const struct state *s, uint32_t thread);
// Has the thread come to the bound of turns?
bool program_stopped(const struct dpor_program *p, const struct state *s, uint32_t thread);
void program_step(const struct dpor_program *p, struct state *s, uint32_t thread);
void program_choose(const struct dpor_program *p, struct state *s, uint32_t choice);
// The instruction that a running thread is at; null: it is at none.
const struct instruction *program_at(const struct dpor_program *p, const struct state *s,
                                     uint32_t thread);
// What anybody could have seen by the state, in which nobody can go on.
uint64_t program_outcome(const struct state *s);

struct dpor_params {
  uint32_t operations, threads;
  uint32_t loop;   // not 0: with loops that only read, and that bound
  uint32_t groups; // what programs are made of, a set: accesses, mutexes, condition variables, rest
  bool bounds;
};
void program_draw(const struct dpor_params *params, uint64_t seed, struct dpor_program *out);
void dpor_program_print(FILE *file, const struct dpor_program *p);

#endif
