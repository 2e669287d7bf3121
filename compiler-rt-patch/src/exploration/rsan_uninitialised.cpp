// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_uninitialised.h"

#include "departures/rsan_departures.h"
#include "exploration/rsan_exploration.h"
#include "exploration/rsan_fibers.h"
#include "port/rsan_errno.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

// Bytes that are seldom all of a value; addresses of none. As booleans the last two differ.
static const u8 kBefore = 0xa5, kOtherBefore = 0x3d, kFill = 0xb7, kOtherFill = 0x5c;
static const uptr kMostFilled = 64 << 20; // bytes of a block

u8 rsan_fills;
static RsanSuspects *suspects; // null: no thread was created so far
static RsanSuspects recorded;  // of a replay
static bool before_differs;    // a replay that is to say what was there before the first thread
static u8 wanted;              // what a read has to find
static u64 reads;
static const char kOption[] = ":uninitialised=";

void RsanFill(void *block, uptr size) {
  if (size > kMostFilled && RsanExplores())
    RsanNoteGap(kRsanGap_UNFILLED);
  internal_memset(block, rsan_fills, Min(size, kMostFilled));
}

void RsanFillFromNow() {
  rsan_fills = kBefore;
}

void RsanFillForThreads(RsanSuspects *of_run) {
  if (!rsan_fills || suspects)
    return;
  suspects = of_run ? of_run : &recorded;
  rsan_fills = suspects->run == RsanSuspects::kConfirm ? kOtherFill : kFill;
  wanted = before_differs ? kOtherBefore : rsan_fills;
}

// -- in records: ":uninitialised=", 1 if memory from before the first thread is to differ, else 0,
// and the numbers of the reads that are reported, a dot before each --

void RsanPutFill(char *options, uptr room) {
  if (!rsan_fills)
    return;
  const RsanSuspects *list = suspects ? suspects : &recorded;
  const u32 count = list->count;
  uptr length = internal_strlen(options);
  length += static_cast<uptr>(internal_snprintf(options + length, room - length, "%s%d", kOption,
                                                count && list->at[0].before));
  for (u32 i = 0; i < count && length + 22 < room; i++)
    if (list->at[i].confirmed)
      length += static_cast<uptr>(internal_snprintf(options + length, room - length, ".%llu",
                                                    (unsigned long long)list->at[i].read));
}

void RsanFillAsRecorded(const char *options) {
  const char *at = internal_strstr(options, kOption);
  if (!at)
    return;
  before_differs = internal_simple_strtoll(at + sizeof kOption - 1, &at, 10) != 0;
  rsan_fills = before_differs ? kOtherBefore : kBefore;
  recorded.run = RsanSuspects::kReport;
  while (*at == '.' && recorded.count < kRsanMostSuspects)
    recorded.at[recorded.count++] = {0, static_cast<u64>(internal_simple_strtoll(at + 1, &at, 10)),
                                     before_differs, true};
}

// -- reads --

static bool Finds(uptr addr, uptr size, u8 pattern) {
  const u8 *bytes = reinterpret_cast<const u8 *>(addr);
  for (uptr i = 0; i < size; i++)
    if (bytes[i] != pattern)
      return false;
  return true;
}

// The live block of the heap that the object is in; null: it is in none.
static const MBlock *BlockOf(uptr addr, uptr size) {
  void *object = reinterpret_cast<void *>(addr);
  if (!allocator()->PointerIsMine(object))
    return nullptr;
  const uptr begin = reinterpret_cast<uptr>(allocator()->GetBlockBegin(object));
  const MBlock *block = begin ? ctx->metamap.GetBlock(begin) : nullptr;
  return block && addr + size <= begin + block->siz ? block : nullptr;
}

// (A value that was written atomically is one, wherever the program has it from.)
static bool IsWritten(uptr addr) {
  const SyncVar *s = ctx->metamap.GetSyncIfExists(addr);
  return s && s->rsan.location && rsan_location_is_written(s->rsan.location);
}

static u64 NumberOf(ThreadState *thr, uptr pc, const MBlock *block) {
  const u64 number =
      RsanFindingNumber(StackDepotGet(CurrentStackId(thr, pc)), StackDepotGet(block->stk));
  return RsanDepartureCount() ? ~number : number;
}

static void Suspect(ThreadState *thr, uptr pc, uptr addr, uptr size) {
  const bool before = Finds(addr, size, kBefore);
  if (RsanIsUnexplored() || (!before && !Finds(addr, size, kFill)))
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
static void Meet(RsanSuspect *suspect, ThreadState *thr, uptr pc, uptr addr, uptr size) {
  const MBlock *block = BlockOf(addr, size);
  if (!block)
    return;
  if (suspects->run == RsanSuspects::kReport) {
    if (suspect->confirmed && !Differs())
      Report(thr, pc, addr, size);
  } else if (NumberOf(thr, pc, block) == suspect->number) {
    suspect->confirmed = true; // (the report may end the process)
    suspect->confirmed = Report(thr, pc, addr, size);
  }
}

void RsanLooksAtRead(ThreadState *thr, uptr pc, uptr addr, uptr size) {
  if (!suspects || !RsanIsScheduled(thr))
    return;
  reads++;
  if (suspects->run == RsanSuspects::kFind)
    return Suspect(thr, pc, addr, size);
  for (u32 i = 0; i < suspects->count; i++)
    if (suspects->at[i].read == reads && Finds(addr, size, wanted))
      Meet(&suspects->at[i], thr, pc, addr, size);
}

void RsanLooksAtWait(ThreadState *thr, uptr pc, uptr addr, uptr size) {
  if (thr->rsan_own.waits_for != addr)
    RsanLooksAtRead(thr, pc, addr, size);
}

} // namespace __tsan
