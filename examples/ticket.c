// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ticket lock. It is robust, because the loop only waits for its turn: reading an older value
// waits longer. rsan-clang sees that; rsan-gcc judges each read of the loop (docs/guide/GCC.md).

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int next, served;
static int counted; // which the lock protects

static void *count(void *arg) {
  for (int i = 0; i < 100; i++) {
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&served, memory_order_acquire) != mine)
      sched_yield();
    counted++;
    atomic_store_explicit(&served, mine + 1, memory_order_release);
  }
  return arg;
}

int main(void) {
  pthread_t t1, t2;
  if (pthread_create(&t1, NULL, count, NULL) || pthread_create(&t2, NULL, count, NULL))
    return 2;
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  return counted != 200;
}
