// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that is chosen: who makes the next step.
//
// The host runs one thread at a time. Before each visible operation (pending.h) a thread hands in
// what it is about to do; the host asks rsan_schedule_choose for the next thread and lets it go on.
// All choices are functions of what was handed in and of the seed, or of a recorded schedule.
// Nothing here waits, and nothing is thread-safe: the host's token covers all.

#ifndef RSAN_SCHEDULE_SCHEDULE_H
#define RSAN_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "explored.h"
#include "livelock.h"
#include "policy.h"
#include "recorder.h"
#include "replay.h"
#include "threads.h"

// Where a replay first differs from its record. From there on the policy chooses.
enum rsan_difference_kind {
  RSAN_SAME,
  RSAN_DIFFERS_POINT,   // the thread is about to do something else
  RSAN_DIFFERS_BLOCKED, // it cannot proceed
  RSAN_DIFFERS_THREAD,  // there is no such thread, or it does not wait to be chosen
  RSAN_DIFFERS_WAKE,    // a thread was woken in one of the runs, or another one
  RSAN_DIFFERS_CHOICE,  // there is no such value to choose
  RSAN_DIFFERS_END,     // the record ends here
  RSAN_DIFFERS_FILE,    // the file makes no sense here: replay->error
};

struct rsan_difference {
  enum rsan_difference_kind kind;
  uint64_t step; // the first is 1
  uint32_t thread;
  struct rsan_label recorded, here; // where there are such
};

enum rsan_outcome {
  RSAN_CHOSE_RUN,     // `thread` goes on
  RSAN_CHOSE_EXPIRE,  // the same, and the time of its wait is over
  RSAN_CHOSE_AWAIT,   // a replay: first `thread` has to come back from outside
  RSAN_CHOSE_OUTSIDE, // nobody here can proceed, but threads outside may come back, or may_be_woken
  RSAN_CHOSE_DEADLOCK, // nobody can, and nobody will
  RSAN_CHOSE_NOBODY,   // no thread lives
  RSAN_CHOSE_GIVE_UP,  // the run is one of an exploration, or repeats one, and ends here
};

struct rsan_choice {
  enum rsan_outcome outcome;
  uint32_t thread;
};

struct rsan_schedule {
  struct rsan_threads threads;
  struct rsan_policy policy;
  struct rsan_livelock livelock;
  struct rsan_recorder *record; // NULL: the schedule is not recorded
  struct rsan_replay *replay;   // NULL: the policy chooses
  struct rsan_explored
      *explored; // the exploration whose run it is, which chooses; NULL: it is none
  // The host chooses the next thread here, if this is not NULL; nothing else of the schedule does.
  // It returns RSAN_NO_THREAD if the run is over, and sets *is_deadlock if a deadlock has ended it.
  uint32_t (*follow)(bool *is_deadlock);
  struct rsan_difference difference;
  uint64_t steps;
  uint32_t last;   // who made the newest step
  bool writes;     // the newest step may have changed
  uint64_t object; // this object
  uint32_t bytes;  // of that many bytes of memory, or none
  bool retried;    // all who try have been told to since the last step that was something else
  bool assumed;    // a thread has assumed what does not hold, and makes no more steps
  // May something let a thread proceed that is no step: a signal, or a thread that the host has not
  // added? Asked where nobody can proceed, nor has a time limit. NULL: nothing may.
  bool (*may_be_woken)(void);
};

void rsan_schedule_init(struct rsan_schedule *s, const struct rsan_policy_options *options);
void rsan_schedule_clear(struct rsan_schedule *s); // record and replay stay the host's

// A thread that runs begins a part of the run, such as a test, whose choices do not depend on what
// was chosen before: the policy begins anew, by the options. If the thread is the only one, the
// part has the schedule that it would have as the whole run.
void rsan_schedule_restart(struct rsan_schedule *s, const struct rsan_policy_options *options);

// A thread that a running one creates, before it really is. `creator`: RSAN_NO_THREAD for the
// first.
uint32_t rsan_schedule_add(struct rsan_schedule *s, uint32_t creator);
// What a thread that was chosen, or comes back from outside, does next.
void rsan_schedule_hand_in(struct rsan_schedule *s, uint32_t thread,
                           const struct rsan_pending *pending);
// A running thread makes a call that may block, or ends.
void rsan_schedule_leave(struct rsan_schedule *s, uint32_t thread);
void rsan_schedule_end(struct rsan_schedule *s, uint32_t thread);

// Chooses the thread that makes the next step. The last thread's step is done by then.
struct rsan_choice rsan_schedule_choose(struct rsan_schedule *s);

// To be asked before that, if the options have a bound: do all threads only wait (livelock.h)? It
// is no proof, and what comes from outside, such as signals, the host has to know.
bool rsan_schedule_livelocked(const struct rsan_schedule *s);

// The rest of the replay is given up, as its next thread has been waited for too long.
void rsan_schedule_stop_replay(struct rsan_schedule *s);

// Lets one, or all, of the threads that wait to be woken on the object proceed; how many those are.
uint32_t rsan_schedule_wake_one(struct rsan_schedule *s, uint64_t object);
// Lets one of them proceed whose mask has one of these bits.
uint32_t rsan_schedule_wake_masked(struct rsan_schedule *s, uint64_t object, uint32_t mask);
// Lets one of the threads that wait on `from` wait on `to`; how many those are: 1 or 0.
uint32_t rsan_schedule_move_one(struct rsan_schedule *s, uint64_t from, uint64_t to);
uint32_t rsan_schedule_wake_all(struct rsan_schedule *s, uint64_t object);

// The thread is cancelled where that ends what it does: it proceeds, whatever it waits for.
void rsan_schedule_cancel(struct rsan_schedule *s, uint32_t thread);

// The thread that runs chooses one of `count` values, 2 or more: one after another in the runs of
// an exploration, the same again in a replay of one, else 0.
uint32_t rsan_schedule_choose_value(struct rsan_schedule *s, uint32_t count);
// Chooses how an access departs, in one of `count` - 1 ways (0: it does not). Outside of an
// exploration and of a replay the choice is `wanted`.
uint32_t rsan_schedule_choose_departure(struct rsan_schedule *s, uint32_t count, uint32_t wanted);
// Its weak compare-exchange finds what it expects. True: it fails all the same, in an exploration
// or in a replay of one.
bool rsan_schedule_fails(struct rsan_schedule *s);
// What it assumes does not hold. True: in an exploration, or a replay of one; it is to hand in an
// operation that nobody wakes. Nobody is told of a deadlock that comes of it.
bool rsan_schedule_assumes(struct rsan_schedule *s);

#endif
