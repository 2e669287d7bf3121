// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HazardPointer+rmw: hazard pointers as libcds 2.3.3 has them (cds/gc/hp.h): each thread's
//   acq_rel read-modify-write of a counter of its own stands where a fence is needed.
// Verdict: not robust (2/35)
// Why: nobody else accesses that counter, so it orders nothing between the threads: the scan may
//   miss the hazard pointer while the second look misses the removal, and a node in use is freed.
// Twin: HazardPointer+fences

#include "litmus.h"

#include <stdatomic.h>

struct node {
  int value;
};

struct shared {
  struct node nodes[2];
  _Atomic(struct node *) head, hazard;
  atomic_uint sync[2]; // thread_data::sync_
  struct node *used;   // validated by the reader
  int freed;           // the scan has not found the old node
};

static void init(void *shared) {
  struct shared *s = shared;
  atomic_init(&s->head, &s->nodes[0]);
}

static void sync_thread(struct shared *s, int self) {
  atomic_fetch_add_explicit(&s->sync[self], 1, memory_order_acq_rel);
}

// Guard::protect, one turn of its loop.
static void thread_0(void *shared) {
  struct shared *s = shared;
  step();
  struct node *seen = atomic_load_explicit(&s->head, memory_order_relaxed);
  step();
  atomic_store_explicit(&s->hazard, seen, memory_order_release);
  step();
  sync_thread(s, 0);
  step();
  if (atomic_load_explicit(&s->head, memory_order_acquire) == seen)
    s->used = seen;
}

// A removal, and the scan that follows it.
static void thread_1(void *shared) {
  struct shared *s = shared;
  struct node *old = &s->nodes[0];
  step();
  atomic_compare_exchange_strong_explicit(&s->head, &old, &s->nodes[1], memory_order_acquire,
                                          memory_order_relaxed);
  step();
  sync_thread(s, 1);
  step();
  s->freed = atomic_load_explicit(&s->hazard, memory_order_acquire) != old;
}

static int weak(const void *shared) {
  const struct shared *s = shared;
  return s->used == &s->nodes[0] && s->freed;
}

const struct litmus litmus_program = {
    .size = sizeof(struct shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .weak = weak,
    .flagged = "0000111 0111000",
};
