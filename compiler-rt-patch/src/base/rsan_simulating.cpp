// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/rsan_simulating.h"

#include "base/rsan_upcalls.h"
#include "port/rsan_tsan.h"

namespace __tsan {

atomic_uint8_t rsan_simulating;

static atomic_uintptr_t sole_thread; // a ThreadState
// Set if a thread that the program did not create has ended a sole phase, until that thread starts.
static atomic_uint8_t ended_by_adopted;
// Set if the creation that ended a sole phase is not in TSan's clocks (ignore_sync).
static atomic_uint8_t ended_unordered;
// Set if no thread may become sole any more: either a join is not in TSan's clocks (ignore_sync),
// so they lack what the thread knows, or the C library may create threads.
static atomic_uint8_t never_again;

void RsanBeginSole(ThreadState *thr) {
  if (thr->ignore_sync)
    atomic_store_relaxed(&never_again, 1);
  if (!thr->rsan || RsanSimulates() || ctx->after_multithreaded_fork ||
      atomic_load_relaxed(&never_again) || !rsan_thread_is_sole(thr->rsan))
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
  if (creator == sole) {
    if (creator->ignore_sync)
      atomic_store_relaxed(&ended_unordered, 1);
    return;
  }
  atomic_store_relaxed(&ended_by_adopted, 1);
  atomic_thread_fence(memory_order_seq_cst);
  while (atomic_load(&sole->rsan_own.in_sole_step, memory_order_acquire))
    internal_sched_yield();
}

void RsanEndSoleForGood(ThreadState *thr) {
  atomic_store_relaxed(&never_again, 1);
  RsanEndSole(thr);
}

bool RsanStartsBehindSole(const ThreadState *thr) {
  const bool adopted = thr->tctx->parent_tid == kInvalidTid &&
                       atomic_exchange(&ended_by_adopted, 0, memory_order_acq_rel);
  return thr->rsan && UNLIKELY(adopted || atomic_load_relaxed(&ended_unordered));
}

void RsanSimulateAlso(RsanSimulated what) {
  RsanEndSole(cur_thread());
  u8 now = atomic_load_relaxed(&rsan_simulating);
  while (!atomic_compare_exchange_weak(&rsan_simulating, &now, static_cast<u8>(now | what),
                                       memory_order_release)) {
  }
  rsan_upcalls.simulated(what);
}

} // namespace __tsan
