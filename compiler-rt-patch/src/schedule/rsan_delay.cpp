// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule=delay: threads run side by side as they would, with pauses by a seed. It finds less than
// the policies that choose who runs, and repeats nothing; it is for programs that depend on real
// time, or that wait for each other where the schedule cannot see it.
//
// A pause is as long as what it stands at is rare: relaxed accesses spin, those that release or
// acquire let others run, and now and then a thread sleeps. The sleeps of a thread are limited, so
// that the program goes on.

#include "schedule/rsan_schedule.h"

namespace __tsan {

static atomic_uint64_t pauses;

static u32 Draw(ThreadState *thr) {
  u32 &state = thr->rsan_own.random;
  if (!state)
    state = static_cast<u32>(rsan_flags()->seed * 2654435761u ^ thr->tid * 40503u) | 1;
  state = state * 1664525 + 1013904223;
  return state;
}

void RsanDelay(ThreadState *thr, rsan_order order) {
  const u32 kPauses = 32, kSleeps = 4; // of 256 accesses
  const u32 kMostSleeps = 1000, kMicroseconds = 100, kSpins = 100;
  const u32 drawn = Draw(thr), choice = drawn >> 24;
  if (choice >= kPauses)
    return;
  atomic_fetch_add(&pauses, 1, memory_order_relaxed);
  if (choice < kSleeps && thr->rsan_own.sleeps < kMostSleeps) {
    thr->rsan_own.sleeps++;
    internal_usleep((drawn >> 8) % kMicroseconds);
  } else if (order == RSAN_RELAXED) {
    for (u32 i = 0; i < kSpins; i++)
      proc_yield(1);
  } else {
    internal_sched_yield();
  }
}

u64 RsanDelays() {
  return atomic_load_relaxed(&pauses);
}

} // namespace __tsan
