// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MCS lock: each waits on its own node. Twin: a relaxed hand-over.
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DWEAK %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=WEAK
// CHECK: counted 600
// WEAK: WARNING: ThreadSanitizer: robustness violation

#include "Inputs/lock.h"

struct node {
  _Atomic(struct node *) next;
  atomic_int locked;
};
static struct node nodes[THREADS];
static _Atomic(struct node *) tail;

static void lock(int self) {
  struct node *mine = &nodes[self];
  atomic_store_explicit(&mine->next, 0, RLX);
  atomic_store_explicit(&mine->locked, 1, RLX);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (!before)
    return;
  atomic_store_explicit(&before->next, mine, memory_order_release);
  while (atomic_load_explicit(&mine->locked, ACQ))
    sched_yield();
}

static void unlock(int self) {
  struct node *mine = &nodes[self], *after;
  if (!atomic_load_explicit(&mine->next, ACQ)) {
    struct node *expected = mine;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, REL, RLX))
      return;
  }
  while (!(after = atomic_load_explicit(&mine->next, ACQ)))
    sched_yield();
  atomic_store_explicit(&after->locked, 0, REL);
}
