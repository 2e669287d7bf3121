// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mellor-Crummey and Scott's lock: a queue of nodes, each thread spins on its own. Too weak: who
// unlocks hands over relaxed.

#include "weak.h"

enum { ROUNDS = 10 };

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

static _Atomic(struct node *) tail;
static int data;

static void lock(struct node *own) {
  STORE(own->next, NULL, relaxed);
  STORE(own->waits, 1, relaxed);
  struct node *before = atomic_exchange_explicit(&tail, own, memory_order_acq_rel);
  if (!before)
    return;
  STORE(before->next, own, release);
  while (LOAD(own->waits, acquire))
    sched_yield();
}

static void unlock(struct node *own) {
  struct node *next = LOAD(own->next, acquire);
  if (!next) {
    struct node *expected = own;
    if (CAS(tail, &expected, NULL, acq_rel, relaxed))
      return;
    while (!(next = LOAD(own->next, acquire)))
      sched_yield();
  }
  STORE(next->waits, 0, relaxed);
}

static void *thread(void *self) {
  static struct node nodes[2];
  for (int i = 0; i < ROUNDS; i++) {
    lock(&nodes[(intptr_t)self]);
    data = data + 1;
    unlock(&nodes[(intptr_t)self]);
  }
  return NULL;
}

int main(void) {
  run_threads(2, thread);
  return data != 2 * ROUNDS;
}
