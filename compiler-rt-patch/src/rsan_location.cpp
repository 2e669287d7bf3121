// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic locations: found through TSan's meta map, so that they die with the memory they stand for.

#include "rsan_state.h"
#include "tsan_sync.h"

namespace __tsan {

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

RsanLockedLocation::RsanLockedLocation(ThreadState *thr, uptr pc, uptr addr, uptr size)
    SANITIZER_NO_THREAD_SAFETY_ANALYSIS
    : s_(ctx->metamap.GetSyncOrCreate(thr, pc, addr, false)) {
  SyncVar *s = s_;
  s->mtx.Lock();
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
  rsan_access *access = &flagged->access;
  if (access->kind != RSAN_READ)
    access->site = CurrentStackId(thr, flagged->pc);
  bool violates = rsan_atomic_access(RsanEngine(), thr->rsan, s->rsan->location, access,
                              &flagged->violation);
  // An annotation beside atomics: TSan's clock of this address holds what it released, too.
  if (s->rsan->other && rsan_order_acquires(access->order))
    rsan_acquire(thr->rsan, s->rsan->other, RSAN_UNCERTAIN);
  return violates;
}

}  // namespace __tsan
