// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work-stealing deque of Chase and Lev as Le, Pop, Cohen and Zappa Nardelli give it for C11,
// with its two seq_cst fences taken out: one in take, one in steal.

#include "two.h"

enum { SIZE = 8, EMPTY = -1, LOST = -2 };

static atomic_size_t top = 1, bottom = 1;
static atomic_int items[SIZE];

static void push(int item) {
  size_t b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&items[b % SIZE], item, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void) {
  size_t b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  size_t t = atomic_load_explicit(&top, memory_order_relaxed);
  int item = EMPTY;
  if (t <= b) {
    item = atomic_load_explicit(&items[b % SIZE], memory_order_relaxed);
    if (t == b) {
      if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                   memory_order_relaxed))
        item = EMPTY;
      atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
  } else {
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  }
  return item;
}

static int steal(void) {
  size_t t = atomic_load_explicit(&top, memory_order_acquire);
  size_t b = atomic_load_explicit(&bottom, memory_order_acquire);
  if (t >= b)
    return EMPTY;
  int item = atomic_load_explicit(&items[t % SIZE], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                               memory_order_relaxed))
    return LOST;
  return item;
}

// A thief that has taken the only item and looks for more before the owner does: the owner may
// still find the old top.
static void *owner(void *arg) {
  push(1);
  stage_reach(1);
  stage_await(2);
  take();
  return arg;
}

static void *thief(void *arg) {
  stage_await(1);
  steal();
  steal();
  stage_reach(2);
  return arg;
}

int main(void) {
  run_two(owner, thief);
  return 0;
}
