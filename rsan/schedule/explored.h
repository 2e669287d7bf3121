// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of an exploration of all schedules (dpor.h), in the process that makes it: it repeats the
// prefix that it is asked for, goes on as it likes, and notes each step for whoever explores.
//
// The run's part and the explorer's part of the struct are in memory that both processes have. So
// everything that was noted is there when the run ends, in whatever way that happens.
//
// Threads have numbers here that are the same in each run: a thread is known by its creator and by
// how many that one had created before.

#ifndef RSAN_SCHEDULE_EXPLORED_H
#define RSAN_SCHEDULE_EXPLORED_H

#include <stdbool.h>
#include <stdint.h>

#include "beyond.h"
#include "dpor_state.h"
#include "levels.h"
#include "threads.h"
#include "turns.h"

// Most steps of a run. Turns that a thread makes beyond the bound if all others have ended, and it
// has waited for them.
enum { RSAN_EXPLORED_STEPS = RSAN_DPOR_STEPS, RSAN_EXPLORED_ALONE = 100 };
// Places of which it is counted how often a thread writes there. (More of them have no bound.)
enum { RSAN_EXPLORED_PLACES = 64 };

// Why a run was given up before its end.
#define RSAN_GIVEN_UP(X)                                                                           \
  X(ASLEEP, "known from another execution")                                                        \
  X(PREEMPTIONS, "more preemptions than the bound")                                                \
  X(LOOP, "more turns of a loop than the bound")                                                   \
  X(STEPS, "more steps than an execution may have")                                                \
  X(THREADS, "more threads than can be explored")                                                  \
  X(DIVERGED, "it did not repeat an earlier execution")                                            \
  X(ASSUMED, "what a thread assumed did not hold")

enum rsan_given_up {
  RSAN_GIVEN_UP_NOT,
#define RSAN_REASON(name, text) RSAN_GIVEN_UP_##name,
  RSAN_GIVEN_UP(RSAN_REASON)
#undef RSAN_REASON
      RSAN_GIVEN_UP_COUNT
};

// The threads of all runs, by number: who creates each, and how many that one creates before.
struct rsan_explored_names {
  struct {
    uint32_t creator, ordinal;
  } name[RSAN_DPOR_THREADS];
  uint32_t count;
};

struct rsan_explored_thread {
  uint32_t created;    // threads that it has created
  uint32_t after, end; // rsan_op's `after` of its next step; its last step, if it has ended
  uint32_t joined;     // threads that it knows to have ended, as it has waited for them
  bool pends;          // `pending` is what it is about to do, and it is not asleep
  bool stopped;        // it would turn more often than a bound, and makes no more steps
  struct rsan_op pending;
  struct rsan_turns turns;
};

// How often a thread has written at a place: a program point and the calls that have led there.
struct rsan_explored_writes {
  struct {
    uint64_t place;
    uint32_t count; // 0: there is none from here on
  } at[RSAN_EXPLORED_PLACES];
};

struct rsan_explored {
  // What is asked for: `step` has the threads and choices of the prefix.
  uint32_t prefix;
  uint32_t preemptions, loop, spurious, departures;    // bounds
  uint32_t unroll;                                     // RSAN_LEVEL_UNROLL_NONE
  bool fences_commute;                                 // levels.h
  struct rsan_dpor_sleeper sleeper[RSAN_DPOR_THREADS]; // before the prefix's last step
  uint32_t sleepers;
  // What comes of it.
  struct rsan_dpor_step step[RSAN_EXPLORED_STEPS];
  uint32_t count;
  uint8_t given_up; // enum rsan_given_up
  bool finished;    // the program has come to its end; all that it counts is noted
  bool stuck;       // nobody could go on
  bool stopped;     // a thread has stopped for the bound of turns of loops that change nothing
  bool unrolled;    // a thread has stopped for the bound of writes at one place
  bool spins;       // given up for LOOP: all that could go on would turn for ever
  bool assumed;     // a thread has assumed what does not hold, and makes no more steps
  bool spared;      // a weak compare-exchange might have failed if the bound were larger
  bool retained;    // the same of an access that might have departed
  uint64_t fencers; // threads that have made a fence that commutes
  bool order_asked; // what the host has found depends on the order of such fences
  uint64_t expired; // waits whose time was over before what they waited for came
  uint32_t threads; // of this run
  struct rsan_explored_thread thread[RSAN_DPOR_THREADS];
  struct rsan_explored_writes writes[RSAN_DPOR_THREADS]; // if there is a bound of them
  uint32_t number[RSAN_DPOR_THREADS];                    // of the schedule's threads
  // The run's own. (In this memory: another process would not have what one allocates.)
  struct rsan_dpor_sleep sleep;
  struct rsan_dpor_sleeper asleep[RSAN_DPOR_THREADS];
  uint32_t last, preempted, failed, departed;
  bool yielded;
  struct rsan_beyond beyond;
  // The names of all runs; the run adds new ones.
  struct rsan_explored_names names;
};

// Before a run: all that another one has left is forgotten. The prefix is asked for after that.
void rsan_explored_begin(struct rsan_explored *x);
// The same, and the prefix that the node asks for. The bounds are set after that.
void rsan_explored_ask(struct rsan_explored *x, const struct rsan_dpor_node *node);

// What comes of the run, for rsan_dpor_executed. `pending`: room for RSAN_DPOR_THREADS.
struct rsan_dpor_trace rsan_explored_trace(const struct rsan_explored *x,
                                           struct rsan_dpor_step *pending);
// Why it has not come to the program's end; `followed`: what rsan_dpor_executed says of it.
enum rsan_given_up rsan_explored_reason(const struct rsan_explored *x, bool followed);

// The first thread, or one that is created by the schedule's thread `creator`: it is `id` there.
void rsan_explored_add(struct rsan_explored *x, uint32_t id, uint32_t creator);
// Returns the number that the next thread of the schedule's thread `creator` will get, or
// RSAN_DPOR_THREADS if there are too many threads.
uint32_t rsan_explored_next_number(const struct rsan_explored *x, uint32_t creator);
void rsan_explored_hand_in(struct rsan_explored *x, uint32_t id,
                           const struct rsan_pending *pending);
void rsan_explored_woken(struct rsan_explored *x, uint32_t id);

// Can a thread go on that has not stopped for the bound of turns?
bool rsan_explored_goes_on(const struct rsan_explored *x, const struct rsan_threads *t);
// Chooses the thread that makes the next step, and notes the step. RSAN_NO_THREAD: nobody can, or
// the run is given up. When only stopped threads can go on, the run has come to its end; they then
// make steps that are not noted, which show what they would do (beyond.h).
uint32_t rsan_explored_next(struct rsan_explored *x, const struct rsan_threads *t);

// Nobody can go on, and a thread waits in a loop for a value that nobody will write.
void rsan_explored_spins(struct rsan_explored *x);

// One of `count` values, which depends on the newest step; before the first step, the first thread
// chooses.
uint32_t rsan_explored_choose(struct rsan_explored *x, uint32_t count);

// The thread that runs has a weak compare-exchange that finds what it expects: does it fail all the
// same? It is a choice, as long as no more of them have failed than the bound says.
bool rsan_explored_fails(struct rsan_explored *x);

// The access of the thread that runs could depart: is it to be a choice whether it does? It is, as
// long as no more of them have departed than the bound says. After that: it has chosen to.
bool rsan_explored_may_depart(struct rsan_explored *x);
void rsan_explored_departs(struct rsan_explored *x);

// The thread that runs has assumed what does not hold: it will make no more steps. Others do, for
// what they would do next may be what makes it hold in another order. When nobody can go on the run
// is given up, and is whole all the same: its races are all there.
void rsan_explored_assumed(struct rsan_explored *x);

#endif
