// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chase and Lev's work-stealing deque for `rsan check`: the owner pushes two items and takes two, a
// thief steals up to two. Each item is had by one of them.
//
// With -DWEAKENED the owner's fence between moving the bottom and looking at the top is left out:
// owner and thief may both have the second item.
//
//  rsan-clang -fsanitize=robustness -g -O1 examples/check/chase_lev.c -o chase_lev
//  rsan check -- ./chase_lev

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAKENED
#define OWNERS_FENCE() ((void)0)
#else
#define OWNERS_FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

enum { ITEMS = 2, NONE = 0 }; // items count from 1

static _Alignas(64) atomic_int top;
static _Alignas(64) atomic_int bottom;
static atomic_long item[ITEMS];

static int move_top(int from) {
  atomic_thread_fence(memory_order_seq_cst);
  return atomic_compare_exchange_strong_explicit(&top, &from, from + 1, memory_order_acq_rel,
                                                 memory_order_acquire);
}

static void push(int value) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&item[b], value, memory_order_relaxed);
  atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_release);
  OWNERS_FENCE();
  int t = atomic_load_explicit(&top, memory_order_acquire), value = NONE;
  if (t < b)
    return atomic_load_explicit(&item[b], memory_order_relaxed);
  if (t == b) { // the last one: the thief may want it, too
    value = atomic_load_explicit(&item[b], memory_order_relaxed);
    if (!move_top(t))
      value = NONE;
  }
  atomic_store_explicit(&bottom, b + 1, memory_order_release);
  return value;
}

static int steal(void) {
  int t = atomic_load_explicit(&top, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  if (t >= atomic_load_explicit(&bottom, memory_order_acquire))
    return NONE;
  int value = atomic_load_explicit(&item[t], memory_order_relaxed);
  return move_top(t) ? value : NONE;
}

static void *steal_twice(void *stolen) {
  ((int *)stolen)[0] = steal();
  ((int *)stolen)[1] = steal();
  return NULL;
}

int main(void) {
  pthread_t thief;
  int stolen[2], had[ITEMS + 1] = {0};
  if (pthread_create(&thief, NULL, steal_twice, stolen))
    return 2;
  push(1);
  push(2);
  had[take()]++;
  had[take()]++;
  pthread_join(thief, NULL);
  had[stolen[0]]++;
  had[stolen[1]]++;
  if (had[1] != 1 || had[2] != 1)
    abort();
  return 0;
}
