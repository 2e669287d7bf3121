// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many rounds of a small concurrent program in one run, so that about every run takes an
// interleaving that shows what is wrong. The threads meet before each round, which orders the
// rounds and nothing within one, and start it in varying orders.

#ifndef RSAN_TESTS_REPAIR_ROUNDS_H
#define RSAN_TESTS_REPAIR_ROUNDS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sched_setaffinity
#endif

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

// What -DREPAIRED puts where the program lacks something.
#ifdef REPAIRED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

// The compiler may not make one piece of code of two, which would be no line's.
#define APART __attribute__((noinline))

enum { ROUNDS = 500, MAX_THREADS = 4 };

struct rounds_thread {
  pthread_t thread;
  int number;
  void (*act)(int thread, int round);
  pthread_barrier_t *meetings; // in turns: who leaves late learns nothing from who is there again
};

// Lets the others go first, now and then.
static void yield_at_random(int thread, int round) {
  unsigned random = (unsigned)(round * MAX_THREADS + thread + 1) * 2654435761u;
  for (random >>= 30; random; random--)
    sched_yield();
}

static void *rounds_thread(void *argument) {
  struct rounds_thread *self = (struct rounds_thread *)argument;
  for (int round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&self->meetings[round % 2]);
    yield_at_random(self->number, round);
    self->act(self->number, round);
  }
  return NULL;
}

// One processor for all threads: so it is their yields that decide who comes when, and one run is
// much like another. With several the threads begin as their processors wake up, one after the
// other, and may never meet.
static void share_a_processor(void) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    abort();
  int first = 0;
  while (!CPU_ISSET(first, &allowed))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    abort();
}

static void run_rounds(int threads, void (*act)(int thread, int round)) {
  struct rounds_thread all[MAX_THREADS];
  pthread_barrier_t meetings[2];
  share_a_processor();
  for (int i = 0; i < 2; i++)
    if (pthread_barrier_init(&meetings[i], NULL, (unsigned)threads) != 0)
      abort();
  for (int i = 0; i < threads; i++) {
    all[i].number = i;
    all[i].act = act;
    all[i].meetings = meetings;
    if (pthread_create(&all[i].thread, NULL, rounds_thread, &all[i]) != 0)
      abort();
  }
  for (int i = 0; i < threads; i++)
    pthread_join(all[i].thread, NULL);
  for (int i = 0; i < 2; i++)
    pthread_barrier_destroy(&meetings[i]);
}

// The program's own check: an outcome that no sequentially consistent run has.
static void check(int right, const char *what, int round) {
  if (right)
    return;
  fprintf(stderr, "round %d: %s\n", round, what);
  exit(1);
}

#endif
