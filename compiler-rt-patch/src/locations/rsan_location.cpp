// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analysis' state of an address: found through TSan's meta map, so that it dies with the
// memory.

#include "locations/rsan_lock.h"

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

void RsanMarkRegion(uptr addr) {
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
  RsanMarkRegion(s->addr);
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

bool RsanOverlapsOther(ThreadState *thr, uptr addr, u32 size) {
  bool overlaps = false;
  auto look = [&](SyncVar *s) {
    u64 seq = RsanLockLocation(s);
    if (s->rsan.location && RsanOverlap(addr, size, s->addr, s->rsan.size))
      overlaps |= s->addr != addr || s->rsan.size != size;
    RsanUnlockLocation(s, seq);
  };
  SlotLocker locker(thr);
  RsanForEachNear(addr, look);
  return overlaps;
}

static atomic_uint32_t any_mixes;

bool RsanAnyMixes() {
  return atomic_load(&any_mixes, memory_order_acquire);
}

void RsanNoteMixes() {
  atomic_store(&any_mixes, 1, memory_order_release);
}

// Locks it if it is the location of these bytes among others.
static RsanLocked LockIfMixed(SyncVar *s, uptr addr, u32 size) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  u64 seq = RsanLockLocation(s);
  if (s->rsan.location && s->addr <= addr && addr + size <= s->addr + s->rsan.size &&
      rsan_location_mixes(s->rsan.location))
    return {s, seq};
  RsanUnlockLocation(s, seq);
  return {};
}

// The address of a location of several sizes is a multiple of its size.
RsanLocked RsanLockMixed(ThreadState *thr, uptr addr, u32 size) {
  RsanSyncCache::Entry *entry = RsanSyncEntry(thr, addr);
  if (entry->addr == addr && entry->s)
    if (RsanLocked locked = LockIfMixed(entry->s, addr, size); locked.s)
      return locked;
  for (uptr width = size, tried = ~0ul; width <= kRsanGranule; width *= 2) {
    const uptr begin = RoundDownTo(addr, width);
    SyncVar *s = begin == tried ? nullptr : ctx->metamap.GetSyncIfExists(begin);
    tried = begin;
    if (!s)
      continue;
    if (RsanLocked locked = LockIfMixed(s, addr, size); locked.s) {
      *entry = {addr, s};
      return locked;
    }
  }
  return {};
}

} // namespace __tsan
