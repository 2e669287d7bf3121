// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a scheduled run, what each of them is about to do, and which of them can.
//
// Whether a thread can proceed is found out here, by whoever chooses, so threads that cannot sleep
// and need not look. There is no state of mutexes and other objects: an operation that finds its
// object taken is handed in again with a condition, and is looked at when a step has changed the
// object. So memory depends on the number of threads that live at the same time alone.
//
//        add          run            hand_in
//   FREE ----> PENDING ---> RUNNING ---------> PENDING
//                             | ^
//                       leave | | hand_in          end             release
//                             v |        RUNNING -------> DEAD ------------> FREE
//                           OUTSIDE
//
// A new thread is pending before the operating system has made it, so when it really comes enters
// no choice. Numbers of threads are used again after their release, the latest first.

#ifndef RSAN_SCHEDULE_THREADS_H
#define RSAN_SCHEDULE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "pending.h"

#define RSAN_NO_THREAD UINT32_MAX

enum rsan_thread_state {
  RSAN_THREAD_FREE,
  RSAN_THREAD_PENDING, // waits to be chosen
  RSAN_THREAD_RUNNING, // was chosen
  RSAN_THREAD_OUTSIDE, // is in a call that may block, and that nobody here knows the end of
  RSAN_THREAD_DEAD,
};

struct rsan_scheduled {
  struct rsan_pending pending;
  int64_t priority; // of the policies that have priorities: the highest runs
  uint32_t steps;   // the same: while others could proceed, since it gave way
  uint8_t state;    // enum rsan_thread_state
  bool expired;     // it can proceed, for its time is over
  bool alone;       // it was when it handed in `pending`
  bool retries;     // it can proceed, for all who try were told to
  bool cancelled;   // it can proceed, for it is cancelled
  uint32_t place;   // in ready[]; RSAN_NO_THREAD: it cannot proceed
  uint32_t next;    // thread with a condition in the same bucket, or free
  // For livelock.h: steps that only waited, when there had been so many of progress; and the load
  // before.
  uint32_t waits;
  uint64_t waits_since;
  bool loads;
  uint64_t loaded, loaded_at; // object and point
};

struct rsan_threads {
  struct rsan_scheduled *thread; // by number
  uint32_t *ready;               // those that can proceed, in an order that the run alone decides
  uint32_t *bucket;              // threads with a condition by object: `room` lists
  uint32_t *chosen_from;         // room for lists of candidates
  uint32_t count, room;          // numbers in use, ever; room: a power of two
  uint32_t free;                 // list of numbers to be used again
  uint32_t ready_count, alive, outside, timed;
};

void rsan_threads_init(struct rsan_threads *t);
void rsan_threads_clear(struct rsan_threads *t);

// A thread that is about to start.
uint32_t rsan_threads_add(struct rsan_threads *t);

// What a thread that runs, or was outside, does next.
void rsan_threads_hand_in(struct rsan_threads *t, uint32_t id, const struct rsan_pending *pending);

void rsan_threads_run(struct rsan_threads *t, uint32_t id);     // a thread that can proceed
void rsan_threads_leave(struct rsan_threads *t, uint32_t id);   // a running thread goes outside
void rsan_threads_end(struct rsan_threads *t, uint32_t id);     // joins can proceed
void rsan_threads_release(struct rsan_threads *t, uint32_t id); // nobody asks for it any more

// Free numbers are used again in their order, whatever the order in which threads have ended.
void rsan_threads_sort_free(struct rsan_threads *t);

// The object has changed: whoever has a condition on it is asked.
void rsan_threads_touch(struct rsan_threads *t, uint64_t object);
// Memory has changed: whoever has a condition on one of these bytes is asked. (Accesses lie in
// aligned blocks of 16 bytes.)
void rsan_threads_touch_bytes(struct rsan_threads *t, uint64_t object, uint32_t bytes);
// Asks all: something changed that no operation has shown.
void rsan_threads_recheck(struct rsan_threads *t);

// The threads that wait to be woken on the object, by a wake with these bits, in chosen_from.
uint32_t rsan_threads_sleepers(struct rsan_threads *t, uint64_t object, uint32_t mask);
// Such a thread waits on another object from now on.
void rsan_threads_move(struct rsan_threads *t, uint32_t id, uint64_t object);
void rsan_threads_wake(struct rsan_threads *t, uint32_t id);

// Wakes all who try again when they are woken: an object may have been freed by what is not seen.
void rsan_threads_retry(struct rsan_threads *t);

// The threads that cannot proceed, but whose time may be over, in chosen_from.
uint32_t rsan_threads_impatient(struct rsan_threads *t);
// The thread is cancelled: it can proceed.
void rsan_threads_cancel(struct rsan_threads *t, uint32_t id);
// The time of such a thread is over.
void rsan_threads_expire(struct rsan_threads *t, uint32_t id);

static inline bool rsan_threads_is_ready(const struct rsan_threads *t, uint32_t id) {
  return id < t->count && t->thread[id].state == RSAN_THREAD_PENDING &&
         t->thread[id].place != RSAN_NO_THREAD;
}

#endif
