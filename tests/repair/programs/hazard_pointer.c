// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hazard pointers: a reader publishes the node that it is about to use and looks whether it is
// still current; who replaces a node frees it unless it is published. The reclaimer may miss the
// publication, and the reader the replacement.
//
// Smallest repair: 2 fences, between publication and look, and between replacement and scan.

#include "rounds.h"

#include <stdatomic.h>

struct node {
  int value; // 0: freed
};

static struct node nodes[ROUNDS + 1];
static _Atomic(struct node *) current, hazard;

static struct node *protect(void) {
  for (;;) {
    struct node *n = atomic_load_explicit(&current, memory_order_acquire);
    atomic_store_explicit(&hazard, n, memory_order_release);
    FENCE();
    if (atomic_load_explicit(&current, memory_order_acquire) == n)
      return n;
  }
}

static void replace(struct node *fresh) {
  struct node *old = atomic_exchange_explicit(&current, fresh, memory_order_acq_rel);
  FENCE();
  if (atomic_load_explicit(&hazard, memory_order_acquire) != old)
    old->value = 0; // else it leaks
}

static void act(int thread, int round) {
  if (thread == 0) {
    check(protect()->value != 0, "a node in use was freed", round);
    atomic_store_explicit(&hazard, (struct node *)NULL, memory_order_release);
  } else {
    nodes[round + 1].value = 1;
    replace(&nodes[round + 1]);
  }
}

int main(void) {
  nodes[0].value = 1;
  atomic_init(&current, &nodes[0]);
  run_rounds(2, act);
}
