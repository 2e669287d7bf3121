// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More program points than are remembered, reached by several threads at once: they are looked up
// again, which is counted, and each has its repair each time.
//
// RUN: %build %s -o %t
// RUN: printf 'fence-before simulate-many.c:30\n' > %t.rules
// RUN: env RSAN_OPTIONS=simulate=%t.rules:stats=1 %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// CHECK: unmatched 0 {{[a-z]+ .*}}
// CHECK-NEXT: simulated_fences 80000 {{[a-z]+ .*}}
// CHECK-NEXT: simulated_orders 0 {{[a-z]+ .*}}
// CHECK-NEXT: forgotten_points {{[1-9][0-9]*}} {{[a-z]+ .*}}

#include "access.h"
#include "turns.h"

enum { THREADS = 4 };
int x; // not static: nobody writes it

#define TEN_LOADS                                                                                  \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);                                                                                         \
  LOAD(x);
#define TEN(x)      x x x x x x x x x x
#define HUNDRED(x)  TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x)
#define THOUSAND(x) HUNDRED(x x x x x) HUNDRED(x x x x x)

static void access_all(void) {
#line 30
  THOUSAND(TEN_LOADS TEN_LOADS)
}

static void *run(void *unused) {
  access_all();
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    threads[i] = start(run, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}
