// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "atomics/rsan_sole.h"

#include "rsan_state.h"
#include "simulation/rsan_simulate.h"

namespace __tsan {

static atomic_uintptr_t sole_thread; // a ThreadState
// A sole phase has ended by the creation of a thread that TSan's clocks do not order behind it.
static atomic_uint8_t ended_unordered;
// A join was left out of TSan's clocks (ignore_sync), so they do not say what the thread knows.
static atomic_uint8_t joined_unordered;

void RsanBeginSole(ThreadState *thr) {
  if (thr->ignore_sync)
    atomic_store_relaxed(&joined_unordered, 1);
  if (!thr->rsan || RsanSimulates() || ctx->after_multithreaded_fork ||
      atomic_load_relaxed(&joined_unordered) || !rsan_thread_is_sole(thr->rsan))
    return;
  atomic_store(&sole_thread, reinterpret_cast<uptr>(thr), memory_order_relaxed);
  atomic_store(&thr->rsan_own.sole, 1, memory_order_relaxed);
}

void RsanEndSole(ThreadState *creator) {
  auto *sole =
      reinterpret_cast<ThreadState *>(atomic_exchange(&sole_thread, 0, memory_order_acq_rel));
  if (!sole)
    return;
  atomic_store(&sole->rsan_own.sole, 0, memory_order_relaxed);
  if (creator == sole && !creator->ignore_sync)
    return;
  atomic_store(&ended_unordered, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  while (creator != sole && atomic_load(&sole->rsan_own.in_sole_step, memory_order_acquire))
    internal_sched_yield();
}

void RsanStartBehindSole(ThreadState *thr) {
  if (!thr->rsan || LIKELY(!atomic_load_relaxed(&ended_unordered)))
    return;
  SlotLocker locker(thr);
  rsan_acquire_everything(thr->rsan, RSAN_STAT_unseen_calls);
  RsanRaceAcquireEverything(thr);
}

} // namespace __tsan
