// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// units TEST SECONDS: calls rsan_check() on a litmus test again and again, and prints how many
// executions that were, in how many seconds of processor time, as a line of JSON.

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rsan.h"

static atomic_int x, y;
static int seen[4];
static unsigned long executions;

static void setup(void *unused) {
  (void)unused;
  executions++;
  atomic_store_explicit(&x, 0, memory_order_relaxed);
  atomic_store_explicit(&y, 0, memory_order_relaxed);
}
static bool holds(void *unused) {
  (void)unused;
  return true;
}

static void store_x(void *unused) {
  (void)unused;
  atomic_store(&x, 1);
}
static void store_y(void *unused) {
  (void)unused;
  atomic_store(&y, 1);
}
static void store_x_load_y(void *unused) {
  store_x(unused);
  seen[0] = atomic_load(&y);
}
static void store_y_load_x(void *unused) {
  store_y(unused);
  seen[1] = atomic_load(&x);
}
static void store_both(void *unused) {
  store_x(unused);
  store_y(unused);
}
static void load_y_x(void *unused) {
  (void)unused;
  seen[0] = atomic_load(&y);
  seen[1] = atomic_load(&x);
}
static void load_x_y(void *unused) {
  (void)unused;
  seen[2] = atomic_load(&x);
  seen[3] = atomic_load(&y);
}

static const struct test {
  const char *name;
  unsigned threads;
  void (*thread[4])(void *);
} tests[] = {
    {"SB", 2, {store_x_load_y, store_y_load_x}},
    {"MP", 2, {store_both, load_y_x}},
    {"IRIW", 4, {store_x, store_y, load_x_y, load_y_x}},
};

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int measure(const struct test *test, double seconds) {
  rsan_check(setup, test->threads, test->thread, holds, NULL); // once before
  const unsigned long classes = executions;
  unsigned long calls = 0;
  executions = 0;
  const double begun = processor_time();
  double used = 0;
  for (; used < seconds; used = processor_time() - begun, calls++)
    if (rsan_check(setup, test->threads, test->thread, holds, NULL) != RSAN_CHECK_PROVED)
      return 1;
  printf(
      "{\"test\": \"%s\", \"threads\": %u, \"classes\": %lu, \"calls\": %lu, \"executions\": %lu, "
      "\"seconds\": %.3f}\n",
      test->name, test->threads, classes, calls, executions, used);
  return 0;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 3 && i < sizeof tests / sizeof *tests; i++)
    if (strcmp(tests[i].name, argv[1]) == 0)
      return measure(&tests[i], atof(argv[2]));
  fputs("usage: units SB|MP|IRIW SECONDS\n", stderr);
  return 2;
}
