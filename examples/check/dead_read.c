// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proof is about the program as compiled (docs/guide/CHECK.md). The read of `bag` races with the
// write, but nothing uses its value, so the compiler drops the read at -O1, and the race with it.
// With -DRELAXED the accesses are atomic, and the compiler drops none of them.

#include <pthread.h>
#include <stdatomic.h>

#ifndef RELAXED
static int bag;
static atomic_int full;

static void *look(void *unused) {
  int seen = bag;
  if (atomic_load_explicit(&full, memory_order_relaxed))
    seen = 0;
  (void)seen;
  return unused;
}

static void fill(void) {
  bag = 1;
  atomic_store_explicit(&full, 1, memory_order_release);
}
#else
static atomic_int bag, full;

static void *look(void *unused) {
  atomic_store_explicit(&bag, 1, memory_order_relaxed);
  int seen = atomic_load_explicit(&full, memory_order_relaxed);
  (void)seen;
  return unused;
}

static void fill(void) {
  atomic_store_explicit(&full, 1, memory_order_relaxed);
  int seen = atomic_load_explicit(&bag, memory_order_relaxed);
  (void)seen;
}
#endif

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  fill();
  return pthread_join(thread, NULL);
}
