// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "races/rsan_version_clocks.h"

#include "locations/rsan_lock.h"
#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

struct VersionClock {
  u64 version;
  RsanRaceClock clock; // without epochs: the version released nothing
};

} // namespace

struct RsanVersionClocks {
  u64 restarts; // of the location's history
  u32 count;    // of entries that were ever made: the newest `room` of them are there
  u32 room;     // 0, kRoom, twice as many each time, RSAN_WEAK_VERSIONS
  VersionClock *at;
};
static const u32 kRoom = 3; // most objects are written a few times
static_assert(RSAN_WEAK_VERSIONS == 8 * kRoom, "room is doubled up to all of it");

static void Forget(VersionClock *entry) {
  if (entry->clock.epochs)
    FreeImpl(entry->clock.epochs);
  entry->clock.epochs = nullptr;
}

static void Clear(RsanVersionClocks *clocks) {
  for (u32 i = 0; i < clocks->room; i++)
    Forget(&clocks->at[i]);
  clocks->count = 0;
}

void RsanFreeVersionClocks(RsanVersionClocks *clocks) {
  if (!clocks)
    return;
  Clear(clocks);
  if (clocks->at)
    FreeImpl(clocks->at);
  FreeImpl(clocks);
}

static RsanVersionClocks *ClocksOf(SyncVar *s, u64 restarts) {
  RsanVersionClocks *&clocks = RsanStateOf(s)->versions;
  if (!clocks) {
    clocks = static_cast<RsanVersionClocks *>(Alloc(sizeof(RsanVersionClocks)));
    *clocks = {};
  } else if (clocks->restarts != restarts) {
    Clear(clocks);
  }
  clocks->restarts = restarts;
  return clocks;
}

static void Grow(RsanVersionClocks *clocks) {
  const u32 room = clocks->room ? 2 * clocks->room : kRoom;
  auto *at = static_cast<VersionClock *>(Alloc(room * sizeof(VersionClock)));
  for (u32 i = 0; i < room; i++)
    at[i] = i < clocks->room ? clocks->at[i] : VersionClock();
  if (clocks->at)
    FreeImpl(clocks->at);
  clocks->at = at;
  clocks->room = room;
}

static VersionClock *NextEntry(RsanVersionClocks *clocks) {
  if (clocks->count == clocks->room && clocks->room < RSAN_WEAK_VERSIONS)
    Grow(clocks);
  return &clocks->at[clocks->count++ % clocks->room];
}

// In the memory of `copy`, if it has room for it.
static void Copy(const RsanRaceClock &from, RsanRaceClock *copy) {
  const uptr size = from.count * kRaceGroup * sizeof(Epoch);
  RsanRaceClock old = *copy;
  if (!old.epochs || old.room < from.count) {
    if (old.epochs)
      FreeImpl(old.epochs);
    old.epochs = static_cast<Epoch *>(Alloc(size));
    old.room = from.count;
  }
  *copy = from;
  copy->epochs = old.epochs;
  copy->room = old.room;
  internal_memcpy(copy->epochs, from.epochs, size);
}

void RsanKeepVersionClock(SyncVar *s) {
  const rsan_version_name newest = rsan_weak_newest(s->rsan.location);
  RsanVersionClocks *clocks = ClocksOf(s, newest.restarts);
  if (clocks->count && clocks->at[(clocks->count - 1) % clocks->room].version == newest.number)
    return; // whoever was about to write has not, or writes now
  VersionClock *entry = NextEntry(clocks);
  if (RsanRaceIsEmpty(s))
    Forget(entry);
  else
    Copy(s->rsan.race, &entry->clock);
  entry->version = newest.number;
}

static const VersionClock *Find(const SyncVar *s, u64 version) {
  const RsanVersionClocks *clocks = s->rsan.state ? s->rsan.state->versions : nullptr;
  if (!clocks || clocks->restarts != rsan_weak_newest(s->rsan.location).restarts)
    return nullptr;
  for (u32 i = 0; i < Min(clocks->count, clocks->room); i++)
    if (clocks->at[i].version == version)
      return &clocks->at[i];
  return nullptr;
}

bool RsanHasVersionClock(const SyncVar *s, u64 version) {
  return !rsan_flags()->races || Find(s, version);
}

void RsanTakeVersionClock(ThreadState *thr, const SyncVar *s, u64 version, bool acquires) {
  const VersionClock *entry = rsan_flags()->races ? Find(s, version) : nullptr;
  // (The epochs of another period count as none: the shadow was cleared when they ended.)
  if (!entry || !entry->clock.epochs || entry->clock.period != static_cast<u16>(ctx->global_epoch))
    return;
  RsanRaceJoin(acquires ? &thr->clock : &thr->rsan_own.acquire, entry->clock);
  if (acquires)
    RsanRaceStir(thr);
  else
    thr->rsan_own.has_acquire = true;
}

} // namespace __tsan
