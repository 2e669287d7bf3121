// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small tests with seq_cst fences, by name, as programs for `rsan check` and as tests of
// rsan_check(): do C++20's fences make a difference (docs/internals/FENCES.md)? What is said of
// each is in fence-cases.
//
//   fences check NAME   threads; it is explored by `rsan check`
//   fences unit NAME    rsan_check()

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "rsan.h"

#define LOAD(object)         atomic_load_explicit(&object, memory_order_relaxed)
#define STORE(object, value) atomic_store_explicit(&object, value, memory_order_relaxed)
#define FENCE()              atomic_thread_fence(memory_order_seq_cst)

static atomic_int v, w, x, y, z;
static int plain;
int last; // (of a static one that nobody reads the compiler leaves nothing)

// -- what comes before the first fence leads to what comes after the second --

static void write_z_then_x(void *unused) {
  (void)unused;
  STORE(z, 1);
  FENCE();
  STORE(x, 1);
}

static void write_plain_then_x(void *unused) {
  (void)unused;
  plain = 1;
  FENCE();
  STORE(x, 1);
}

static void add_to_z_then_x(void *unused) {
  (void)unused;
  atomic_fetch_add_explicit(&z, 1, memory_order_relaxed);
  FENCE();
  atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
}

static void read_z_after_y(void *unused) {
  (void)unused;
  if (LOAD(y) != 1)
    return;
  FENCE();
  last = LOAD(z);
}

static void write_z_after_y(void *unused) {
  (void)unused;
  if (LOAD(y) != 1)
    return;
  FENCE();
  STORE(z, 2);
}

static void exchange_z_after_y(void *unused) {
  int expected = 0;
  (void)unused;
  if (LOAD(y) != 1)
    return;
  FENCE();
  atomic_compare_exchange_strong_explicit(&z, &expected, 2, memory_order_relaxed,
                                          memory_order_relaxed);
}

static void read_plain_after_y(void *unused) {
  (void)unused;
  if (LOAD(y) != 1)
    return;
  FENCE();
  last = plain;
}

static void write_plain_after_y(void *unused) {
  (void)unused;
  if (LOAD(y) != 1)
    return;
  FENCE();
  plain = 2;
}

static void read_z_after_acquired_y(void *unused) {
  (void)unused;
  if (atomic_load_explicit(&y, memory_order_acquire) != 1)
    return;
  last = LOAD(z);
}

static void wait_for_y(void *unused) {
  (void)unused;
  while (!LOAD(y)) {
  }
  FENCE();
  last = LOAD(z);
}

// -- in the middle --

static void x_to_y(void *unused) {
  (void)unused;
  if (LOAD(x) == 1)
    STORE(y, 1);
}

static void x_to_y_by_rmw(void *unused) {
  (void)unused;
  if (atomic_fetch_add_explicit(&x, 0, memory_order_relaxed) == 1)
    atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
}

static void x_to_y_synchronised(void *unused) {
  (void)unused;
  if (atomic_load_explicit(&x, memory_order_acquire) == 1)
    atomic_store_explicit(&y, 1, memory_order_release);
}

static void x_to_y_acquired(void *unused) {
  (void)unused;
  if (atomic_load_explicit(&x, memory_order_acquire) == 1)
    STORE(y, 1);
}

static void x_to_y_fenced(void *unused) {
  (void)unused;
  if (LOAD(x) != 1)
    return;
  FENCE();
  STORE(y, 1);
}

static void x_to_y_seq_cst(void *unused) {
  (void)unused;
  if (atomic_load(&x) == 1)
    atomic_store(&y, 1);
}

static void x_to_w(void *unused) {
  (void)unused;
  if (LOAD(x) == 1)
    STORE(w, 1);
}

static void w_to_y(void *unused) {
  (void)unused;
  if (LOAD(w) == 1)
    STORE(y, 1);
}

static void wait_for_x(void *unused) {
  (void)unused;
  while (!LOAD(x)) {
  }
  STORE(y, 1);
}

// -- known shapes --

static void x_then_y(void *unused) {
  (void)unused;
  STORE(x, 1);
  FENCE();
  STORE(w, LOAD(y));
}

static void y_then_x(void *unused) {
  (void)unused;
  STORE(y, 1);
  FENCE();
  STORE(v, LOAD(x));
}

static void y_then_x_unfenced(void *unused) {
  (void)unused;
  STORE(y, 1);
  STORE(v, LOAD(x));
}

static void enter_first(void *unused) {
  (void)unused;
  STORE(x, 1);
  FENCE();
  if (!LOAD(y))
    plain++;
}

static void enter_second(void *unused) {
  (void)unused;
  STORE(y, 1);
  FENCE();
  if (!LOAD(x))
    plain++;
}

static void send(void *unused) {
  (void)unused;
  plain = 1;
  STORE(z, 1);
  FENCE();
  STORE(x, 1);
}

static void receive(void *unused) {
  (void)unused;
  if (LOAD(x) != 1)
    return;
  FENCE();
  last = plain + LOAD(z);
}

static void set_x(void *unused) {
  (void)unused;
  STORE(x, 1);
}

static void set_y(void *unused) {
  (void)unused;
  STORE(y, 1);
}

static void x_before_y(void *unused) {
  (void)unused;
  int one = LOAD(x);
  FENCE();
  STORE(v, one + LOAD(y));
}

static void y_before_x(void *unused) {
  (void)unused;
  int one = LOAD(y);
  FENCE();
  STORE(w, one + LOAD(x));
}

// A hazard pointer: z is 0 as long as `plain` may be reached, x is 1 where it is protected.
static void protect(void *unused) {
  (void)unused;
  if (LOAD(z))
    return;
  STORE(x, 1);
  FENCE();
  if (!LOAD(z))
    last = plain;
  atomic_store_explicit(&x, 0, memory_order_release);
}

static void retire(void *unused) {
  (void)unused;
  STORE(z, 1);
  FENCE();
  if (atomic_load_explicit(&x, memory_order_acquire) != 1)
    plain = 2;
}

enum { MOST = 4 };
typedef void (*function)(void *);
static const struct test {
  const char *name;
  function threads[MOST];
} tests[] = {
    {"chain", {read_z_after_y, write_z_then_x, x_to_y}},
    {"chain-write", {write_z_after_y, write_z_then_x, x_to_y}},
    {"chain-exchange", {exchange_z_after_y, write_z_then_x, x_to_y}},
    {"chain-rmw", {read_z_after_y, add_to_z_then_x, x_to_y_by_rmw}},
    {"chain-longer", {read_z_after_y, write_z_then_x, x_to_w, w_to_y}},
    {"chain-waits", {wait_for_y, write_z_then_x, wait_for_x}},
    {"chain-race", {read_plain_after_y, write_plain_then_x, x_to_y}},
    {"chain-race-write", {write_plain_after_y, write_plain_then_x, x_to_y}},
    {"chain-half", {read_z_after_y, write_z_then_x, x_to_y_acquired}},
    {"chain-synchronised", {read_z_after_y, write_z_then_x, x_to_y_synchronised}},
    {"chain-fenced", {read_z_after_y, write_z_then_x, x_to_y_fenced}},
    {"chain-seq_cst", {read_z_after_y, write_z_then_x, x_to_y_seq_cst}},
    {"chain-acquired", {read_z_after_acquired_y, write_z_then_x, x_to_y_synchronised}},
    {"chain-race-synchronised", {read_plain_after_y, write_plain_then_x, x_to_y_synchronised}},
    {"chain-race-fenced", {write_plain_after_y, write_plain_then_x, x_to_y_fenced}},
    {"buffers", {x_then_y, y_then_x}},
    {"buffers-half", {x_then_y, y_then_x_unfenced}},
    {"dekker", {enter_first, enter_second}},
    {"message", {send, receive}},
    {"iriw", {set_x, set_y, x_before_y, y_before_x}},
    {"hazard", {protect, retire}},
};

static void set_up(void *unused) {
  (void)unused;
  STORE(v, 0);
  STORE(w, 0);
  STORE(x, 0);
  STORE(y, 0);
  STORE(z, 0);
  plain = last = 0;
}

static bool holds(void *unused) {
  (void)unused;
  return true;
}

static void *begin(void *test_thread) {
  (*(const function *)test_thread)(NULL);
  return NULL;
}

static int run(const struct test *test, size_t count) {
  pthread_t threads[MOST];
  for (size_t i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, begin, (void *)&test->threads[i]);
  for (size_t i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 2 && i < sizeof tests / sizeof *tests; i++) {
    size_t count = 0;
    while (count < MOST && tests[i].threads[count])
      count++;
    if (strcmp(tests[i].name, argv[2]) != 0)
      continue;
    if (strcmp(argv[1], "check") == 0)
      return run(&tests[i], count);
    return rsan_check(set_up, (unsigned)count, tests[i].threads, holds, NULL);
  }
  return 2;
}
