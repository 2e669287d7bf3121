// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One atomic access as one step of the analysed run: the location's lock, TSan's slot where clocks
// for data races change, and the way out past both.

#ifndef RSAN_STEP_H
#define RSAN_STEP_H

#include "locations/rsan_lock.h"
#include "races/rsan_race.h"
#include "sites/rsan_site.h"
#include "sync/rsan_sync.h"

namespace __tsan {

// Takes TSan's slot at the begin of a step.
ALWAYS_INLINE void RsanLockSlot(ThreadState *thr) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  SlotLock(thr);
  if (RsanIsFenceDue(thr->rsan_own))
    RsanPassFenceInSlot(thr);
}

// Takes TSan's slot, unless the thread has it already (`has_slot`), and then the location's lock.
// Creates the location if there is none. The result is returned by value: if a step passed its own
// address to this function, the compiler would have to keep the step in memory.
RsanLocked RsanLockSlotAndLocation(ThreadState *thr, uptr pc, uptr addr, u32 size, bool has_slot);

// A step is a scope: taken by the constructor, left by the destructor. In between, Is() says what
// the step was.
class RsanStep {
public:
  // `loads`, `writes`: it may do so. `releases`: by its own order.
  ALWAYS_INLINE RsanStep(ThreadState *thr, uptr pc, uptr addr, u32 size, bool loads, bool writes,
                         bool releases) SANITIZER_NO_THREAD_SAFETY_ANALYSIS : thr_(thr),
                                                                              has_slot_(false) {
    // A handler of SIGSEGV may not come back: not with the lock held.
    (void)*reinterpret_cast<const volatile u8 *>(addr);
    bool taken;
    if (loads)
      taken = releases ? TakeWithSlot(addr, size) : TakeAlone(addr, size, loads, writes);
    else // the hint pays: next to the rest of a relaxed store one more jump can be measured
      taken = LIKELY(!releases) ? TakeAlone(addr, size, loads, writes) : TakeWithSlot(addr, size);
    if (LIKELY(taken))
      return;
    RsanLocked locked = RsanLockSlotAndLocation(thr, pc, addr, size, has_slot_);
    s_ = locked.s;
    seq_ = locked.seq;
    has_slot_ = true;
  }

  ALWAYS_INLINE ~RsanStep() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
    RsanUnlockLocation(s_, moves_ ? seq_ + 2 : seq_);
    if (has_slot_) {
      if (released_)
        IncrementEpoch(thr_);
      SlotUnlock(thr_);
    }
    if (UNLIKELY(acquired_ && (s_->clock || s_->rsan.state)))
      RsanAcquireBeside(thr_, s_);
  }

  // `moves`: the location is not what it was. `acquired`, `released`: by the order of the branch
  // taken.
  ALWAYS_INLINE void Is(bool moves, bool acquired, bool released) {
    moves_ = moves;
    acquired_ = acquired;
    released_ = released;
  }

  SyncVar *s() const { return s_; }
  u64 seq() const { return seq_; }
  bool has_slot() const { return has_slot_; }

private:
  ALWAYS_INLINE bool LockKnown(uptr addr, u32 size) {
    RsanLocked known = RsanLockKnown(thr_, addr, size);
    s_ = known.s;
    seq_ = known.seq;
    return s_ != nullptr;
  }

  // Locks the location without TSan's slot. Returns false if the thread's cache does not have the
  // location, if the access changes clocks of race detection, for which it needs the slot, or if
  // another thread's membarrier has come (with the slot held none comes).
  ALWAYS_INLINE bool TakeAlone(uptr addr, u32 size, bool loads, bool writes) {
    bool fenced = writes && thr_->rsan_own.has_release; // releases T_r
    if (UNLIKELY(!LockKnown(addr, size)))
      return false;
    if (LIKELY((!loads || RsanRaceReadIsKnown(thr_, s_)) &&
               (!fenced || thr_->slot_epoch == ctx->global_epoch) &&
               !RsanIsFenceDue(thr_->rsan_own)))
      return true;
    RsanUnlockLocation(s_, seq_);
    return false;
  }

  // Takes TSan's slot, then locks the location. Returns false if the thread's cache does not have
  // the location; the thread has the slot all the same.
  ALWAYS_INLINE bool TakeWithSlot(uptr addr, u32 size) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
    RsanLockSlot(thr_);
    has_slot_ = true;
    return LockKnown(addr, size);
  }

  ThreadState *thr_;
  SyncVar *s_;
  u64 seq_;
  bool has_slot_;
  bool moves_ = false, acquired_ = false, released_ = false;
};

// The race clocks of a store. One of a part of its location leaves what stands there of the others.
ALWAYS_INLINE void RsanRaceStore(ThreadState *thr, const RsanStep &step, u32 size, bool releases) {
  if (step.has_slot() && UNLIKELY(step.s()->rsan.size != size))
    RsanRaceReadWrite(thr, step.s(), false, releases);
  else
    RsanRaceWrite(thr, step.s(), releases);
}

// The race clocks of a read-modify-write.
ALWAYS_INLINE void RsanRaceUpdate(ThreadState *thr, const RsanStep &step, bool acquires,
                                  bool releases) {
  if (step.has_slot())
    RsanRaceReadWrite(thr, step.s(), acquires, releases);
  else if (UNLIKELY(thr->rsan_own.has_release)) // else nothing would change: it has no slot
    RsanRaceMergeFence(thr, step.s());
}

template <typename T> static rsan_value RsanValue(T value) {
  return {(u64)value, sizeof(T) > 8 ? (u64)(value >> (sizeof(T) * 4)) : 0};
}

template <typename T> static T RsanFromValue(rsan_value value) {
  T v = (T)value.low;
  if constexpr (sizeof(T) > 8)
    v |= (T)value.high << (sizeof(T) * 4);
  return v;
}

ALWAYS_INLINE RsanReadCache::Entry *RsanReadEntry(ThreadState *thr, uptr addr) {
  return &thr->rsan_own.reads.entries[RsanCacheSlot(addr)];
}

} // namespace __tsan

#endif
