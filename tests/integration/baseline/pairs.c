// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Store buffering of one pair of objects, and with -DSECOND of another one. With -DFAILS the
// program fails where both accesses of the first pair miss the other's store. With -DRETRIES the
// accesses begin retry loops instead.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first[2], second[2];
static int seen[2];

static void *meet(void *arg) {
  int me = arg != NULL;
  atomic_store_explicit(&first[me], 1, memory_order_relaxed);
#ifdef RETRIES
  int value = atomic_load_explicit(&first[!me], memory_order_relaxed);
  while (!atomic_compare_exchange_strong(&first[!me], &value, value + 1))
    ;
  seen[me] = value;
#else
  seen[me] = atomic_load_explicit(&first[!me], memory_order_relaxed);
#endif
#ifdef SECOND
  atomic_store_explicit(&second[me], 1, memory_order_relaxed);
  atomic_load_explicit(&second[!me], memory_order_relaxed);
#else
  (void)second;
#endif
  return NULL;
}

int main(void) {
  pthread_t one, two;
  if (pthread_create(&one, NULL, meet, NULL) || pthread_create(&two, NULL, meet, &one))
    return 2;
  pthread_join(one, NULL);
  pthread_join(two, NULL);
#ifdef FAILS
  assert(seen[0] || seen[1]);
#endif
}
