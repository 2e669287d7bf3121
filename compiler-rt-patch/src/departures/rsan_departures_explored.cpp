// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/rsan_exploring.h"
#include "departures/rsan_departures.h"
#include "locations/rsan_lock.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"
#include "sites/rsan_site.h"

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

// Counts the versions that the object has had up to `newest`. The number rises as well when the
// object's history starts over, for the upper bits count how often that was.
static u64 CountVersions(u64 restarts, u64 newest) {
  return (restarts << 40) + newest + 1;
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

void RsanLookAhead(const RsanOccasion &occasion, rsan_op *op) {
  const SyncVar *s = ObjectOf(occasion);
  if (!s || !RsanMayDepart(occasion.thr))
    return;
  const u64 restarts = rsan_weak_newest(s->rsan.location).restarts;
  op->versions = CountVersions(restarts, rsan_weak_newest(s->rsan.location).number);
  rsan_access access = occasion.access;
  access.seen = op->before;
  rsan_candidate candidates[RSAN_CANDIDATES];
  const u32 count = rsan_weak_look(occasion.thr->rsan, s->rsan.location, &access, candidates);
  for (u32 i = 0; i < count; i++) {
    const rsan_candidate &candidate = candidates[i];
    if (!RsanSuits(access, occasion.fetches ? &occasion.found : nullptr, candidate) ||
        !RsanHasVersionClock(s, candidate.version))
      continue;
    const bool in_s = rsan_flags()->weak_departures != 1 &&
                      rsan_weak_is_in_s(occasion.thr->rsan, candidate.order);
    rsan_op_might_depart(op, CountVersions(restarts, candidate.version), occasion.declined,
                         candidate.kind != RSAN_READ, in_s);
  }
}

bool RsanMayEndWait(const RsanOccasion &occasion, rsan_value now) {
  rsan_op op = {};
  op.before = now;
  RsanLookAhead(occasion, &op);
  return rsan_op_ends_by_departure(&op);
}

void RsanDecline(const RsanOccasion &occasion) {
  rsan_op op = {};
  RsanLookAhead(occasion, &op);
  occasion.thr->rsan_own.declined = op.versions;
}

static RsanDepartedPlaces *departed_places;

void RsanNoteDeparturesIn(RsanDepartedPlaces *places) {
  departed_places = places;
}

// One thread of an execution runs at a time, so the memory needs no lock.
void RsanNoteDepartedPlace(StackTrace at, StackTrace missed) {
  if (departed_places && departed_places->count < RsanDepartedPlaces::kMost)
    departed_places->at[departed_places->count++] = RsanNumberOfStacks(at, missed);
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
