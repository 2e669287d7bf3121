// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "departures/rsan_departures.h"
#include "exploration/rsan_explore.h"
#include "sanitizer_common/sanitizer_placement_new.h"
#include "schedule/rsan_token.h"
#include "tsan_mman.h"

extern "C" {
#include "rsan/schedule/dependence.h"
}

namespace __tsan {

RsanOccasion *RsanNextOccasion(ThreadState *thr) {
  if (!RsanExploresDepartures() || !RsanChoosesBySchedule(thr))
    return nullptr;
  if (!rsan_self->occasion)
    rsan_self->occasion = New<RsanOccasion>();
  *rsan_self->occasion = {};
  rsan_self->occasion->thr = thr;
  return rsan_self->occasion;
}

// Versions of the object so far; 0: none is known. Their numbers begin again when its history does.
static u64 CountVersions(const SyncVar *s) {
  const rsan_version_name newest = rsan_weak_newest(s->rsan.location);
  return (newest.restarts << 40) + newest.number + 1;
}

// Null: there is none, or it is another one.
static SyncVar *ObjectOf(const RsanOccasion &occasion) {
  SyncVar *s = ctx->metamap.GetSyncIfExists(occasion.addr);
  return s && RsanIsOf(s, occasion.addr, static_cast<u32>(occasion.size)) && s->rsan.location
             ? s
             : nullptr;
}

bool RsanSuits(const rsan_access &access, const rsan_value *found,
               const rsan_candidate &candidate) {
  if (found)
    return candidate.value.low == found->low;
  return !access.compares || candidate.kind == RSAN_RMW ||
         !rsan_condition_holds(&access.expected, candidate.value);
}

static void TakeCandidate(const RsanOccasion &occasion, const rsan_candidate &candidate,
                          u64 restarts, rsan_op *op) {
  const u64 with = Max<u64>((restarts << 40) + candidate.version + 2, occasion.declined + 1);
  op->departs_with = op->departs ? Min<u64>(op->departs_with, with) : with;
  op->departs = true;
  op->writes |= candidate.kind != RSAN_READ;
  op->departs_in_s |=
      rsan_flags()->weak_departures != 1 && rsan_weak_is_in_s(occasion.thr->rsan, candidate.order);
}

void RsanLookAhead(const RsanOccasion &occasion, rsan_op *op) {
  const SyncVar *s = ObjectOf(occasion);
  if (!s || !RsanMayDepart(occasion.thr))
    return;
  op->versions = CountVersions(s);
  rsan_access access = occasion.access;
  access.seen = op->before;
  rsan_candidate candidates[RSAN_CANDIDATES];
  const u32 count = rsan_weak_look(occasion.thr->rsan, s->rsan.location, &access, candidates);
  for (u32 i = 0; i < count; i++)
    if (RsanSuits(access, occasion.fetches ? &occasion.found : nullptr, candidates[i]) &&
        RsanHasVersionClock(s, candidates[i].version))
      TakeCandidate(occasion, candidates[i], rsan_weak_newest(s->rsan.location).restarts, op);
}

bool RsanMayEndWait(const RsanOccasion &occasion, rsan_value now) {
  rsan_op op = {};
  op.before = now;
  RsanLookAhead(occasion, &op);
  return op.departs && op.versions >= op.departs_with;
}

void RsanDecline(const RsanOccasion &occasion) {
  const SyncVar *s = ObjectOf(occasion);
  occasion.thr->rsan_own.declined = s ? CountVersions(s) : 0;
}

void RsanNoteForgotten(ThreadState *thr, const SyncVar *s, const rsan_access &access) {
  if (RsanExploresDepartures() && rsan_weak_forgets(thr->rsan, s->rsan.location, &access))
    RsanNoteGap(kRsanGap_VERSIONS);
}

void RsanNoteUnsuited(const rsan_access &access) {
  if (RsanExploresDepartures() && access.compares)
    RsanNoteGap(kRsanGap_SPURIOUS);
}

} // namespace __tsan
