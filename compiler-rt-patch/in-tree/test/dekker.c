// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In Dekker's algorithm both threads can enter if the accesses are release and acquire only. A
// seq_cst fence between the store and the load of each thread prevents that.
//
// RUN: %clang_rsan %s -o %t && not %run %t 2>&1 | FileCheck %s
// RUN: %clang_rsan -DFENCES %s -o %t.fences
// RUN: %run %t.fences 2>&1 | FileCheck %s --check-prefix=FENCES

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag[2], first_is_done;

static int enter(int me) {
  atomic_store_explicit(&flag[me], 1, memory_order_release);
#ifdef FENCES
  atomic_thread_fence(memory_order_seq_cst);
#endif
  return atomic_load_explicit(&flag[1 - me], memory_order_acquire) == 0;
}

static void *first(void *arg) {
  enter(0);
  atomic_store_explicit(&first_is_done, 1, memory_order_relaxed);
  return arg;
}

static void *second(void *arg) {
  while (!atomic_load_explicit(&first_is_done, memory_order_relaxed)) {
  }
  enter(1);
  return arg;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  fprintf(stderr, "DONE\n");
  return 0;
}

// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: may miss the atomic write of size 4
// CHECK: Suggested repair: atomic_thread_fence(memory_order_seq_cst)
// CHECK: SUMMARY: ThreadSanitizer: robustness violation {{.*}}dekker.c:{{.*}} in enter
// FENCES-NOT: ThreadSanitizer: robustness violation
// FENCES: DONE
