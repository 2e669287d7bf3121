// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// repair_as_you_go=1: after a violation the program goes on as if it had been repaired there, by
// the repairs that the explanation names, or else by a fence after the write that may be missed and
// one before the access that may miss it.

#include "port/rsan_tsan.h"

#include "base/rsan_state.h"
#include "simulation/rsan_simulate.h"
#include "sites/rsan_site.h"

namespace __tsan {

namespace {

// The accesses of a violation that has been repaired.
struct Pair {
  uptr pc;
  u32 missed;
};

} // namespace

static Mutex mutex;
static Vector<Pair> *repaired SANITIZER_GUARDED_BY(mutex);

static bool IsRepaired(const RsanFlagged &flagged) SANITIZER_REQUIRES(mutex) {
  for (uptr i = 0; repaired && i < repaired->Size(); i++)
    if ((*repaired)[i].pc == flagged.pc && (*repaired)[i].missed == flagged.violation.site)
      return true;
  return false;
}

bool RsanRepairsAgain(const RsanFlagged &flagged) {
  if (!rsan_flags()->repair_as_you_go)
    return false;
  Lock lock(&mutex);
  return IsRepaired(flagged);
}

static void NoteRepaired(const RsanFlagged &flagged) {
  Lock lock(&mutex);
  if (!repaired)
    repaired = New<Vector<Pair>>();
  if (!IsRepaired(flagged))
    repaired->PushBack({flagged.pc, flagged.violation.site});
}

void RsanRepairAsYouGo(const RsanFlagged &flagged) {
  if (!rsan_flags()->repair_as_you_go)
    return;
  NoteRepaired(flagged);
  const rsan_explanation *why = flagged.explanation;
  for (u32 i = 0; why && i < why->repair_count; i++) {
    const rsan_repair &found = why->repairs[i];
    RsanRepair repair = {};
    if (found.kind == RSAN_REPAIR_ORDER)
      repair.order = found.order;
    else
      (found.before ? repair.before : repair.after) = true;
    if (found.pc)
      RsanAddRepair(found.pc, repair);
  }
  if (why && why->repair_count)
    return;
  RsanRepair before = {}, after = {};
  before.before = after.after = true;
  if (uptr missed = RsanSitePc(flagged.violation.site))
    RsanAddRepair(missed, after);
  RsanAddRepair(flagged.pc, before);
}

} // namespace __tsan
