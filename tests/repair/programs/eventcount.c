// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event count: a consumer announces that it is about to sleep, looks once more, and sleeps; a
// producer makes the thing, and wakes nobody if nobody is announced. Each may miss the other: the
// consumer sleeps for ever.
//
// Smallest repair: 2 fences, between announcement and second look, and between the thing and the
// look at the announcements.

#include "rounds.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int things, waiters;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static unsigned events; // protected by the mutex

static unsigned announce(void) {
  pthread_mutex_lock(&mutex);
  unsigned key = events;
  pthread_mutex_unlock(&mutex);
  atomic_fetch_add_explicit(&waiters, 1, memory_order_acq_rel);
  FENCE();
  return key;
}

static void withdraw(void) {
  atomic_fetch_sub_explicit(&waiters, 1, memory_order_acq_rel);
}

// Says whether it was woken within some seconds.
static int sleep_until_event(unsigned key) {
  struct timespec end;
  int error = 0;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 20;
  pthread_mutex_lock(&mutex);
  while (events == key && !error)
    error = pthread_cond_timedwait(&woken, &mutex, &end);
  pthread_mutex_unlock(&mutex);
  return error != ETIMEDOUT;
}

static void notify(void) {
  FENCE();
  if (atomic_load_explicit(&waiters, memory_order_acquire) == 0)
    return;
  pthread_mutex_lock(&mutex);
  events++;
  pthread_cond_broadcast(&woken);
  pthread_mutex_unlock(&mutex);
}

static int take(void) {
  int found = atomic_load_explicit(&things, memory_order_acquire);
  return found > 0 && atomic_compare_exchange_strong_explicit(
                          &things, &found, found - 1, memory_order_acq_rel, memory_order_acquire);
}

static void consume(int round) {
  while (!take()) {
    unsigned key = announce();
    if (atomic_load_explicit(&things, memory_order_acquire) == 0)
      check(sleep_until_event(key), "nobody woke the consumer", round);
    withdraw();
  }
}

static void act(int thread, int round) {
  if (thread == 0) {
    consume(round);
  } else {
    atomic_fetch_add_explicit(&things, 1, memory_order_release);
    notify();
  }
}

int main(void) {
  run_rounds(2, act);
}
