// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data races, exactly. TSan's shadow keeps four accesses of eight bytes; where all schedules are
// explored none may be forgotten that could race. If a fifth one comes, it takes the place of one
// that can be in no race which the new one is not in, too (Replaces). If there is none, the eight
// bytes get a *list* of accesses, of any length.
//
//   shadow of a list         the marker of memory that was freed, 0, 0, the newest access
//   shadow of freed memory   the same marker, who freed it, 0, 0
//
// Every access races with the marker. So whoever accesses bytes with a list comes to the place
// where TSan reports a race, and there the list is asked first. What sets the shadow anew (malloc,
// free, a new stack, a report) ends the list with it. The newest access stands beside the marker
// because repetitions of it need no check.
//
// An access that happens after an earlier one only because RC20 orders fences is a data race by
// C++20 (docs/internals/FENCES.md): no finding, but the verdict says for whose fences it is. (If
// objects are accessed with several sizes, TSan's clocks may have too much for that reason, too:
// then nothing is proved.)
//
// In the shadow TSan lets a plain read of the same thread take the place of an atomic write, which
// plain reads of others may race with. So bytes that are written atomically have a list from then
// on.

#include "exploration/rsan_exploration.h"
#include "port/rsan_tsan.h"
#include "races/rsan_race.h"
#include "schedule/rsan_token.h"

namespace __tsan {

namespace {

// The accesses of eight bytes, by the place of their shadow. A list without a mark in the shadow is
// out of date.
using Accesses = Vector<RawShadow>;
using Lists = DenseMap<RawShadow *, Accesses *>;

} // namespace

// (Threads that were taken for sleeping run beside the one that has the token.)
static StaticSpinMutex mutex;
static Lists *lists SANITIZER_GUARDED_BY(mutex);

static AccessType TypeOf(Shadow access) {
  AccessType type;
  access.GetAccess(nullptr, nullptr, &type);
  return type;
}

static bool HappensBefore(const ThreadState *thr, Shadow old) {
  return thr->fast_state.sid() == old.sid() || thr->clock.Get(old.sid()) >= old.epoch();
}

// The same by C++20's fences, of what does so by RC20's. (In a graph TSan's clocks are C++20's.)
static bool HappensBeforeByCxx20(const ThreadState *thr, Shadow old) {
  return thr->fast_state.sid() == old.sid() || !thr->rsan || rsan_follows_graphs ||
         rsan_thread_knows(thr->rsan, static_cast<u32>(old.sid()), RsanMarkOf(old.epoch()));
}

void RsanMeetsOrdered(ThreadState *thr, Shadow access, Shadow old, AccessType type) {
  if ((access.access() & old.access()) && !old.IsBothReadsOrAtomic(type) &&
      old.raw() != Shadow::kEmpty && !HappensBeforeByCxx20(thr, old)) {
    RsanNoteGap(kRsanGap_CXX20);
    if (rsan_engine_met_sizes(RsanEngine()))
      RsanNoteGap(kRsanGap_UNCHECKED);
  }
}

// May the new access stand for the old one? An access that does not happen after the old one does
// not happen after the new one either, as the old one happens before the new one. It also races
// with the new one, which covers all the bytes, writes if the old one did, and is atomic only if
// the old one was.
static bool Replaces(const ThreadState *thr, Shadow access, Shadow old) {
  const AccessType type = TypeOf(access), other = TypeOf(old);
  return HappensBefore(thr, old) && !(old.access() & ~access.access()) &&
         (!(type & kAccessRead) || (other & kAccessRead)) &&
         (!(type & kAccessAtomic) || (other & kAccessAtomic)) && HappensBeforeByCxx20(thr, old);
}

static void Add(const ThreadState *thr, Accesses *list, Shadow access) {
  uptr kept = 0;
  for (uptr i = 0; i < list->Size(); i++)
    if (!Replaces(thr, access, Shadow((*list)[i])))
      (*list)[kept++] = (*list)[i];
  list->Resize(kept);
  list->PushBack(access.raw());
}

static bool IsFreed(RawShadow *shadow) {
  return LoadShadow(shadow) == Shadow::FreedMarker();
}

static void Mark(RawShadow *shadow, RawShadow newest) {
  StoreShadow(&shadow[0], Shadow::FreedMarker());
  for (uptr i = 1; i + 1 < kShadowCnt; i++)
    StoreShadow(&shadow[i], Shadow::kEmpty);
  StoreShadow(&shadow[kShadowCnt - 1], newest);
}

// What the shadow has, in a list.
static Accesses *Begin(RawShadow *shadow) SANITIZER_REQUIRES(mutex) {
  if (!lists)
    lists = New<Lists>();
  Accesses *&list = (*lists)[shadow];
  if (!list)
    list = New<Accesses>();
  list->Resize(0);
  for (uptr i = 0; i < kShadowCnt; i++)
    if (LoadShadow(&shadow[i]) != Shadow::kEmpty)
      list->PushBack(LoadShadow(&shadow[i]));
  return list;
}

bool RsanStoreInFullShadow(ThreadState *thr, RawShadow *shadow, RawShadow access) {
  for (uptr i = 0; i < kShadowCnt; i++)
    if (Replaces(thr, Shadow(access), Shadow(LoadShadow(&shadow[i])))) {
      StoreShadow(&shadow[i], access);
      return false;
    }
  SpinMutexLock lock(&mutex);
  Add(thr, Begin(shadow), Shadow(access));
  Mark(shadow, access);
  return false;
}

// As CheckRaces does where nothing races.
bool RsanStoreOrdered(ThreadState *thr, RawShadow *shadow, Shadow access, AccessType type) {
  for (uptr i = 0; i < kShadowCnt; i++)
    RsanMeetsOrdered(thr, access, Shadow(LoadShadow(&shadow[i])), type);
  if (type & kAccessCheckOnly)
    return false;
  for (uptr i = 0; i < kShadowCnt; i++) {
    const Shadow old(LoadShadow(&shadow[i]));
    const bool repeats =
        access.sid() == old.sid() && access.access() == old.access() && old.IsRWWeakerOrEqual(type);
    if (old.raw() == Shadow::kEmpty || repeats) {
      StoreShadow(&shadow[i], access.raw());
      return false;
    }
  }
  return RsanStoreInFullShadow(thr, shadow, access.raw());
}

void RsanCheckParts(ThreadState *thr, uptr addr, uptr size, AccessType type) {
  for (uptr end = addr + size; addr < end; addr = RoundDown(addr, kShadowCell) + kShadowCell) {
    const uptr part = Min(end, RoundDown(addr, kShadowCell) + kShadowCell) - addr;
    if (RsanCheckExactly(thr, MemToShadow(addr), Shadow(thr->fast_state, addr, part, type), type))
      return;
  }
}

bool RsanFindsInList(ThreadState *thr, RawShadow *shadow, Shadow access, AccessType type,
                     Shadow *old) {
  SpinMutexLock lock(&mutex);
  const auto *found = lists ? lists->find(shadow) : nullptr;
  if (!found)
    return false; // it was set anew meanwhile
  Accesses *list = found->second;
  for (uptr i = 0; i < list->Size(); i++) {
    const Shadow other((*list)[i]);
    if (!(access.access() & other.access()) || other.IsBothReadsOrAtomic(type))
      continue;
    if (HappensBefore(thr, other)) {
      RsanMeetsOrdered(thr, access, other, type);
      continue;
    }
    *old = other;
    return true;
  }
  if (!(type & kAccessCheckOnly)) {
    Add(thr, list, access);
    StoreShadow(&shadow[kShadowCnt - 1], access.raw());
  }
  return false;
}

bool RsanKeptAccess(RawShadow *shadow, uptr i, Shadow *access) {
  if (UNLIKELY(RsanExplores()) && IsFreed(shadow) && LoadShadow(&shadow[1]) == Shadow::kEmpty) {
    SpinMutexLock lock(&mutex);
    const auto *found = lists ? lists->find(shadow) : nullptr;
    if (!found || i >= found->second->Size())
      return false;
    *access = Shadow((*found->second)[i]);
    return true;
  }
  if (i >= kShadowCnt)
    return false;
  *access = Shadow(LoadShadow(&shadow[i]));
  return true;
}

// Empties all lists at the end of an exploration. The program's next accesses happen after all that
// the exploration has done, so they race with none of it. TSan would take the marker of a list for
// memory that is never checked, and miss races there.
void RsanDropLists() {
  SpinMutexLock lock(&mutex);
  if (!lists)
    return;
  lists->forEach([](Lists::value_type &entry) {
    RawShadow *shadow = entry.getFirst();
    if (IsFreed(shadow) && LoadShadow(&shadow[1]) == Shadow::kEmpty)
      for (uptr i = 0; i < kShadowCnt; i++)
        StoreShadow(&shadow[i], Shadow::kEmpty);
    entry.getSecond()->Resize(0);
    return true;
  });
}

// Read-only data is never written, and what has a race or was freed is marked for it.
void RsanListAccesses(uptr addr, uptr size) {
  for (uptr at = RoundDown(addr, kShadowCell); at < addr + size; at += kShadowCell) {
    RawShadow *shadow = MemToShadow(at);
    const RawShadow first = LoadShadow(&shadow[0]);
    if (first == Shadow::kEmpty || first == Shadow::kRodata || IsFreed(shadow))
      continue;
    SpinMutexLock lock(&mutex);
    const Accesses *list = Begin(shadow);
    Mark(shadow, (*list)[list->Size() - 1]);
  }
}

} // namespace __tsan
