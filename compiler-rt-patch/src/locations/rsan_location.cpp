// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analysis' state of an address: found through TSan's meta map, so that it dies with the
// memory.

#include "locations/rsan_lock.h"

#include "base/rsan_checked.h"
#include "port/rsan_tsan.h"
#include "rsan/processor/processor.h"

namespace __tsan {

// Memory that gets another owner unseen by TSan (a new thread's stack, a page mapped where a stack
// was) is forgotten piece by piece, which costs a walk over its meta cells. So each region of 1 MiB
// in which anything was ever analysed has a bit here; several regions share one.
static const uptr kRegionBits = 20, kRegionSlots = 1 << 16;
static atomic_uint64_t used_regions[kRegionSlots / 64];

static atomic_uint64_t *RegionWord(uptr region, u64 *bit) {
  uptr slot = (region ^ (region >> 16)) % kRegionSlots;
  *bit = 1ull << (slot % 64);
  return &used_regions[slot / 64];
}

static void MarkRegion(uptr addr) {
  u64 bit;
  atomic_uint64_t *word = RegionWord(addr >> kRegionBits, &bit);
  u64 seen = atomic_load_relaxed(word);
  while (!(seen & bit) &&
         !atomic_compare_exchange_weak(word, &seen, seen | bit, memory_order_relaxed)) {
  }
}

static bool IsMarked(uptr addr, uptr size) {
  uptr first = addr >> kRegionBits, last = (addr + size - 1) >> kRegionBits;
  if (last - first >= kRegionSlots)
    return true;
  for (uptr region = first; region <= last; region++) {
    u64 bit;
    if (atomic_load_relaxed(RegionWord(region, &bit)) & bit)
      return true;
  }
  return false;
}

void RsanForgetRange(ThreadState *thr, uptr addr, uptr size) {
  if (!size || !IsMarked(addr, size))
    return;
  SlotLocker locker(thr, true);
  ctx->metamap.ResetRange(thr->proc(), addr, size, true);
}

// Forgets the value of a location that has a byte from `begin` on and before `end`.
static void ForgetValue(SyncVar *s, uptr begin, uptr end) {
  u64 seq = RsanLockLocation(s);
  if (s->rsan.location && s->addr < end && begin < s->addr + s->rsan.size)
    rsan_location_forget(s->rsan.location);
  RsanUnlockLocation(s, seq + 2);
}

void RsanForgetValues(ThreadState *thr, uptr addr, uptr size) {
  const uptr region_size = 1ull << kRegionBits;
  const uptr begin = addr, end = addr + size;
  const auto forget = [&](SyncVar *s) { ForgetValue(s, begin, end); };
  SlotLocker locker(thr, true);
  for (uptr next; addr < end; addr = next) {
    next = Min(end, RoundDownTo(addr, region_size) + region_size);
    if (!IsMarked(addr, next - addr))
      continue;
    for (uptr cell = RoundDownTo(addr, kMetaShadowCell); cell < next; cell += kMetaShadowCell)
      ctx->metamap.ForEachSyncOf(MemToMeta(cell), forget);
  }
}

RsanSyncState *RsanStateOf(SyncVar *s) {
  if (s->rsan.state)
    return s->rsan.state;
  MarkRegion(s->addr);
  auto *state = static_cast<RsanSyncState *>(Alloc(sizeof(RsanSyncState)));
  *state = {};
  uptr seen = 0;
  if (!atomic_compare_exchange_strong(reinterpret_cast<atomic_uintptr_t *>(&s->rsan.state), &seen,
                                      reinterpret_cast<uptr>(state), memory_order_acq_rel))
    Free(state);
  return s->rsan.state;
}

static const u32 kShortestWait = 4, kLongWait = 256, kLongestWait = 1024; // pauses

// A thread has waited for a location's lock. It made `first` pauses before its first attempt to
// take the lock; `failed` says whether that attempt failed. Returns the number of pauses with which
// its next wait for the same lock begins. That number exceeds kLongWait only if more than a third
// of the first attempts fail, which is so where threads access nothing but that location. The
// threads of a queue also do other things, and most of their first attempts succeed.
static u32 NextWait(u32 first, bool failed) {
  if (first < kLongWait)
    return first + 8;
  return failed ? Min(first + 64, kLongestWait) : Max(first - 32, kLongWait);
}

// The processor of the thread that holds the lock has the location's memory in its cache. Several
// accesses by one thread in a row therefore cost less than as many by different threads in turn. So
// a waiting thread tries to take the lock at longer and longer intervals. The first interval is a
// longer one if the thread's last wait was for the same lock. After a long wait the thread yields,
// because the holder may not be running.
u64 RsanWaitForLocation(SyncVar *s) {
  auto *wait = &cur_thread()->rsan_own.wait;
  const u32 first = wait->s == s ? wait->pauses : kShortestWait;
  const u32 longest = Max(kLongWait, first), patience = 4 * longest;
  for (u32 pauses = first, waited = 0;; waited += pauses) {
    if (waited < patience)
      for (u32 i = 0; i < pauses; i++)
        rsan_pause();
    else
      internal_sched_yield();
    u64 seq;
    if (RsanTryLockLocation(s, &seq)) {
      *wait = {s, NextWait(first, waited != 0)};
      return seq;
    }
    pauses = Min(2 * pauses, longest);
  }
}

void RsanDisturbLocation(SyncVar *s) {
  RsanUnlockLocation(s, RsanLockLocation(s) + 2);
}

// Naturally aligned accesses that overlap lie in one granule of this size.
static const uptr kGranule = 16;

static bool Overlap(uptr a, uptr a_size, uptr b, uptr b_size) {
  return a < b + b_size && b < a + a_size;
}

// The location at `addr` has been published with its extent; from now on every later one in its
// granule sees it. Withdraws it and all that it overlaps. One lock at a time: each location's own.
static void WithdrawOverlapping(SyncVar *self, uptr addr, u32 size) {
  bool overlaps = false;
  auto withdraw = [&](SyncVar *s) {
    if (s == self)
      return;
    u64 seq = RsanLockLocation(s);
    rsan_location *location = s->rsan.location;
    if (location && Overlap(addr, size, s->addr, s->rsan.size)) {
      rsan_location_withdraw(RsanEngine(), location, s->rsan.size);
      overlaps = true;
    }
    RsanUnlockLocation(s, seq + 2);
  };
  const uptr granule = RoundDownTo(addr, kGranule);
  for (uptr cell = granule; cell < granule + kGranule; cell += kMetaShadowCell)
    ctx->metamap.ForEachSyncOf(MemToMeta(cell), withdraw);
  if (!overlaps)
    return;
  u64 seq = RsanLockLocation(self);
  if (self->rsan.location)
    rsan_location_withdraw(RsanEngine(), self->rsan.location, size);
  RsanUnlockLocation(self, seq + 2);
}

bool RsanOverlapsOther(ThreadState *thr, uptr addr, u32 size) {
  bool overlaps = false;
  auto look = [&](SyncVar *s) {
    u64 seq = RsanLockLocation(s);
    if (s->rsan.location && Overlap(addr, size, s->addr, s->rsan.size))
      overlaps |= s->addr != addr || s->rsan.size != size;
    RsanUnlockLocation(s, seq);
  };
  SlotLocker locker(thr);
  const uptr granule = RoundDownTo(addr, kGranule);
  for (uptr cell = granule; cell < granule + kGranule; cell += kMetaShadowCell)
    ctx->metamap.ForEachSyncOf(MemToMeta(cell), look);
  return overlaps;
}

// Sees to it that the locked location is there, and is one of accesses of `size` bytes. Says
// whether it covers bytes that it did not before.
static bool Prepare(ThreadState *thr, SyncVar *s, uptr addr, u32 size) {
  if (!s->rsan.location)
    RsanNoteAtomic();
  if (!RsanEngine()) {
    s->rsan.size = size;
    return false;
  }
  if (!s->rsan.location) {
    MarkRegion(addr);
    s->rsan.location = rsan_location_new(RsanEngine(), thr->rsan, size);
    s->rsan.size = size;
    return true;
  }
  if (s->rsan.size == size)
    return false;
  bool wider = s->rsan.size < size;
  rsan_location_withdraw(RsanEngine(), s->rsan.location, size);
  if (wider)
    s->rsan.size = size;
  return wider;
}

RsanLocked RsanLockOrMakeLocation(ThreadState *thr, uptr pc, uptr addr, u32 size) {
  if (RsanLocked known = RsanLockKnown(thr, addr, size); known.s)
    return known;
  for (;;) { // more than once where the location is new, and where the memory is freed meanwhile
    SyncVar *s = ctx->metamap.GetSyncOrCreate(thr, pc, addr, false);
    u64 seq = RsanLockLocation(s);
    if (LIKELY(!Prepare(thr, s, addr, size))) {
      *RsanSyncEntry(thr, addr) = {addr, s};
      return {s, seq};
    }
    RsanUnlockLocation(s, seq + 2);
    WithdrawOverlapping(s, addr, size);
    seq = RsanLockLocation(s);
    if (LIKELY(RsanIsOf(s, addr, size))) {
      *RsanSyncEntry(thr, addr) = {addr, s};
      return {s, seq};
    }
    RsanUnlockLocation(s, seq);
  }
}

} // namespace __tsan
