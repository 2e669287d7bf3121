// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs for `rsan check` with loops that wait, and that nobody recognises, by name: how
// each ends within --loop is in check-cases.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rsan.h"

#define LOAD(object)         atomic_load_explicit(&(object), memory_order_acquire)
#define STORE(object, value) atomic_store_explicit(&(object), (value), memory_order_release)

static atomic_int x, y, seen;

// Asks for two objects in turn. How often in vain, `most` times at most; -1: any number of times.
static int wait_for_either(int most) {
  int turns = 0;
  while (!LOAD(x) && !LOAD(y) && turns != most)
    turns++;
  return turns;
}

static void *wait(void *unused) {
  wait_for_either(-1);
  return unused;
}

static void *store_x(void *unused) {
  STORE(x, 1);
  return unused;
}

// A thread that has left the loop sees what was written before, or fails.
static void *wait_and_look(void *unused) {
  wait_for_either(-1);
  if (!LOAD(seen))
    abort();
  return unused;
}

static void *store_x_first(void *unused) {
  STORE(x, 1);
  STORE(seen, 1);
  return unused;
}

static void *store_x_last(void *unused) {
  STORE(seen, 1);
  STORE(x, 1);
  return unused;
}

// Tries a lock until it has it.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int taken;
static void *try_to_lock(void *unused) {
  while (pthread_mutex_trylock(&mutex) != 0) {
  }
  taken++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *lock(void *unused) {
  pthread_mutex_lock(&mutex);
  taken++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *lock_and_wait(void *unused) {
  pthread_mutex_lock(&mutex);
  wait_for_either(-1);
  pthread_mutex_unlock(&mutex);
  return unused;
}

// Fails after more than eight turns in vain. (A compiler may make two loads of the one in a loop.)
static void *wait_not_long(void *unused) {
  if (wait_for_either(-1) > 8)
    abort();
  return unused;
}

// Gets on without the other one, after many turns.
static void *wait_long(void *unused) {
  if (wait_for_either(1000) == 1000)
    STORE(y, 1);
  return unused;
}

// Each waits for what the other one will do.
static void *wait_for_x(void *unused) {
  while (!LOAD(x) && !LOAD(seen)) {
  }
  STORE(y, 1);
  return unused;
}

static void *wait_for_y(void *unused) {
  while (!LOAD(y) && !LOAD(seen)) {
  }
  STORE(x, 1);
  return unused;
}

static void *store_and_wait_for_y(void *unused) {
  STORE(x, 1);
  while (!LOAD(y) && !LOAD(seen))
    sched_yield();
  return unused;
}

// Message passing, with a wait.
static void *send_relaxed(void *unused) {
  atomic_store_explicit(&seen, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return unused;
}

static void *receive(void *unused) {
  wait_for_either(-1);
  LOAD(seen);
  return unused;
}

static void *store_after_a_time(void *unused) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&never, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  STORE(x, 1);
  return unused;
}

// Another object in nearly every execution; and what does not hold in some of them.
atomic_int many[10000];
static void *store_by_time(void *unused) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  STORE(many[now.tv_nsec % 10000], 1);
  STORE(x, 1);
  return unused;
}

static void *assume_x(void *unused) {
  rsan_assume(LOAD(x));
  return unused;
}

static const struct program {
  const char *name;
  void *(*one)(void *), *(*other)(void *);
  bool exits; // without waiting for its threads
} programs[] = {
    {"wait", wait, store_x, false},
    {"daemon", wait, NULL, true},
    {"left", wait_and_look, store_x_first, false},
    {"left-not", wait_and_look, store_x_last, false},
    {"late", wait_not_long, store_x, false},
    {"try", try_to_lock, lock, false},
    {"try-in-vain", try_to_lock, lock_and_wait, false},
    {"each-other", wait_for_x, wait_for_y, false},
    {"each-other-not", wait_for_x, store_and_wait_for_y, false},
    {"patient", wait_long, wait_for_y, false},
    {"message", receive, send_relaxed, false},
    {"message-not", receive, store_x_last, false},
    {"timed", wait, store_after_a_time, false},
    {"time", store_by_time, assume_x, false},
};

static int run(const struct program *program) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, program->one, NULL);
  if (program->other)
    pthread_create(&threads[1], NULL, program->other, NULL);
  if (program->exits)
    return 0;
  pthread_join(threads[0], NULL);
  if (program->other)
    pthread_join(threads[1], NULL);
  return 0;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1]) == 0)
      return run(&programs[i]);
  return 2;
}
