// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hazard pointers: a reader publishes the node it is about to use, then checks that the node is
// still the current one. The thread that replaces the node frees the old one only if no reader has
// published it. Defect: no StoreLoad fence between publication and check: the reclaimer may miss
// the publication and free a node that the reader has found valid.
//
// Verdict: robustness violation, exit code 66. Repaired in hazard_pointer_repaired.c.
//  rsan-clang -fsanitize=robustness -g -O1 examples/hazard_pointer.c -o hazard && ./hazard

#include "stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
  int value;
} node;

static _Atomic(node *) current;
static _Atomic(node *) hazard; // what the reader uses: one reader, one hazard pointer
static node *retired;          // replaced while in use: freed at the end

static node *new_node(int value) {
  node *n = (node *)malloc(sizeof *n);
  if (!n)
    abort();
  n->value = value;
  return n;
}

// The current node; it stays allocated until unprotect().
static node *protect(void) {
  for (;;) {
    node *n = atomic_load_explicit(&current, memory_order_acquire);
    atomic_store_explicit(&hazard, n, memory_order_release);
    if (atomic_load_explicit(&current, memory_order_acquire) == n)
      return n;
  }
}

static void unprotect(void) {
  atomic_store_explicit(&hazard, (node *)NULL, memory_order_release);
}

static void replace(node *fresh) {
  node *old = atomic_exchange_explicit(&current, fresh, memory_order_acq_rel);
  if (atomic_load_explicit(&hazard, memory_order_acquire) == old)
    retired = old;
  else
    free(old);
}

static void *reader(void *sum) {
  node *n = protect();
  stage_reach(1);
  stage_await(2);
  *(int *)sum += n->value;
  unprotect();
  return NULL;
}

static void *reclaimer(void *fresh) {
  stage_await(1);
  replace((node *)fresh);
  stage_reach(2);
  return NULL;
}

int main(void) {
  pthread_t t1, t2;
  int sum = 0;
  atomic_store_explicit(&current, new_node(1), memory_order_relaxed);
  if (pthread_create(&t1, NULL, reader, &sum) || pthread_create(&t2, NULL, reclaimer, new_node(2)))
    return 2;
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  free(retired);
  free(atomic_load_explicit(&current, memory_order_relaxed));
  return sum != 1 && sum != 2;
}
