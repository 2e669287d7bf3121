// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock of a location (compiler-rt-patch/src/atomics/rsan_step.h), and a load without it
// (RsanRepeatsLoad, RsanStaysBlocked): `seq` is odd while the lock is held, and two more after each
// change. A thread that remembers the number and finds it again has found the location unchanged:
// what it has just loaded is not what a later step has stored.
//
// With -DWEAKENED there is no fence behind the compare-exchange that takes the lock. The store may
// then be seen before the odd number.

#include "own.h"

static _Atomic uint64_t seq;
static atomic_int object;
static int analysis; // the location's: guarded by the lock

static bool try_lock(uint64_t *number) {
  *number = atomic_load_explicit(&seq, memory_order_relaxed);
  if (*number & 1 || !atomic_compare_exchange_strong(&seq, number, *number + 1))
    return false;
#ifndef WEAKENED
  atomic_thread_fence(memory_order_release);
#endif
  return true;
}

static void unlock(uint64_t number) {
  atomic_store_explicit(&seq, number, memory_order_release);
}

static void *store(void *unused) {
  uint64_t number;
  if (try_lock(&number)) {
    analysis++;
    atomic_store_explicit(&object, 1, memory_order_relaxed); // the program's own order
    unlock(number + 2);
  }
  return unused;
}

// Remembers version 0, whose number is 0; or locks.
static void *load(void *unused) {
  uint64_t number;
  int value = atomic_load_explicit(&object, memory_order_acquire);
  if (atomic_load(&seq) == 0) {
    always(value == 0);
  } else if (try_lock(&number)) {
    analysis++;
    always(atomic_load_explicit(&object, memory_order_relaxed) == (number ? 1 : 0));
    unlock(number);
  }
  return unused;
}

int main(void) {
  return run_threads(store, load);
}
