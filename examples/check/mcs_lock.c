// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue lock of Mellor-Crummey and Scott for `rsan check`: who wants the lock puts a node at
// the end of a queue and waits at that node. Three threads take it once each.
//
// With -DWEAKENED the lock is handed over by a relaxed store: the next one may not see what was
// written under the lock.
//
//  rsan-clang -fsanitize=robustness -g -O1 examples/check/mcs_lock.c -o mcs_lock
//  rsan check -- ./mcs_lock

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAKENED
#define HAND_OVER memory_order_relaxed
#else
#define HAND_OVER memory_order_release
#endif

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

enum { THREADS = 3 };

static _Atomic(struct node *) tail;
static struct node node[THREADS];
static int visits; // under the lock

static void lock(struct node *mine) {
  atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (!before)
    return;
  atomic_store_explicit(&before->next, mine, memory_order_release);
  while (atomic_load_explicit(&mine->waits, memory_order_acquire)) {
  }
}

static void unlock(struct node *mine) {
  struct node *next = atomic_load_explicit(&mine->next, memory_order_acquire);
  if (!next) {
    struct node *last = mine;
    if (atomic_compare_exchange_strong_explicit(&tail, &last, NULL, memory_order_release,
                                                memory_order_relaxed))
      return;
    while (!(next = atomic_load_explicit(&mine->next, memory_order_acquire))) {
    }
  }
  atomic_store_explicit(&next->waits, 0, HAND_OVER);
}

static void *visit(void *mine) {
  lock(mine);
  visits++;
  unlock(mine);
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&thread[i], NULL, visit, &node[i]))
      return 2;
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  if (visits != THREADS)
    abort();
  return 0;
}
