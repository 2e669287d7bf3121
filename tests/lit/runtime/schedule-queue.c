// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect that needs ten elements in a queue: the way that is taken then lacks its fences. Where
// each step may be another thread's the queue stays short, since to get takes fewer steps than to
// put; a policy that lets threads run on meets it.
//
// RUN: %build %s -o %t
// RUN: sh %S/Inputs/seeds 50 schedule=mix %t | FileCheck %s --check-prefix=FOUND
// RUN: sh %S/Inputs/seeds 50 schedule=random:switch=100 %t | FileCheck %s --check-prefix=MISSED
// FOUND: {{^}}reports with {{[1-9][0-9]*}} of 50 seeds
// MISSED: {{^}}reports with 0 of 50 seeds

#include <stdatomic.h>

#include "two-threads.h"

enum { VALUES = 200, ROOM = 16, MANY = 10, STEPS = 6 };

static atomic_int slots[ROOM], head, tail, work;
static atomic_int is_full, is_waiting; // of the way that is taken with many elements

static void *put(void *unused) {
  for (int i = 0; i < VALUES; i++) {
    for (int step = 0; step < STEPS; step++)
      atomic_fetch_add(&work, 1);
    while (i - atomic_load(&head) >= ROOM) {
    }
    if (i - atomic_load(&head) >= MANY) {
      atomic_store_explicit(&is_full, i, memory_order_relaxed);
      (void)atomic_load_explicit(&is_waiting, memory_order_relaxed);
    }
    atomic_store(&slots[i % ROOM], i);
    atomic_store(&tail, i + 1);
  }
  return unused;
}

static void *get(void *unused) {
  for (int i = 0; i < VALUES; i++) {
    while (atomic_load(&tail) == i) {
    }
    if (atomic_load(&tail) - i >= MANY) {
      atomic_store_explicit(&is_waiting, i, memory_order_relaxed);
      (void)atomic_load_explicit(&is_full, memory_order_relaxed);
    }
    (void)atomic_load(&slots[i % ROOM]);
    atomic_store(&head, i + 1);
  }
  return unused;
}

int main() {
  run(put, get, NULL);
}
