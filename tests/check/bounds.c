// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs with loops that end late or never, and with calls that block, by name: what
// `rsan check` says of them within its bounds is in bound-cases. With `unit` before the name the
// threads are those of a test of rsan_check().

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rsan.h"

static atomic_int x, y, lock;
static int plain, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// (An execution on fibers goes on beyond a bound, but nothing is said of what it finds there.)
static bool is_unit, has_failed;
static void fail(void) {
  if (!is_unit)
    abort();
  has_failed = true;
}

// -- loops that only read --

// Three turns, and out.
static void read_three_times(void) {
  for (int i = 0; i < 3; i++)
    if (atomic_load(&x) == 7)
      fail();
}
static int load_x(void) {
  return atomic_load(&x);
}
// (It is not inlined: one program point, however the loop is compiled.)
static int (*volatile look_at_x)(void) = load_x;
// It fails if it sees in the fourth one what the other one writes first.
static void fail_in_fourth_turn(void) {
  for (int turn = 1;; turn++) {
    if (look_at_x() != 0)
      return;
    if (turn == 4 && atomic_load_explicit(&y, memory_order_relaxed) == 1)
      fail();
  }
}
// The first object comes once, the other one again and again.
static void wait_at_second_object(void) {
  atomic_int *at = &y;
  while (atomic_load_explicit(at, memory_order_relaxed) == 0)
    at = &x;
}
static void write_y_x(void) {
  atomic_store(&y, 1);
  atomic_store(&x, 1);
}
static void write_x(void) {
  atomic_store(&x, 1);
}

// -- loops that write --

// It fails if it is told to stop after four writes.
static void fail_after_four_writes(void) {
  for (int i = 0;; i++) {
    if (atomic_load(&y) == 1) {
      if (i == 4)
        fail();
      return;
    }
    atomic_fetch_add(&x, 1);
  }
}
static void write_y(void) {
  atomic_store(&y, 1);
}
static __attribute__((noinline)) void add_here(int value) {
  atomic_fetch_add(&x, value);
}
static void add_from_three_places(void) {
  add_here(1);
  add_here(2);
  add_here(3);
}
static void add_for_ever(void) {
  for (;;)
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
}
// A lock that is tried by exchange; what waits may give up.
static void take_and_add(void) {
  do {
    if (rsan_choose(2)) {
      while (atomic_load_explicit(&lock, memory_order_relaxed) != 0)
        ;
      rsan_assume(0);
    }
  } while (atomic_exchange_explicit(&lock, 1, memory_order_acquire) != 0);
  plain++;
  atomic_store_explicit(&lock, 0, memory_order_release);
}
static void look_with_lock(void) {
  for (int is_done = 0; !is_done;) {
    pthread_mutex_lock(&mutex);
    is_done = done;
    pthread_mutex_unlock(&mutex);
  }
}
static void set_with_lock(void) {
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
}

// -- calls that block --

static void sleep_by_call(void) {
  const struct timespec long_time = {100, 0};
  atomic_store(&x, 1);
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &long_time, NULL);
}
static void read_from_nobody(void) {
  int ends[2];
  char byte;
  atomic_store(&x, 1);
  if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1)
    abort();
}
static void sleep_and_race(void) {
  plain = 1;
  sleep_by_call();
}
static void race(void) {
  plain = 2;
}

static const struct program {
  const char *name;
  void (*one)(void), (*other)(void);
} programs[] =
    {
        {"three-turns", read_three_times, write_x},
        {"fourth-turn", fail_in_fourth_turn, write_y_x},
        {"second-object", wait_at_second_object, write_x},
        {"four-writes", fail_after_four_writes, write_y},
        {"three-places", add_from_three_places, write_y},
        {"for-ever", add_for_ever, write_y},
        {"tries", take_and_add, take_and_add},
        {"looks", look_with_lock, set_with_lock},
        {"sleeps", sleep_by_call, write_y},
        {"reads", read_from_nobody, write_y},
        {"sleeps-and-races", sleep_and_race, race},
},
  *program;

static void set_up(void *unused) {
  (void)unused;
  x = y = lock = 0;
  plain = done = 0;
  has_failed = false;
}
static bool holds(void *unused) {
  (void)unused;
  return !has_failed;
}
static void run_one(void *unused) {
  (void)unused;
  program->one();
}
static void run_other(void *unused) {
  (void)unused;
  program->other();
}

static void *start_one(void *unused) {
  run_one(unused);
  return NULL;
}

int main(int argc, char **argv) {
  static void (*const threads[])(void *) = {run_one, run_other};
  for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[argc - 1]) == 0)
      program = &programs[i];
  if (!program) {
    fputs("usage: bounds [unit] NAME\n", stderr);
    return 2;
  }
  is_unit = argc > 2;
  if (is_unit)
    return rsan_check(set_up, 2, threads, holds, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, start_one, NULL) != 0)
    return 2;
  program->other();
  pthread_join(thread, NULL);
  return 0;
}
