// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scheduler.h"

#include "../../rsan/processor/processor.h"
#include "litmus.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum mode { MODE_FREE, MODE_CONTROLLED };
enum state { STATE_RUNNING, STATE_PARKED, STATE_LEFT };

// Spins this often for the other threads before it sleeps: in a free run they
// should go on at the same time, not one wake-up latency apart.
enum { START_SPINS = 5000 };

// Plain fields are written by the only thread that runs: the last one to park,
// or main before the threads exist. `running` and `go` carry them over.
static struct {
  enum mode mode;
  int threads;
  struct schedule *schedule;
  int replayed; // steps that *schedule prescribes
  enum state state[LITMUS_MAX_THREADS];
  const void *wants[LITMUS_MAX_THREADS]; // mutex that a parked thread will lock
  const void *held[LITMUS_MAX_THREADS];  // mutexes held, in no order
  atomic_int running;                    // threads neither parked nor gone
  atomic_int waiting;                    // free run: threads not yet at the start
  atomic_uint go[LITMUS_MAX_THREADS];    // futexes: thread t may run
  atomic_uint start;                     // futex: free run, all are there
  atomic_uint start_sleepers;            // threads that may sleep on it
  atomic_uint finished;                  // futex: all have left
} sched;

static _Thread_local struct {
  int thread;
  bool started, left;
} self;

// Not syscall(): nothing here may go through a function that a runtime could
// intercept, now or later.
static void futex(atomic_uint *word, int op, unsigned value) {
  rsan_futex(word, op | FUTEX_PRIVATE_FLAG, value);
}

static void await(atomic_uint *word) {
  while (!atomic_load_explicit(word, memory_order_acquire))
    futex(word, FUTEX_WAIT, 0);
}

static void release(atomic_uint *word) {
  atomic_store_explicit(word, 1, memory_order_release);
  futex(word, FUTEX_WAKE, INT_MAX);
}

static void die(const char *what) {
  fprintf(stderr, "litmus scheduler: %s\n", what);
  abort();
}

static int find_held(const void *mutex) {
  for (int i = 0; i < LITMUS_MAX_THREADS; i++)
    if (sched.held[i] == mutex)
      return i;
  return -1;
}

static unsigned enabled_threads(void) {
  unsigned enabled = 0;
  for (int t = 0; t < sched.threads; t++)
    if (sched.state[t] == STATE_PARKED && (!sched.wants[t] || find_held(sched.wants[t]) < 0))
      enabled |= 1u << t;
  return enabled;
}

// Called by the last thread to park or leave: nothing else runs.
static void choose(void) {
  bool all_left = true;
  for (int t = 0; t < sched.threads; t++)
    all_left = all_left && sched.state[t] == STATE_LEFT;
  if (all_left) {
    release(&sched.finished);
    return;
  }
  struct schedule *s = sched.schedule;
  unsigned enabled = enabled_threads();
  if (!enabled)
    die("deadlock");
  if (s->length == SCHED_MAX_STEPS)
    die("too many steps: an unbounded loop?");
  int t = s->length < sched.replayed ? s->thread[s->length] : __builtin_ctz(enabled);
  if (!(enabled & (1u << t)))
    die("the schedule names a thread that cannot run");
  s->thread[s->length] = (unsigned char)t;
  s->enabled[s->length] = (unsigned char)enabled;
  s->length++;
  if (sched.wants[t]) {
    int slot = find_held(NULL);
    if (slot < 0)
      die("too many mutexes held");
    sched.held[slot] = sched.wants[t];
  }
  sched.state[t] = STATE_RUNNING;
  atomic_store_explicit(&sched.running, 1, memory_order_relaxed);
  release(&sched.go[t]);
}

static void stop_running(enum state state, const void *wants) {
  sched.state[self.thread] = state;
  sched.wants[self.thread] = wants;
  if (atomic_fetch_sub_explicit(&sched.running, 1, memory_order_acq_rel) == 1)
    choose();
}

// Free run: the last thread to come lets all of them go. It makes a system call only if one of
// them sleeps, for the call would put it behind by more than the whole program takes.
static void meet(void) {
  self.started = true;
  if (atomic_fetch_sub_explicit(&sched.waiting, 1, memory_order_acq_rel) == 1) {
    atomic_store(&sched.start, 1);
    if (atomic_load(&sched.start_sleepers))
      futex(&sched.start, FUTEX_WAKE, INT_MAX);
    return;
  }
  for (int i = 0; i < START_SPINS; i++) {
    if (atomic_load_explicit(&sched.start, memory_order_acquire))
      return;
    rsan_pause();
  }
  atomic_fetch_add(&sched.start_sleepers, 1);
  while (!atomic_load(&sched.start))
    futex(&sched.start, FUTEX_WAIT, 0);
}

static void wait_for_turn(const void *wants) {
  if (sched.mode == MODE_FREE) {
    if (!self.started)
      meet();
    return;
  }
  stop_running(STATE_PARKED, wants);
  await(&sched.go[self.thread]);
  atomic_store_explicit(&sched.go[self.thread], 0, memory_order_relaxed);
}

void step(void) {
  wait_for_turn(NULL);
}

void step_lock(const void *mutex) {
  wait_for_turn(mutex);
}

void step_unlock(const void *mutex) {
  wait_for_turn(NULL);
  if (sched.mode == MODE_FREE)
    return;
  int slot = find_held(mutex);
  if (slot < 0)
    die("unlock of a mutex that is not held");
  // The unlock itself happens before this thread parks, so before the next choice.
  sched.held[slot] = NULL;
}

void litmus_enter(int thread) {
  self.thread = thread;
  self.started = false;
  self.left = false;
}

void litmus_leave(void) {
  if (self.left)
    return;
  self.left = true;
  if (sched.mode == MODE_FREE && !self.started)
    meet();
  if (sched.mode == MODE_CONTROLLED)
    stop_running(STATE_LEFT, NULL);
  else if (atomic_fetch_sub_explicit(&sched.running, 1, memory_order_acq_rel) == 1)
    release(&sched.finished);
  await(&sched.finished);
}

static void begin(enum mode mode, struct schedule *schedule, int threads) {
  sched.mode = mode;
  sched.threads = threads;
  sched.schedule = schedule;
  for (int t = 0; t < LITMUS_MAX_THREADS; t++) {
    sched.state[t] = STATE_RUNNING;
    sched.wants[t] = sched.held[t] = NULL;
    atomic_store_explicit(&sched.go[t], 0, memory_order_relaxed);
  }
  atomic_store_explicit(&sched.running, threads, memory_order_relaxed);
  atomic_store_explicit(&sched.waiting, threads, memory_order_relaxed);
  atomic_store_explicit(&sched.start, 0, memory_order_relaxed);
  atomic_store_explicit(&sched.start_sleepers, 0, memory_order_relaxed);
  atomic_store_explicit(&sched.finished, 0, memory_order_release);
}

void sched_begin_controlled(struct schedule *schedule, int threads) {
  begin(MODE_CONTROLLED, schedule, threads);
  sched.replayed = schedule->length;
  schedule->length = 0;
}

void sched_begin_free(int threads) {
  begin(MODE_FREE, NULL, threads);
}

void sched_wait(void) {
  await(&sched.finished);
}

bool sched_next(struct schedule *schedule) {
  while (schedule->length > 0) {
    int last = schedule->length - 1;
    unsigned later = schedule->enabled[last] & ~((2u << schedule->thread[last]) - 1);
    if (later) {
      schedule->thread[last] = (unsigned char)__builtin_ctz(later);
      return true;
    }
    schedule->length = last;
  }
  return false;
}
