// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule=delay: threads run side by side as they would, with pauses by a seed. It finds less than
// the policies that choose who runs, and repeats nothing; it is for programs that depend on real
// time, or that wait for each other where the schedule cannot see it.
//
// A pause is as long as what it stands at is rare: relaxed accesses spin, those that release or
// acquire let others run, and now and then a thread sleeps; before calls that lock, wait, or have
// to do with threads it sleeps. The sleeps of a thread are limited, so that the program goes on.

#include "base/rsan_simulating.h"
#include "rsan/processor/processor.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static atomic_uint64_t pauses;

u32 RsanDraw(ThreadState *thr) {
  u32 &state = thr->rsan_own.random;
  if (!state) {
    // With per_test=1 a thread has the number that it would have if its test ran alone.
    const u32 number =
        rsan_flags()->per_test && rsan_self ? rsan_self->id : static_cast<u32>(thr->tid);
    state = static_cast<u32>(static_cast<u32>(RsanSeed()) * 2654435761u ^ number * 40503u) | 1;
  }
  state = state * 1664525 + 1013904223;
  return state;
}

static const u32 kPauses = 32, kSleeps = 4; // of 256 accesses, or calls

// False: the thread has slept often enough.
static bool Sleep(ThreadState *thr, u32 drawn) {
  const u32 kMostSleeps = 1000, kMicroseconds = 100;
  if (thr->rsan_own.sleeps >= kMostSleeps)
    return false;
  thr->rsan_own.sleeps++;
  internal_usleep((drawn >> 8) % kMicroseconds);
  return true;
}

void RsanDelay(ThreadState *thr, rsan_order order) {
  const u32 kSpins = 100;
  const u32 drawn = RsanDraw(thr), choice = drawn >> 24;
  if (choice >= kPauses)
    return;
  atomic_fetch_add(&pauses, 1, memory_order_relaxed);
  if (choice < kSleeps && Sleep(thr, drawn))
    return;
  if (order == RSAN_RELAXED)
    for (u32 i = 0; i < kSpins; i++)
      rsan_pause();
  else
    internal_sched_yield();
}

void RsanDelayCall() {
  if (!RsanSimulates(kRsanDelays))
    return;
  ThreadState *thr = cur_thread();
  const u32 drawn = RsanDraw(thr);
  if (drawn >> 24 < kPauses && Sleep(thr, drawn))
    atomic_fetch_add(&pauses, 1, memory_order_relaxed);
}

u64 RsanDelays() {
  return atomic_load_relaxed(&pauses);
}

} // namespace __tsan
