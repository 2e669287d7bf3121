// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// robustness=0: objects that nobody has released have no clock. A first release while another
// thread looks whether there is one is not missed: 300,000 flags, each used once, through an
// acquire load and through an acquire read-modify-write. Twin: relaxed, and with one flag, so that
// the two accesses are always close to each other.
//
// RUN: %rsan_clang -fsanitize=robustness -mllvm -rsan-spin-loops=0 -g -O1 %s -o %t
// RUN: env RSAN_OPTIONS=robustness=0 %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: env RSAN_OPTIONS=robustness=0 %t add 2>&1 | FileCheck %s --implicit-check-not=WARNING
// RUN: %rsan_clang -fsanitize=robustness -mllvm -rsan-spin-loops=0 -g -O1 -DACQUIRE=__ATOMIC_RELAXED -DFLAGS=1 %s -o %t-relaxed
// RUN: not env RSAN_OPTIONS=robustness=0:halt_on_error=1 %t-relaxed 2>&1 | FileCheck %s --check-prefix=RELAXED
// RUN: not env RSAN_OPTIONS=robustness=0:halt_on_error=1 %t-relaxed add 2>&1 | FileCheck %s --check-prefix=RELAXED
// CHECK: sum 300000
// RELAXED: WARNING: ThreadSanitizer: data race

#include <pthread.h>
#include <stdio.h>

#ifndef ACQUIRE
#define ACQUIRE __ATOMIC_ACQUIRE
#endif

#ifndef FLAGS
#define FLAGS 300000
#endif

static struct {
  int flag, data;
} cells[FLAGS];

static void *writer(void *unused) {
  (void)unused;
  for (int i = 0; i < FLAGS; i++) {
    cells[i].data = 1;
    __atomic_store_n(&cells[i].flag, 1, __ATOMIC_RELEASE);
  }
  return NULL;
}

static int look(int i, int adds) {
  return adds ? __atomic_fetch_add(&cells[i].flag, 0, ACQUIRE)
              : __atomic_load_n(&cells[i].flag, ACQUIRE);
}

int main(int argc, char **argv) {
  (void)argv;
  pthread_t thread;
  int sum = 0;
  pthread_create(&thread, NULL, writer, NULL);
  for (int i = 0; i < FLAGS; i++) {
    while (!look(i, argc > 1))
      ;
    sum += cells[i].data;
  }
  pthread_join(thread, NULL);
  printf("sum %d\n", sum);
  return 0;
}
