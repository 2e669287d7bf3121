// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that run at the same time access the same objects in all sizes, while these become one
// location and are freed: no value is taken for one that no access has left, and seq_cst accesses
// miss nothing. Relaxed ones do.
//
// RUN: %build -DORDER=__ATOMIC_SEQ_CST %s -o %t
// RUN: env RSAN_OPTIONS=stats=1 %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// CHECK: violations 0 {{.*}}
// CHECK: foreign_writes 0 {{.*}}
// CHECK: mixed_locations {{[1-9].*}}
// CHECK: mixed_accesses 0 {{.*}}
// RUN: %build -DORDER=__ATOMIC_RELAXED %s -o %t.relaxed
// RUN: env RSAN_OPTIONS=stats=1 %exits 66 %t.relaxed 2>&1 | FileCheck %s --check-prefix=RELAXED
// RELAXED: WARNING: ThreadSanitizer: robustness violation
// RELAXED: foreign_writes 0 {{.*}}
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { OBJECTS = 64, THREADS = 4, ACCESSES = 20000, ROUNDS = 3 };

union object {
  uint64_t doubles[2];
  uint32_t words[4];
  uint16_t halves[8];
  uint8_t bytes[16];
};

static union object *objects[OBJECTS];

static void access_one(union object *o, unsigned kind, unsigned at) {
  uint32_t expected = 5;
  if (kind == 0)
    __atomic_store_n(&o->doubles[at % 2], at, ORDER);
  else if (kind == 1)
    __atomic_store_n(&o->words[at % 4], at, ORDER);
  else if (kind == 2)
    __atomic_store_n(&o->halves[at % 8], (uint16_t)at, ORDER);
  else if (kind == 3)
    __atomic_store_n(&o->bytes[at % 16], (uint8_t)at, ORDER);
  else if (kind == 4)
    __atomic_load_n(&o->doubles[at % 2], ORDER);
  else if (kind == 5)
    __atomic_load_n(&o->words[at % 4], ORDER);
  else if (kind == 6)
    __atomic_load_n(&o->bytes[at % 16], ORDER);
  else if (kind == 7)
    __atomic_fetch_add(&o->halves[at % 8], 1, ORDER);
  else
    __atomic_compare_exchange_n(&o->words[at % 4], &expected, 7, 0, ORDER, ORDER);
}

static void *run(void *seed) {
  uint32_t state = (uint32_t)(uintptr_t)seed * 2654435761u;
  for (int i = 0; i < ACCESSES; i++) {
    state = state * 1664525u + 1013904223u;
    uint32_t drawn = state >> 8;
    access_one(objects[drawn % OBJECTS], drawn / OBJECTS % 9, drawn / OBJECTS / 9);
  }
  return NULL;
}

int main(void) {
  for (uintptr_t round = 0; round < ROUNDS; round++) {
    pthread_t threads[THREADS];
    for (int i = 0; i < OBJECTS; i++)
      objects[i] = calloc(1, sizeof(union object));
    for (uintptr_t i = 0; i < THREADS; i++)
      if (pthread_create(&threads[i], NULL, run, (void *)(round * THREADS + i + 1)))
        return 2;
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
    for (int i = 0; i < OBJECTS; i++)
      free(objects[i]);
  }
}
