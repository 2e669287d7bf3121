// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that act one after another, so that every run takes the same interleaving. The sanitizer
// sees nothing that orders them: what passes the turn on is not instrumented and makes no call that
// a runtime intercepts.

#ifndef RSAN_TEST_TURNS_H
#define RSAN_TEST_TURNS_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

// Not inlined: the attribute belongs to the function and would be lost with it.
#define UNSEEN __attribute__((noinline, unused, disable_sanitizer_instrumentation))

enum { MAX_TURNS = 8 };

struct actor {
  int turn;
  void (*act)(void);
};

static int whose_turn;

UNSEEN static void pass_turn(int to) {
  __atomic_store_n(&whose_turn, to, __ATOMIC_RELEASE);
}

UNSEEN static void await_turn(int turn) {
  while (__atomic_load_n(&whose_turn, __ATOMIC_ACQUIRE) != turn)
    sched_yield();
}

__attribute__((unused)) static pthread_t start(void *(*run)(void *), void *arg) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, arg) != 0)
    exit(3);
  return thread;
}

static void *run_actor(void *arg) {
  struct actor *actor = (struct actor *)arg;
  await_turn(actor->turn);
  actor->act();
  pass_turn(actor->turn + 1);
  return NULL;
}

// Runs every act in a thread of its own. All threads exist before the first act begins, none is
// joined before the last one ends.
__attribute__((unused)) static void in_turn(int count, void (*const acts[])(void)) {
  struct actor actors[MAX_TURNS];
  pthread_t threads[MAX_TURNS];
  pass_turn(0);
  for (int i = 0; i < count; i++) {
    actors[i].turn = i + 1;
    actors[i].act = acts[i];
    threads[i] = start(run_actor, &actors[i]);
  }
  pass_turn(1);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

__attribute__((unused)) static void one_then_other(void (*one)(void), void (*other)(void)) {
  void (*const acts[])(void) = {one, other};
  in_turn(2, acts);
}

#endif
