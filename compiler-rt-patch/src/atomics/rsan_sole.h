// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses of a sole thread (rsan/engine/sole.c): of the first thread until it creates
// another one, and of a thread that has joined all others. They need neither clocks nor a site, in
// either detector. The object keeps its value, by which writes that are not seen are noticed.
//
// The phase ends in RsanThreadCreate. If a thread begins that the sole thread has not created, it
// waits until the sole thread's present step is over (`in_sole_step`), and then acquires all that
// any thread has done so far.

#ifndef RSAN_SOLE_H
#define RSAN_SOLE_H

#include "atomics/rsan_step.h"
#include "base/rsan_simulating.h"

namespace __tsan {

// A question that may be answered wrongly for a moment; RsanSoleStep asks again.
ALWAYS_INLINE bool RsanMayBeSole(const ThreadState *thr) {
  return atomic_load_relaxed(&thr->rsan_own.sole);
}

// In place of RsanStep.
class RsanSoleStep {
public:
  ALWAYS_INLINE RsanSoleStep(ThreadState *thr, uptr pc, uptr addr,
                             u32 size) SANITIZER_NO_THREAD_SAFETY_ANALYSIS : thr_(thr) {
    (void)*reinterpret_cast<const volatile u8 *>(addr); // as in RsanStep
    atomic_store_relaxed(&thr->rsan_own.in_sole_step, 1);
    locked_ = RsanLockKnown(thr, addr, size);
    if (UNLIKELY(!locked_.s)) {
      locked_ = RsanLockSlotAndLocation(thr, pc, addr, size, false);
      SlotUnlock(thr);
    }
#if !SANITIZER_X64 // there the lock's compare-exchange is a fence
    atomic_thread_fence(memory_order_seq_cst);
#endif
    is_sole_ = atomic_load(&thr->rsan_own.sole, memory_order_acquire);
  }

  ALWAYS_INLINE ~RsanSoleStep() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
    RsanUnlockLocation(locked_.s, moves_ ? locked_.seq + 2 : locked_.seq);
    atomic_store(&thr_->rsan_own.in_sole_step, 0, memory_order_release);
  }

  bool IsSole() const { return is_sole_; }
  SyncVar *s() const { return locked_.s; }
  u64 seq() const { return locked_.seq; }

  // The access has been made.
  template <typename T>
  ALWAYS_INLINE void Update(const volatile T *a, rsan_access_kind kind, T seen, T left) {
    moves_ = kind != RSAN_READ;
    if (LIKELY(rsan_sole_update(locked_.s->rsan.location, RsanValue(seen), RsanValue(left))))
      return;
    rsan_access access = {};
    access.kind = kind;
    access.check = kind == RSAN_READ ? RSAN_CHECK_READ : RSAN_CHECK_WRITE;
    access.size = sizeof(T);
    access.address = reinterpret_cast<uptr>(a);
    access.seen = RsanValue(seen);
    access.written = RsanValue(left);
    rsan_sole_access(thr_->rsan, locked_.s->rsan.location, &access);
  }

private:
  ThreadState *thr_;
  RsanLocked locked_;
  bool is_sole_, moves_ = false;
};

} // namespace __tsan

#endif
