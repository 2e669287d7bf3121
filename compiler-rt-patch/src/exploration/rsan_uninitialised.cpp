// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_uninitialised.h"

#include "departures/rsan_departures.h"
#include "exploration/rsan_exploration.h"
#include "exploration/rsan_fibers.h"
#include "exploration/rsan_test_heap.h"
#include "locations/rsan_lent.h"
#include "port/rsan_errno.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"
#include "sites/rsan_site.h"

namespace __tsan {

static u64 reads;

static bool Finds(uptr addr, uptr size, u8 pattern) {
  const u8 *bytes = reinterpret_cast<const u8 *>(addr);
  for (uptr i = 0; i < size; i++)
    if (bytes[i] != pattern)
      return false;
  return true;
}

// The live block of the heap that the object is in; null: it is in none.
static const MBlock *BlockOf(uptr addr, uptr size) {
  uptr begin;
  const MBlock *block = RsanBlockOf(addr, &begin);
  return block && addr + size <= begin + block->siz ? block : nullptr;
}

// (A value that was written atomically is one, wherever the program has it from.)
static bool IsWritten(uptr addr) {
  const SyncVar *s = ctx->metamap.GetSyncIfExists(addr);
  return s && s->rsan.location && rsan_location_is_written(s->rsan.location);
}

static u64 NumberOf(ThreadState *thr, uptr pc, const MBlock *block) {
  const u64 number =
      RsanNumberOfStacks(StackDepotGet(CurrentStackId(thr, pc)), StackDepotGet(block->stk));
  return RsanDepartureCount() ? ~number : number;
}

static void Suspect(RsanSuspects *suspects, ThreadState *thr, uptr pc, uptr addr, uptr size) {
  const bool before = Finds(addr, size, kRsanFillBefore);
  if (RsanIsUnexplored() || (!before && !Finds(addr, size, kRsanFill)))
    return;
  const MBlock *block = BlockOf(addr, size);
  if (!block || IsWritten(addr))
    return;
  if (before)
    RsanNoteGap(kRsanGap_UNINITIALISED);
  const u64 number = NumberOf(thr, pc, block);
  if ((!before && RsanFindsAgain(number)) || suspects->count == kRsanMostSuspects)
    return;
  for (u32 i = 0; i < suspects->count; i++)
    if (suspects->at[i].number == number)
      return;
  suspects->at[suspects->count++] = {number, reads, before, false};
}

// False: it is suppressed. (Nothing is printed where findings are noted.)
static bool Report(ThreadState *thr, uptr pc, uptr addr, uptr size) {
  const int saved_errno = errno;
  const RsanBusy busy;
  bool reported = false;
  if (ShouldReport(thr, ReportTypeUninitialised)) {
    ScopedIgnoreInterceptors ignore;
    const StackTrace stack = StackDepotGet(CurrentStackId(thr, pc));
    ScopedReport report(ReportTypeUninitialised);
    {
      ThreadRegistryLock registry_lock(&ctx->thread_registry);
      DynamicMutexSet none;
      RsanAddAtomic(&report, addr, size, thr->tid, stack, none, false);
      report.AddThread(thr->tctx);
      report.AddLocation(addr, size);
    }
    reported = OutputReport(thr, report);
  }
  errno = saved_errno;
  return reported;
}

// Is this the replay of another run from some step on? Then its reads are other ones.
static bool Differs() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  return rsan_schedule_state->schedule.difference.kind != RSAN_SAME;
}

// The read is that of the suspect, and finds the pattern of this run.
static void Meet(RsanSuspects::For run, RsanSuspect *suspect, ThreadState *thr, uptr pc, uptr addr,
                 uptr size) {
  const MBlock *block = BlockOf(addr, size);
  if (!block)
    return;
  if (run == RsanSuspects::kReport) {
    if (suspect->confirmed && !Differs())
      Report(thr, pc, addr, size);
  } else if (NumberOf(thr, pc, block) == suspect->number) {
    suspect->confirmed = true; // (the report may end the process)
    suspect->confirmed = Report(thr, pc, addr, size);
  }
}

void RsanLooksAtRead(ThreadState *thr, uptr pc, uptr addr, uptr size) {
  RsanSuspects *suspects = RsanPresentSuspects();
  if (!suspects || !RsanIsScheduled(thr))
    return;
  reads++;
  if (suspects->run == RsanSuspects::kFind)
    return Suspect(suspects, thr, pc, addr, size);
  for (u32 i = 0; i < suspects->count; i++)
    if (suspects->at[i].read == reads && Finds(addr, size, RsanWantedFill()))
      Meet(suspects->run, &suspects->at[i], thr, pc, addr, size);
}

void RsanLooksAtInitialValue(uptr addr, u32 size, rsan_value value) {
  const bool is_pattern = Finds(reinterpret_cast<uptr>(&value), size, kRsanTestHeapFill);
  if (is_pattern && (RsanIsInTestHeap(reinterpret_cast<void *>(addr)) || BlockOf(addr, size)))
    RsanNoteGap(kRsanGap_UNINITIALISED);
}

void RsanLooksAtWait(ThreadState *thr, uptr pc, uptr addr, uptr size) {
  if (thr->rsan_own.waits_for != addr)
    RsanLooksAtRead(thr, pc, addr, size);
}

} // namespace __tsan
