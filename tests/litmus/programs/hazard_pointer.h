// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hazard pointers as in libcds 2.3.3 (cds/gc/hp.h), for the programs HazardPointer+*: what stands
// in protect (self: 0) and before the scan (1) is theirs, sync_thread.

#ifndef RSAN_TESTS_LITMUS_HAZARD_POINTER_H
#define RSAN_TESTS_LITMUS_HAZARD_POINTER_H

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

static void sync_thread(struct shared *s, int self);

static void init(void *shared) {
  struct shared *s = shared;
  atomic_init(&s->head, &s->nodes[0]);
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

#define HAZARD_POINTER_PROGRAM                                                                     \
  .size = sizeof(struct shared), .threads = 2, .thread = {thread_0, thread_1}, .init = init,       \
  .weak = weak

#endif
