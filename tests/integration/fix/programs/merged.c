// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Message passing whose flag is raised in both branches of an inlined function. The compiler merges
// the two, and what it has merged has a file but no line. The line of the call is none for a
// stronger order: a load was inlined there, too, which cannot be release.

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int data, flag, others;

static inline int publish(int alone) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  if (alone) {
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
  } else {
    atomic_fetch_add_explicit(&others, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
  }
  return atomic_load_explicit(&others, memory_order_relaxed);
}

static void *writer(void *alone) {
  int seen = publish(alone != NULL);
  return seen ? alone : NULL;
}

static void *reader(void *unused) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed))
    ;
  return atomic_load_explicit(&data, memory_order_relaxed) ? unused : NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, writer, argc > 1 ? argv : NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}
