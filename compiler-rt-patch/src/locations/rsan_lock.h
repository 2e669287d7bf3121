// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a location is found and locked.
//
// The lock is one word in the SyncVar. Taken: odd; released after a load: what it was; after
// anything else, two more. So a load that finds the number of an earlier load knows that the
// location is as it was then (G3 and the analysis agree that nothing happened), and need not take
// the lock. docs/internals/ARM.md argues why that holds where the processor keeps less in order
// than x86-64.

#ifndef RSAN_LOCK_H
#define RSAN_LOCK_H

#include "base/rsan_state.h"

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

// A sync variable that was freed has no size.
ALWAYS_INLINE bool RsanIsOf(const SyncVar *s, uptr addr, u32 size) {
  return s->rsan.size == size && s->addr == addr;
}

// Locks the location at this address if the thread's cache of sync variables has it. The result's
// `s` is null if the cache does not have it, or if the sync variable in the cache now has another
// address or size.
ALWAYS_INLINE RsanLocked RsanLockKnown(ThreadState *thr, uptr addr,
                                       u32 size) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const bool far = RsanSyncEntry(thr, addr)->addr != addr;
  SyncVar *s = RsanFindSync(thr, addr);
  if (UNLIKELY(!s))
    return {};
  u64 seq = RsanLockLocation(s);
  if (UNLIKELY(far))
    rsan_location_fetch(s->rsan.location);
  if (LIKELY(RsanIsOf(s, addr, size)))
    return {s, seq};
  RsanUnlockLocation(s, seq);
  return {};
}

// Is there a location of other extent that has bytes of these? No lock held.
bool RsanOverlapsOther(ThreadState *thr, uptr addr, u32 size);

// Naturally aligned accesses that overlap lie in one granule of this size.
const uptr kRsanGranule = 16;

ALWAYS_INLINE bool RsanOverlap(uptr a, uptr a_size, uptr b, uptr b_size) {
  return a < b + b_size && b < a + a_size;
}

// Calls visit for each sync variable of the granule that `addr` is in.
template <typename Visit> void RsanForEachNear(uptr addr, Visit visit) {
  const uptr granule = RoundDownTo(addr, kRsanGranule);
  for (uptr cell = granule; cell < granule + kRsanGranule; cell += kMetaShadowCell)
    ctx->metamap.ForEachSyncOf(MemToMeta(cell), visit);
}

// Locks the location of several sizes that has these bytes; null: there is none. Has there been
// one?
RsanLocked RsanLockMixed(ThreadState *thr, uptr addr, u32 size);
bool RsanAnyMixes();
void RsanNoteMixes();

void RsanMarkRegion(uptr addr); // something is analysed there (RsanForgetRange)

RsanSyncState *RsanStateOf(SyncVar *s); // made if it is missing, by any thread

} // namespace __tsan

#endif
