// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// counting NAME N: programs of which it is known how many classes of schedules they have, as tests
// of rsan_check().
//
//   writers N    N threads write an object, one reads it: (N + 1)!
//   readers N    N threads read an object, one writes it: 2 to the power of N
//   adders N     N threads add to an object: N!
//   lastzero N   N threads fill an array, each from its neighbour, one looks for the last zero:
//                64 for N = 5 (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014)
//   buffers N    store buffering of N threads in a ring: 2 to the power of N, less one
//
// setup() writes by memset, as an atomic object may be initialised in any way.

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rsan.h"

enum { MOST = 16 };

static atomic_int x, array[MOST];
static int count, found[MOST];

static void set_up(void *unused) {
  (void)unused;
  memset((void *)&x, 0, sizeof x);
  memset((void *)array, 0, sizeof array);
}
static bool holds(void *unused) {
  (void)unused;
  return true;
}

static void write_x(int number) {
  atomic_store_explicit(&x, number, memory_order_release);
}
static void read_x(int number) {
  found[number] = atomic_load_explicit(&x, memory_order_acquire);
}
static void add(int number) {
  (void)number;
  atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
}
static void find_last_zero(int number) {
  int at = count;
  while (atomic_load(&array[at]) != 0)
    at--;
  found[number] = at;
}
static void fill(int number) {
  atomic_store(&array[number], atomic_load(&array[number - 1]) + 1);
}
static void buffer(int number) {
  atomic_store(&array[number], 1);
  found[number] = atomic_load(&array[(number + 1) % count]);
}

// The thread 0, where it is another one than those from 1 on.
static const struct program {
  const char *name;
  void (*first)(int), (*others)(int);
} programs[] =
    {
        {"writers", read_x, write_x},       {"readers", write_x, read_x}, {"adders", NULL, add},
        {"lastzero", find_last_zero, fill}, {"buffers", NULL, buffer},
},
  *program;

#define THREAD(n)                                                                                  \
  static void run_##n(void *unused) {                                                              \
    (void)unused;                                                                                  \
    ((n) == 0 && program->first ? program->first : program->others)(n);                            \
  }
#define THREADS(X)                                                                                 \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
THREADS(THREAD)
#define NAME(n) run_##n,

int main(int argc, char **argv) {
  static void (*const threads[])(void *) = {THREADS(NAME)};
  for (size_t i = 0; argc == 3 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1]) == 0)
      program = &programs[i];
  count = program ? atoi(argv[2]) : 0;
  if (count < 1 || count >= MOST) {
    fputs("usage: counting NAME N\n", stderr);
    return 2;
  }
  return rsan_check(set_up, (unsigned)(count + !!program->first), threads, holds, NULL);
}
