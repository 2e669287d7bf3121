// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analysis' state of an address: found through TSan's meta map, so that it dies with the
// memory.

#include "rsan_state.h"
#include "sanitizer_common/sanitizer_atomic.h"
#include "tsan_mman.h"
#include "tsan_sync.h"

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

RsanSyncState *RsanStateOf(SyncVar *s) {
  if (!s->rsan) {
    MarkRegion(s->addr);
    s->rsan = static_cast<RsanSyncState *>(Alloc(sizeof(RsanSyncState)));
    *s->rsan = {};
  }
  return s->rsan;
}

// Naturally aligned accesses that overlap lie in one granule of this size.
static const uptr kGranule = 16;

static bool Overlap(uptr a, uptr a_size, uptr b, uptr b_size) {
  return a < b + b_size && b < a + a_size;
}

// The location at `addr` has been published with its extent; from now on every later one in its
// granule sees it. Withdraws it and all that it overlaps. One lock at a time: each location's own.
static void WithdrawOverlapping(SyncVar *self, uptr addr, uptr size) {
  bool overlaps = false;
  uptr granule = RoundDownTo(addr, kGranule);
  for (uptr other = granule; other < granule + kGranule; other++) {
    SyncVar *s = other == addr ? nullptr : ctx->metamap.GetSyncIfExists(other);
    if (!s)
      continue;
    Lock lock(&s->mtx);
    rsan_location *location = s->rsan ? s->rsan->location : nullptr;
    if (!location || !Overlap(addr, size, other, rsan_location_size(location)))
      continue;
    rsan_location_withdraw(RsanEngine(), location, rsan_location_size(location));
    overlaps = true;
  }
  if (!overlaps)
    return;
  Lock lock(&self->mtx);
  rsan_location_withdraw(RsanEngine(), self->rsan->location, size);
}

RsanLockedLocation::RsanLockedLocation(ThreadState *thr, uptr pc, uptr addr,
                                       uptr size) SANITIZER_NO_THREAD_SAFETY_ANALYSIS
    : s_(ctx->metamap.GetSyncOrCreate(thr, pc, addr, false)) {
  SyncVar *s = s_;
  s->mtx.Lock();
  if (UNLIKELY(!RsanWatches(thr)))
    return;
  bool wider = false;
  if (UNLIKELY(!s->rsan || !s->rsan->location)) {
    RsanStateOf(s)->location = rsan_location_new(RsanEngine(), size);
    wider = true;
  } else if (UNLIKELY(rsan_location_size(s->rsan->location) != size)) {
    wider = rsan_location_size(s->rsan->location) < size;
    rsan_location_withdraw(RsanEngine(), s->rsan->location, size);
  }
  if (UNLIKELY(wider)) {
    s->mtx.Unlock();
    WithdrawOverlapping(s, addr, size);
    s->mtx.Lock();
  }
}

bool RsanCommit(ThreadState *thr, SyncVar *s, RsanFlagged *flagged) {
  if (UNLIKELY(!RsanWatches(thr)))
    return false;
  rsan_access *access = &flagged->access;
  if (access->kind != RSAN_READ)
    access->site = CurrentStackId(thr, flagged->pc);
  bool violates =
      rsan_atomic_access(RsanEngine(), thr->rsan, s->rsan->location, access, &flagged->violation);
  // An annotation beside atomics: TSan's clock of this address holds what it released, too.
  if (s->rsan->other && rsan_order_acquires(access->order))
    rsan_acquire(thr->rsan, s->rsan->other, RSAN_UNCERTAIN);
  return violates;
}

} // namespace __tsan
