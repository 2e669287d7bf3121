// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One real thread for each thread of the trace: creation and join are pthread's own. Turns are
// passed in raw system calls, which no runtime intercepts.

#include "../../rsan/processor/processor.h"
#include "carrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

// `act` and `argument` are handed over by `turn`; a null act ends the thread.
struct lane {
  pthread_t handle;
  atomic_uint turn; // 1: the thread's, 0: its caller's
  void (*act)(void *);
  void *argument;
};

static struct lane lanes[CARRIER_MAX_THREADS];

static void futex(atomic_uint *at, int op, unsigned value) {
  rsan_futex(at, op | FUTEX_PRIVATE_FLAG, value);
}

static void await(atomic_uint *turn, unsigned wanted) {
  while (atomic_load(turn) != wanted)
    futex(turn, FUTEX_WAIT, !wanted);
}

static void hand_over(atomic_uint *turn, unsigned to) {
  atomic_store(turn, to);
  futex(turn, FUTEX_WAKE, INT_MAX);
}

static void *body(void *argument) {
  struct lane *lane = argument;
  for (;;) {
    await(&lane->turn, 1);
    if (!lane->act)
      return NULL;
    lane->act(lane->argument);
    hand_over(&lane->turn, 0);
  }
}

static void begin(void) {}

static void end(void) {}

static void start(uint32_t thread) {
  atomic_store(&lanes[thread].turn, 0);
  if (pthread_create(&lanes[thread].handle, NULL, body, &lanes[thread]) != 0)
    carrier_die("cannot create a thread");
}

static void run(uint32_t thread, void (*act)(void *), void *argument) {
  struct lane *lane = &lanes[thread];
  lane->act = act;
  lane->argument = argument;
  hand_over(&lane->turn, 1);
  await(&lane->turn, 0);
}

static void finish(uint32_t thread) {
  lanes[thread].act = NULL;
  hand_over(&lanes[thread].turn, 1);
}

static void wait_for(void *lane) {
  if (pthread_join(((struct lane *)lane)->handle, NULL) != 0)
    carrier_die("cannot join a thread");
}

static void join(uint32_t joiner, uint32_t joined) {
  finish(joined);
  run(joiner, wait_for, &lanes[joined]);
}

static void stop(uint32_t thread) {
  finish(thread);
  wait_for(&lanes[thread]);
}

const struct carrier carrier_threads = {begin, end, start, run, join, stop};
