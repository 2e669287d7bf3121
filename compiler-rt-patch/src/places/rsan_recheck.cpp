// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "places/rsan_recheck.h"

#include "port/rsan_tsan.h"

#include "places/rsan_place.h"

namespace __tsan {

namespace {

// A branch that the value decides before it is checked: (value & mask) relation operand. Beside the
// relation stands which outcome leads to the compare-exchange, if only one does.
constexpr u64 kMustHold = 0x100, kMustFail = 0x200;

struct Guard {
  u64 relation, mask, operand;
};

// As the compiler's pass writes them down.
struct Noted {
  u64 key;          // of the access's place (rsan_source_name.h)
  u32 line, column; // of the compare-exchange that checks the value; 0: none
  u32 retried;
  u32 guard_count;
  const Guard *guards;
};

// A copy: the module that noted it may be unloaded.
struct Known {
  u32 line, column; // line 0 also if two modules say two things
  bool retried;
  u32 guard_count;
  const Guard *guards;
};

} // namespace

static StaticSpinMutex rechecks_mutex;
static DenseMap<u64, Known> *rechecks SANITIZER_GUARDED_BY(rechecks_mutex); // by key

// Would the older value have gone another way than the one that was read, or both away from the
// compare-exchange?
static bool IsGuarded(const Guard &guard, const RsanFlagged &flagged) {
  rsan_condition condition = {};
  condition.operand.low = guard.operand;
  condition.mask = guard.mask;
  condition.relation = static_cast<u8>(guard.relation);
  condition.size = static_cast<u8>(flagged.size);
  const bool holds = rsan_condition_holds(&condition, flagged.access.seen);
  return rsan_condition_holds(&condition, flagged.violation.stale) != holds ||
         (guard.relation & (holds ? kMustFail : kMustHold));
}

static bool FindKnown(u64 key, Known *known) {
  if (!key || ctx->after_multithreaded_fork)
    return false;
  SpinMutexLock lock(&rechecks_mutex);
  auto *found = rechecks ? rechecks->find(key) : nullptr;
  if (found)
    *known = found->second;
  return found;
}

bool RsanFindRecheck(const SymbolizedStack *frames, const RsanFlagged &flagged,
                     RsanRecheck *recheck) {
  const rsan_violation &violation = flagged.violation;
  const rsan_access &access = flagged.access;
  Known known;
  if (access.kind != RSAN_READ || access.compares || RsanWaits(access) || violation.plain ||
      rsan_value_equal(violation.stale, access.seen))
    return false;
  recheck->place = frames ? RsanPlaceOf(frames) : nullptr;
  if (!recheck->place || !FindKnown(RsanPlaceKey(recheck->place->info), &known) || !known.line)
    return false;
  for (u64 i = 0; i < known.guard_count; i++)
    if (IsGuarded(known.guards[i], flagged))
      return false;
  recheck->line = known.line;
  recheck->column = known.column;
  return true;
}

bool RsanIsRetried(const SymbolizedStack *frames, const RsanFlagged &flagged) {
  const rsan_access &access = flagged.access;
  const bool looks =
      access.check == RSAN_CHECK_READ || (access.compares && access.check == RSAN_CHECK_STRONG_CAS);
  const SymbolizedStack *place =
      frames && looks && !RsanWaits(access) ? RsanPlaceOf(frames) : nullptr;
  Known known;
  return place && FindKnown(RsanPlaceKey(place->info), &known) && known.retried;
}

static bool IsSame(const Known &known, const Noted &noted) {
  return known.line == noted.line && known.column == noted.column &&
         known.guard_count == noted.guard_count &&
         (!noted.guard_count ||
          internal_memcmp(known.guards, noted.guards, noted.guard_count * sizeof(Guard)) == 0);
}

static void Note(const Noted &noted) {
  auto made = rechecks->insert({noted.key, Known()});
  Known &known = made.first->getSecond();
  if (!made.second) {
    if (!IsSame(known, noted))
      known.line = 0;
    known.retried &= noted.retried != 0;
    return;
  }
  known = {noted.line, noted.column, noted.retried != 0, noted.guard_count, nullptr};
  if (!noted.guard_count)
    return;
  uptr size = noted.guard_count * sizeof(Guard);
  auto *guards = static_cast<Guard *>(InternalAlloc(size));
  internal_memcpy(guards, noted.guards, size);
  known.guards = guards;
}

} // namespace __tsan

using namespace __tsan;

// Called by the compiler's pass when a module is loaded.
extern "C" SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_rechecks(const Noted *noted, u32 count) {
  // Another thread may have held the lock when the process forked; nothing is reported there.
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&rechecks_mutex);
  if (!rechecks)
    rechecks = New<DenseMap<u64, Known>>();
  for (u32 i = 0; i < count; i++)
    Note(noted[i]);
}
