// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of rsan.h, in a program that starts a worker and hands it work: what blocks, what is meant
// to be inexact, and what synchronises out of RSan's sight is said to it.
//
// Verdict: none, exit code 0. With -DUNANNOTATED the benign region is left out: robustness
// violation, exit code 66.
//  rsan-clang -fsanitize=robustness -g -O1 -Iinclude examples/annotations.c -o annotations &&
//  ./annotations

#include "stage.h"

#include <pthread.h>
#include <rsan.h>
#include <stdatomic.h>

enum state { STARTING, READY, FAILED };
enum { DATA = 1, CODE = 2, BOTH = DATA | CODE, LAST = 3 };

static _Atomic(enum state) state;
static atomic_uint loaded;      // bits: DATA, CODE
static atomic_uint head;        // number of the newest piece of work
static atomic_int lock;         // 1: taken
static atomic_int owner;        // of the result: who was first, 0 for nobody
static int done;                // protected by the lock
static atomic_int busy0, busy1; // hints, which may be missed
static int bell, message;       // rung by inline assembly
static int reported;            // violations that the callback has seen

// Called by the runtime.
RSAN_UNINSTRUMENTED static void on_violation(const struct rsan_violation_report *violation) {
  reported += violation->access.size > 0;
}
RSAN_ON_VIOLATION(on_violation);

// Each tells the other that it is busy, and looks. Both may miss it; then nobody waits, no harm. A
// report would name who calls.
RSAN_WRAPPER static int look(atomic_int *mine, atomic_int *other) {
#ifndef UNANNOTATED
  RSAN_BENIGN_SCOPE();
#endif
  atomic_store_explicit(mine, 1, memory_order_relaxed);
  return atomic_load_explicit(other, memory_order_relaxed);
}

// The same for a whole function, and by two calls.
RSAN_IGNORE static int glance(void) {
  return atomic_load_explicit(&busy0, memory_order_relaxed);
}

static int peep(void) {
  rsan_benign_begin();
  int found = atomic_load_explicit(&busy1, memory_order_relaxed);
  rsan_benign_end();
  return found;
}

// A doorbell that RSan cannot see, neither the ring nor the wait for it. x86 orders both.
static void ring(void) {
  message = 42;
  rsan_happens_before(&bell);
  __asm__ volatile("movl $1, %0" : "=m"(bell) : : "memory");
}

static int await_ring(void) {
  int rung;
  do
    __asm__ volatile("movl %1, %0" : "=r"(rung) : "m"(bell) : "memory");
  while (!rung);
  rsan_happens_after(&bell);
  return message;
}

static void add_done(int more) {
  rsan_bcas(&lock, 0, 1, memory_order_acquire);
  done += more;
  atomic_store_explicit(&lock, 0, memory_order_release);
}

// The first thread gets it. The compare-exchange is strong, and no loser cares which value it
// found.
static int claim(int self) {
  int nobody = 0;
  return rsan_strong_cas(&owner, &nobody, self, memory_order_acq_rel, memory_order_acquire);
}

static void *worker(void *claimed) {
  static const enum state settled[] = {READY, FAILED};
  stage_await(1);
  look(&busy1, &busy0);
  stage_reach(2);
  if (rsan_wait_any(&state, settled, 2, memory_order_acquire) == FAILED)
    return NULL;
  rsan_wait_until(&loaded, RSAN_EQ, BOTH, BOTH, memory_order_acquire);
  for (unsigned seen = 0; seen < LAST;) {
    unsigned newest = rsan_wait_value(&head, RSAN_GT_U, 0, seen, memory_order_acquire);
    add_done((int)(newest - seen));
    seen = newest;
  }
  *(int *)claimed += claim(2) + (await_ring() != 42) + (glance() != 1) + (peep() != 1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  int claims = 0, claimed = 0;
  rsan_track(&owner, 1);
  rsan_track(&owner, 2);
  if (pthread_create(&thread, NULL, worker, &claimed))
    return 2;
  look(&busy0, &busy1);
  stage_reach(1);
  stage_await(2);
  atomic_store_explicit(&state, READY, memory_order_release);
  atomic_fetch_or_explicit(&loaded, DATA, memory_order_release);
  atomic_fetch_or_explicit(&loaded, CODE, memory_order_release);
  for (unsigned i = 1; i <= LAST; i++)
    atomic_store_explicit(&head, i, memory_order_release);
  add_done(1);
  claims += claim(1);
  ring();
  rsan_wait(&owner, claims ? 1 : 2, memory_order_acquire);
  pthread_join(thread, NULL);
#ifdef __SANITIZE_ROBUSTNESS__
  if (!rsan_check_instrumented())
    return 3; // without the runtime
#endif
  if (reported || rsan_violation_count())
    return 4;
  return claims + claimed != 1 || done != LAST + 1;
}
