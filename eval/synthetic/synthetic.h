// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of this folder share. Each is one algorithm in two versions: as it is, and with
// -DWEAKENED. Its head says why the first is robust and what the second leaves out.
//
//   PROGRAM THREADS ROUNDS    exit status 0, 1 if the program's own check fails, 2 for wrong use
//
// Data that the algorithms protect is accessed atomically and relaxed. So a version that orders too
// weakly has no data race, and a tool that knows data races alone has nothing to say about it.

#ifndef RSAN_EVAL_SYNTHETIC_H
#define RSAN_EVAL_SYNTHETIC_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define LOAD(x, order)     atomic_load_explicit(&(x), memory_order_##order)
#define STORE(x, v, order) atomic_store_explicit(&(x), (v), memory_order_##order)
#define ADD(x, v, order)   atomic_fetch_add_explicit(&(x), (v), memory_order_##order)
#define SC_FENCE()         atomic_thread_fence(memory_order_seq_cst)

// Blocks until x == value; until it is another, which becomes `found`. GCC does not say that a loop
// waits, so that it has to be told.
#if defined(__SANITIZE_ROBUSTNESS__) && !defined(__clang__)
#include "rsan.h"
#define AWAIT(x, value, order) rsan_wait(&(x), value, memory_order_##order)
#define AWAIT_OTHER(found, x, value, order)                                                        \
  (found) = rsan_wait_value(&(x), RSAN_NE, 0, value, memory_order_##order)
#else
#define AWAIT(x, value, order)                                                                     \
  while (LOAD(x, order) != (value))                                                                \
  sched_yield()
#define AWAIT_OTHER(found, x, value, order)                                                        \
  while (((found) = LOAD(x, order)) == (value))                                                    \
  sched_yield()
#endif

// The fence that makes a version robust.
#ifdef WEAKENED
#define FENCE() ((void)0)
#else
#define FENCE() SC_FENCE()
#endif

enum { MAX_THREADS = 16, MAX_ROUNDS = 10000 };

static int threads, rounds;

struct program {
  int least, most; // threads
  void (*thread)(int self);
  int (*right)(void); // after all threads have ended
};

static pthread_barrier_t all_are_here;
static const struct program *running;

static void *run_thread(void *self) {
#ifndef ALL_SCHEDULES // or the order of their arrival would be explored
  pthread_barrier_wait(&all_are_here);
#endif
  running->thread((int)(size_t)self);
  return NULL;
}

// What a thread finds out for itself, for right() to look at: shared with nobody, so that the
// bookkeeping orders nothing.
static struct {
  _Alignas(64) long sum; // of what it has received
  int wrong;             // results that cannot be
} own[MAX_THREADS];

static inline int none_wrong(void) {
  for (int i = 0; i < threads; i++)
    if (own[i].wrong)
      return 0;
  return 1;
}

// Has each of the numbers 1 to `count` come once? (By their sum.)
static inline int all_came(long count) {
  long sum = 0;
  for (int i = 0; i < threads; i++)
    sum += own[i].sum;
  return sum == count * (count + 1) / 2;
}

// Protected data: each critical section of a lock calls visit() once.
static atomic_int visits;
static inline void visit(void) {
  STORE(visits, LOAD(visits, relaxed) + 1, relaxed);
}
static inline int all_visits_counted(void) {
  return LOAD(visits, relaxed) == threads * rounds;
}

static int run(const struct program *program, int argc, char **argv) {
  pthread_t thread[MAX_THREADS];
  threads = argc == 3 ? atoi(argv[1]) : 0;
  rounds = argc == 3 ? atoi(argv[2]) : 0;
  if (threads < program->least || threads > program->most || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "usage: %s THREADS ROUNDS   (%d to %d threads, 1 to %d rounds)\n", argv[0],
            program->least, program->most, MAX_ROUNDS);
    return 2;
  }
  running = program;
  pthread_barrier_init(&all_are_here, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++)
    if (pthread_create(&thread[i], NULL, run_thread, (void *)(size_t)i) != 0) {
      perror("pthread_create");
      return 2;
    }
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  if (program->right())
    return 0;
  fprintf(stderr, "%s: the result is wrong\n", argv[0]);
  return 1;
}

#endif
