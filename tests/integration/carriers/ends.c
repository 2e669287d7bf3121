// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs (pair.h) that are ordered by pthread_cancel, or by a call that ends the process: a thread
// does something before the call, and the cancelled thread, or a handler at the end, comes after
// it.

#define _GNU_SOURCE
#include <sched.h>
#include <semaphore.h>

#include "pair.h"

static pthread_t victim;
static sem_t ready;
static volatile int found;

static void look(void *unused) {
  found = data;
  (void)unused;
}

static void *sleep_on(void *unused) {
  pthread_cleanup_push(look, NULL);
  sem_post(&ready);
  for (;;)
    pause();
  pthread_cleanup_pop(0);
  return unused;
}

static void *ask_often(void *unused) {
  pthread_cleanup_push(look, NULL);
  sem_post(&ready);
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
  pthread_cleanup_pop(0);
  return unused;
}

static void make_victim(void *(*run)(void *)) {
  sem_init(&ready, 0, 0);
  pthread_create(&victim, NULL, run, NULL);
  sem_wait(&ready);
}

static void make_sleeper(void) {
  make_victim(sleep_on);
}

static void make_asker(void) {
  make_victim(ask_often);
}

static void cancel_victim(void) {
  pthread_cancel(victim);
}

static void join_victim(void) {
  pthread_join(victim, NULL);
}

static void look_at_end(void) {
  look(NULL);
}

static void wish_for_end(void) {
  at_quick_exit(look_at_end);
  atomic_store_explicit(&flag[0], 1, memory_order_relaxed);
}

static void end_quickly(void) {
  while (!atomic_load_explicit(&flag[0], memory_order_relaxed))
    sched_yield();
  quick_exit(0);
}

const struct carrier carriers[] = {
    {"cancelled", make_sleeper, cancel_victim, join_victim, NULL},
    {"cancelled-testcancel", make_asker, cancel_victim, join_victim, NULL},
    {"quick_exit", NULL, wish_for_end, end_quickly, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
