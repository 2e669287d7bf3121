// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few threads, over and over, each time on fresh objects; and in how many rounds a data race was
// reported. For RSan and for ThreadSanitizer. The tool sees nothing that orders the threads of a
// round but what the program itself does: what holds them back is not instrumented and makes no
// call that a runtime intercepts.

#ifndef RSAN_EVAL_RACES_ROUNDS_H
#define RSAN_EVAL_RACES_ROUNDS_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Not inlined: the attribute belongs to the function and would be lost with it.
#define UNSEEN __attribute__((noinline, unused, disable_sanitizer_instrumentation))

#define LOAD(x)     __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define STORE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define FENCE(o)    __atomic_thread_fence(__ATOMIC_##o)

// For data in a word of its own: TSan remembers four accesses of a word, whoever shares it.
#define APART _Alignas(8)

enum { MAX_ACTS = 8, TOGETHER = 0, IN_ORDER = 1 };

int __tsan_get_report_data(void *report, const char **type, int *count, int *stacks, int *accesses,
                           int *locations, int *mutexes, int *threads, int *tids, void **trace,
                           unsigned long trace_size);
void __tsan_on_report(void *report);
const char *__tsan_default_options(void);

// Every round is judged by itself.
UNSEEN const char *__tsan_default_options(void) {
  return "suppress_equal_stacks=0:symbolize=0:exitcode=0:atexit_sleep_ms=0";
}

static int races;

UNSEEN void __tsan_on_report(void *report) {
  const char *type = "";
  int count, stacks, accesses, locations, mutexes, threads, tids;
  void *trace[1];
  __tsan_get_report_data(report, &type, &count, &stacks, &accesses, &locations, &mutexes, &threads,
                         &tids, trace, 1);
  if (strcmp(type, "data-race") == 0)
    __atomic_fetch_add(&races, 1, __ATOMIC_RELAXED);
}

// The number of threads that may act: thread t once it is above t.
static int allowed;

UNSEEN static void await_turn(int t) {
  while (__atomic_load_n(&allowed, __ATOMIC_ACQUIRE) <= t)
    sched_yield();
}

UNSEEN static void allow(int threads) {
  __atomic_store_n(&allowed, threads, __ATOMIC_RELEASE);
}

UNSEEN static int races_so_far(void) {
  return __atomic_load_n(&races, __ATOMIC_RELAXED);
}

struct actor {
  void (*act)(void *objects);
  void *objects;
  int turn, in_order;
};

static void *run_actor(void *argument) {
  const struct actor *actor = (const struct actor *)argument;
  await_turn(actor->turn);
  actor->act(actor->objects);
  if (actor->in_order)
    allow(actor->turn + 2);
  return NULL;
}

// All threads exist before the first act begins, none is joined before the last one may begin.
static void run_round(int count, void (*const acts[])(void *), void *objects, int in_order) {
  struct actor actors[MAX_ACTS];
  pthread_t threads[MAX_ACTS];
  allow(0);
  for (int t = 0; t < count; t++) {
    actors[t] = (struct actor){acts[t], objects, t, in_order};
    if (pthread_create(&threads[t], NULL, run_actor, &actors[t]) != 0)
      exit(3);
  }
  allow(in_order ? 1 : count);
  for (int t = 0; t < count; t++)
    pthread_join(threads[t], NULL);
}

// Objects: `size` bytes, all 0, of each round's own. Returns what the program ends with.
static int run_rounds(int rounds, int count, void (*const acts[])(void *), size_t size,
                      int in_order) {
  int racy = 0;
  for (int round = 0; round < rounds; round++) {
    int before = races_so_far();
    void *objects = calloc(1, size);
    if (!objects)
      exit(3);
    run_round(count, acts, objects, in_order);
    racy += races_so_far() != before;
    free(objects);
  }
  printf("a data race in %d of %d rounds\n", racy, rounds);
  return 0;
}

// Arguments of every program: one of `count` variants, whose number is returned, and rounds.
static int choose(int argc, char **argv, int count, const char *const variants[], int *rounds) {
  *rounds = argc == 3 ? atoi(argv[2]) : 0;
  for (int i = 0; i < count && *rounds > 0; i++)
    if (strcmp(argv[1], variants[i]) == 0)
      return i;
  fprintf(stderr, "usage: %s VARIANT ROUNDS, where VARIANT is one of:", argv[0]);
  for (int i = 0; i < count; i++)
    fprintf(stderr, " %s", variants[i]);
  fputs("\n", stderr);
  exit(2);
}

#endif
