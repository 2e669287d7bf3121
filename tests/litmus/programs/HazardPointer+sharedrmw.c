// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HazardPointer+sharedrmw: hazard pointers with an acq_rel read-modify-write of one counter of all
// threads
//   in place of the fences.
// Verdict: robust (0/35)
// Why: the later of the two reads from the earlier one, and acquires what came before it.
// Twin: HazardPointer+rmw

#include "litmus.h"

#include <stdatomic.h>

struct node {
  int value;
};

struct shared {
  struct node nodes[2];
  _Atomic(struct node *) head, hazard;
  atomic_uint sync;
  struct node *used; // validated by the reader
  int freed;         // the scan has not found the old node
};

static void init(void *shared) {
  struct shared *s = shared;
  atomic_init(&s->head, &s->nodes[0]);
}

static void sync_thread(struct shared *s, int self) {
  (void)self;
  atomic_fetch_add_explicit(&s->sync, 1, memory_order_acq_rel);
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
};
