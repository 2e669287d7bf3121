// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two locations, where location_lock.c has one. Each of two threads locks one location, and then
// loads the other without its lock. The run must stay sequentially consistent, so at most one
// thread may find the other location's number unchanged.
//
// With -DWEAKENED the numbers are read by relaxed loads. Both threads may then miss that the other
// one has locked its location.

#include "own.h"

#ifdef WEAKENED
#define NUMBER_ORDER memory_order_relaxed
#else
#define NUMBER_ORDER memory_order_seq_cst
#endif

static struct location {
  _Atomic uint64_t seq;
  atomic_int object;
} locations[2];
static bool unchanged[2];

static void store(struct location *at) {
  uint64_t number = 0;
  always(atomic_compare_exchange_strong(&at->seq, &number, 1));
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&at->object, 1, memory_order_relaxed);
  atomic_store_explicit(&at->seq, 2, memory_order_release);
}

static bool is_unchanged(struct location *at) {
  int value = atomic_load_explicit(&at->object, memory_order_acquire);
  return atomic_load_explicit(&at->seq, NUMBER_ORDER) == 0 && value == 0;
}

static void *first(void *unused) {
  store(&locations[0]);
  unchanged[0] = is_unchanged(&locations[1]);
  return unused;
}

static void *second(void *unused) {
  store(&locations[1]);
  unchanged[1] = is_unchanged(&locations[0]);
  return unused;
}

int main(void) {
  int status = run_threads(first, second);
  always(!unchanged[0] || !unchanged[1]);
  return status;
}
