// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots of the clocks for data races (compiler-rt-patch/src/races/rsan_race.cpp): how many have
// been taken, and the epoch at which a slot's present thread took it, are written and read relaxed.
// A thread needs to know them no earlier than it knows an epoch of the slot's thread, and that
// comes with a location's lock.
//
// With -DWEAKENED it comes with nothing.

#include "own.h"

#ifdef WEAKENED
#define LOCK_ORDER memory_order_relaxed
#else
#define LOCK_ORDER memory_order_acquire
#endif

static _Atomic uint64_t slots_taken = 1;
static atomic_ushort floor_of_slot;
static _Atomic uint64_t published; // an epoch, by a location's lock

static void *take_slot(void *unused) {
  atomic_store_explicit(&floor_of_slot, 5, memory_order_relaxed);
  uint64_t seen = atomic_load_explicit(&slots_taken, memory_order_relaxed);
  while (seen < 2 && !atomic_compare_exchange_strong_explicit(
                         &slots_taken, &seen, 2, memory_order_relaxed, memory_order_relaxed)) {
  }
  atomic_store_explicit(&published, 6, memory_order_release);
  return unused;
}

static void *join_clock(void *unused) {
  if (atomic_load_explicit(&published, LOCK_ORDER) == 6) {
    always(atomic_load_explicit(&slots_taken, memory_order_relaxed) == 2);
    always(atomic_load_explicit(&floor_of_slot, memory_order_relaxed) == 5);
  }
  return unused;
}

int main(void) {
  return run_threads(take_slot, join_clock);
}
