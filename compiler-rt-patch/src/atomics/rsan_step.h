// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One atomic access as one step of the analysed run: the location's lock, TSan's slot where clocks
// for data races change, and the way out past both.
//
// The lock is one word in the SyncVar. Taken: odd; released after a load: what it was; after
// anything else, two more. So a load that finds the number of an earlier load knows that the
// location is as it was then (G3 and the analysis agree that nothing happened), and need not take
// the lock. docs/ARM.md argues why that holds where the processor keeps less in order than x86-64.

#ifndef RSAN_STEP_H
#define RSAN_STEP_H

#include "races/rsan_race.h"
#include "sites/rsan_site.h"

namespace __tsan {

// The compare-exchange is seq_cst, whatever it is asked for: a load that finds the number that was
// there before (RsanIsLocationAt) comes before it in the order of all seq_cst operations. And the
// fence: whoever reads what is stored with the lock held finds the number odd, or later. On x86-64
// it is no instruction.
ALWAYS_INLINE bool RsanTryLockLocation(SyncVar *s, u64 *seq) {
  *seq = atomic_load_relaxed(&s->rsan.seq);
  if ((*seq & 1) ||
      !atomic_compare_exchange_strong(&s->rsan.seq, seq, *seq + 1, memory_order_seq_cst))
    return false;
  atomic_thread_fence(memory_order_release);
  return true;
}

u64 RsanWaitForLocation(SyncVar *s); // until the lock is taken: its number before

// Returns the number before.
ALWAYS_INLINE u64 RsanLockLocation(SyncVar *s) {
  u64 seq;
  return LIKELY(RsanTryLockLocation(s, &seq)) ? seq : RsanWaitForLocation(s);
}

ALWAYS_INLINE void RsanUnlockLocation(SyncVar *s, u64 seq) {
  atomic_store(&s->rsan.seq, seq, memory_order_release);
}

// Without the lock, after an acquire load of the location: has nothing moved it on since the lock's
// number was `seq`? (A seq_cst load is an ordinary one on x86-64.)
ALWAYS_INLINE bool RsanIsLocationAt(const SyncVar *s, uptr addr, u64 seq) {
  return atomic_load(&s->rsan.seq, memory_order_seq_cst) == seq && s->addr == addr;
}

// Ends the validity of what is remembered of loads there.
void RsanDisturbLocation(SyncVar *s);

// After an acquiring access: takes what annotations, or a mutex at the same address, released, or a
// write that was not seen.
void RsanAcquireBeside(ThreadState *thr, SyncVar *s);

// Where a thread's caches have a key: the upper six bits of a product, since objects of one kind
// often are a power of two apart.
ALWAYS_INLINE uptr RsanCacheSlot(uptr key) {
  static_assert(RsanSyncCache::kEntries == 64 && RsanReadCache::kEntries == 64,
                "six bits choose one");
  return (key * 0x9e3779b97f4a7c15ull) >> 58;
}

ALWAYS_INLINE RsanSyncCache::Entry *RsanSyncEntry(ThreadState *thr, uptr addr) {
  return &thr->rsan_own.syncs.entries[RsanCacheSlot(addr)];
}

// A location that was not used lately is in no cache: its three lines are fetched at once.
ALWAYS_INLINE void RsanFetchLocation(const rsan_location *location) {
  const char *lines = reinterpret_cast<const char *>(location);
  __builtin_prefetch(lines);
  __builtin_prefetch(lines + 64);
  __builtin_prefetch(lines + 128);
}

// Null if there is none; else it may be another address' by the time that it is locked.
ALWAYS_INLINE SyncVar *RsanFindSync(ThreadState *thr, uptr addr) {
  RsanSyncCache::Entry *entry = RsanSyncEntry(thr, addr);
  if (UNLIKELY(entry->addr != addr)) {
    SyncVar *s = ctx->metamap.GetSyncIfExists(addr);
    *entry = {addr, s};
    if (s)
      RsanFetchLocation(s->rsan.location);
  }
  return entry->s;
}

// A location's sync variable, and the lock's number before it was taken.
struct RsanLocked {
  SyncVar *s;
  u64 seq;
};

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

// A sync variable that was freed has no size.
ALWAYS_INLINE bool RsanIsOf(const SyncVar *s, uptr addr, u32 size) {
  return s->rsan.size == size && s->addr == addr;
}

// Locks the location at this address if the thread's cache of sync variables has it. The result's
// `s` is null if the cache does not have it, or if the sync variable in the cache now has another
// address or size.
ALWAYS_INLINE RsanLocked RsanLockKnown(ThreadState *thr, uptr addr,
                                       u32 size) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  SyncVar *s = RsanFindSync(thr, addr);
  if (UNLIKELY(!s))
    return {};
  u64 seq = RsanLockLocation(s);
  if (LIKELY(RsanIsOf(s, addr, size)))
    return {s, seq};
  RsanUnlockLocation(s, seq);
  return {};
}

// Is there a location of other extent that has bytes of these? No lock held.
bool RsanOverlapsOther(ThreadState *thr, uptr addr, u32 size);

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

ALWAYS_INLINE RsanReadCache::Entry *RsanReadEntry(ThreadState *thr, uptr addr) {
  return &thr->rsan_own.reads.entries[RsanCacheSlot(addr)];
}

} // namespace __tsan

#endif
