// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of robustness violations, through TSan's own report layer: suppressions, hooks,
// locations, thread descriptions, the summary line, the exit code and halt_on_error are TSan's. The
// layer decides nothing but which reports are the same (rsan_same.h).

#include "port/rsan_errno.h"
#include "port/rsan_tsan.h"

#include "base/rsan_checked.h"
#include "base/rsan_state.h"
#include "common/rsan_words.h"
#include "exploration/rsan_explore.h"
#include "places/rsan_field.h"
#include "places/rsan_kernel_calls.h"
#include "places/rsan_place.h"
#include "places/rsan_recheck.h"
#include "reports/rsan_again.h"
#include "reports/rsan_same.h"
#include "schedule/rsan_schedule.h"
#include "simulation/rsan_simulate.h"
#include "sites/rsan_site.h"

namespace __tsan {

static void AddThreads(ScopedReport *report, const rsan_explanation *explanation) {
  for (u32 i = 0; explanation && i < explanation->step_count; i++)
    if (ThreadContext *thread = RsanThreadOf(explanation->steps[i].owner))
      report->AddThread(thread);
}

static void Collect(ThreadState *thr, const RsanFlagged &flagged, const StackTrace *stacks,
                    ScopedReport *report) {
  ThreadRegistryLock registry_lock(&ctx->thread_registry);
  ThreadContext *writer = RsanThreadOf(flagged.violation.owner);
  DynamicMutexSet none;
  RsanAddAtomic(report, flagged.addr, flagged.size, thr->tid, stacks[0], none,
                flagged.access.kind != RSAN_READ);
  RsanAddAtomic(report, flagged.addr + flagged.violation.missed_offset,
                flagged.violation.missed_size, writer ? writer->tid : kInvalidTid, stacks[1], none,
                true);
  report->AddThread(thr->tctx);
  if (writer)
    report->AddThread(writer);
  AddThreads(report, flagged.explanation);
  report->AddLocation(flagged.addr, flagged.size);
}

static u64 KeyOf(u32 access, u32 missed) {
  return ((u64)access << 32) | missed;
}

static void Print(ThreadState *thr, const RsanFlagged &flagged, const StackTrace *stacks, u64 key) {
  ReportLock lock;
  if (RsanIsFurther(flagged)) // another thread was faster
    return;
  ScopedReport report(ReportTypeRobustness);
  const_cast<ReportDesc *>(report.GetReport())->rsan = &flagged;
  Collect(thr, flagged, stacks, &report);
  if (!OutputReport(thr, report, true))
    return;
  RsanNotePrinted(flagged);
  RsanNoteReported(key, flagged.token);
  RsanNoteViolation();
  RsanRepairAsYouGo(flagged);
}

static void Report(ThreadState *thr, RsanFlagged *flagged) {
  CheckedMutex::CheckNoLocks();
  // The symbolizer makes lots of intercepted calls.
  ScopedIgnoreInterceptors ignore;
  if (!rsan_flags()->report_violations || !ShouldReport(thr, ReportTypeRobustness) ||
      IsExpectedReport(flagged->addr, flagged->size))
    return;
  const u32 here = RsanSiteAt(thr, flagged->pc), there = flagged->violation.site;
  const bool quiet = RsanFindsQuietly();
  const u64 number = quiet ? RsanNumberOfStacks(RsanSiteStack(here), RsanSiteStack(there)) : 0;
  if (quiet && RsanFindsAgain(number))
    return;
  if (!quiet && RsanAreSitesKnown(here, there, flagged->violation.shown)) {
    RsanNoteAgain(KeyOf(here, there));
    if (!RsanRepairsAgain(*flagged))
      return;
    RsanExplain(thr, flagged);
    RsanRepairAsYouGo(*flagged);
    return RsanForgetExplanation(flagged);
  }
  RsanExplain(thr, flagged);
  StackTrace stacks[] = {RsanSiteStack(here), RsanSiteStack(there)};
  if (RsanIsUnreported(*flagged, stacks[0], stacks[1]) ||
      IsFiredSuppression(ctx, ReportTypeRobustness, stacks[0]) ||
      IsFiredSuppression(ctx, ReportTypeRobustness, stacks[1])) {
    if (quiet)
      RsanFinds(number, kRsanSuppressed);
    return RsanForgetExplanation(flagged);
  }
  if (quiet) {
    RsanFindsViolation(number);
    return RsanForgetExplanation(flagged);
  }
  RsanMakeTokens(flagged, stacks[0], stacks[1]);
  if (RsanIsFurther(*flagged)) {
    RsanNoteFurther(KeyOf(here, there), flagged->token);
    RsanRepairAsYouGo(*flagged);
  } else {
    Print(thr, *flagged, stacks, KeyOf(here, there));
  }
  RsanForgetExplanation(flagged);
}

// An atomic access leaves errno alone, whatever is reported of it.
void RsanReport(ThreadState *thr, const RsanFlagged &flagged) {
  const int saved_errno = errno;
  RsanFlagged reported = flagged;
  const RsanBusy busy;
  Report(thr, &reported);
  errno = saved_errno;
}

class Decorator : public SanitizerCommonDecorator {
public:
  const char *Access() const { return Blue(); }
};

const char *RsanKindName(const rsan_access &access) {
  if (access.check == RSAN_CHECK_STRONG_CAS)
    return access.kind == RSAN_READ ? "failed atomic compare-exchange" : "atomic compare-exchange";
  switch (access.kind) {
  case RSAN_READ:
    return "atomic read";
  case RSAN_WRITE:
    return "atomic write";
  case RSAN_RMW:
    return "atomic read-modify-write";
  }
  UNREACHABLE("missing case");
}

static void RenderValue(InternalScopedString *text, rsan_value value, uptr size) {
  if (size > 8 || value.high)
    text->AppendF("0x%zx%016zx", value.high, value.low);
  else if (value.low > 0xffffff)
    text->AppendF("0x%zx", value.low);
  else
    text->AppendF("%zu", value.low);
}

// "3", "a value of at least 3 in the bits 0xff"
void RsanRenderCondition(InternalScopedString *text, const rsan_access &access) {
  static const char *const relations[] = {"",
                                          "a value other than ",
                                          "a value below ",
                                          "a value of at most ",
                                          "a value above ",
                                          "a value of at least "};
  const rsan_condition &condition = access.expected;
  const u64 all = ~0ull >> (64 - 8 * Min<u32>(access.size, 8));
  bool is_signed = condition.relation >= RSAN_S_LESS;
  s64 value = rsan_sign_extend(condition.operand.low, access.size);
  text->Append(relations[condition.relation - (is_signed ? RSAN_S_LESS - RSAN_U_LESS : 0)]);
  if (is_signed && value < 0)
    text->AppendF("%lld", value);
  else
    RenderValue(text, condition.operand, access.size);
  if (condition.mask && (condition.mask & all) != all)
    text->AppendF(" in the bits 0x%llx", condition.mask);
}

// "It would read 0 in place of 1." With what it asks of the value, if it asks anything: "It
// expected 0 and would read ..."
static void RenderOutcome(InternalScopedString *text, const RsanFlagged &flagged) {
  const rsan_violation &violation = flagged.violation;
  const rsan_access &access = flagged.access;
  bool writes = access.kind == RSAN_WRITE;
  // The values may be equal, and the versions are not.
  bool same = !writes && rsan_value_equal(violation.stale, access.seen);
  const bool compares = access.compares || access.check == RSAN_CHECK_KERNEL_COMPARE;
  bool asks = compares || RsanWaits(access);
  text->Append("  It ");
  if (asks) {
    text->Append(compares ? "expected " : "waits for ");
    RsanRenderCondition(text, access);
    text->Append(" and ");
  }
  text->Append(writes ? "would overwrite " : same ? "would read an older " : "would read ");
  RenderValue(text, violation.stale, flagged.size);
  text->Append(writes ? " and then be overwritten itself by " : " in place of ");
  RenderValue(text, writes ? violation.missed_value : access.seen, flagged.size);
  text->Append(".");
}

static void PrintOutcome(const RsanFlagged &flagged) {
  const rsan_violation &violation = flagged.violation;
  InternalScopedString outcome;
  RenderOutcome(&outcome, flagged);
  Printf("%s", outcome.data());
  RsanPrintCycle(flagged);
  if (!violation.shown)
    return;
  char targets[RSAN_TARGETS_TEXT];
  rsan_targets_describe(RsanReadOptions().targets, violation.shown, targets, sizeof targets);
  Printf("  Observable on: %s\n\n", targets);
}

// "The object is queue.tail (q->tail), 64 bytes into a block of 128 bytes." TSan says where that
// is.
static void PrintField(const ReportDesc &report) {
  const char *field = RsanFieldOfAccess(report, 0);
  if (!field)
    return;
  Printf("  The object is %s", Printable(field));
  if (const char *expression = RsanFieldExpression(field))
    Printf(" (%s)", Printable(expression));
  uptr address = report.rsan->addr;
  for (uptr i = 0; i < report.locs.Size(); i++) {
    const ReportLocation &location = *report.locs[i];
    if (location.type == ReportLocationHeap)
      Printf(", %zu bytes into a block of %zu bytes", address - location.heap_chunk_start,
             location.heap_chunk_size);
  }
  Printf(".\n\n");
}

// "The write left bytes 2-3 of the 4 bytes of this access."
static void PrintPart(const RsanFlagged &flagged) {
  const rsan_violation &violation = flagged.violation;
  const unsigned size = static_cast<unsigned>(flagged.size), other = violation.missed_size;
  char text[16];
  const rsan_common_bytes part = rsan_common_bytes_text(violation.missed_offset, size, other, text);
  if (part == RSAN_BYTES_LEFT)
    Printf("  " RSAN_WORDS_BYTES_LEFT "\n\n", text, size);
  else if (part == RSAN_BYTES_HAD)
    Printf("  " RSAN_WORDS_BYTES_HAD "\n\n", text, other);
}

// "Checked again by compare-exchange at take t.c:21:10: it would fail with the older value, ..."
static void PrintRecheck(const ReportDesc &report) {
  RsanRecheck recheck;
  const ReportStack *stack = report.mops[0]->stack;
  if (!stack || !RsanFindRecheck(stack->frames, *report.rsan, &recheck))
    return;
  AddressInfo info = recheck.place->info;
  info.line = static_cast<int>(recheck.line);
  info.column = static_cast<int>(recheck.column);
  InternalScopedString place;
  RsanRenderPlace(&place, info);
  Printf("  Checked again by compare-exchange at %s: it would fail with the older value, for which "
         "there is no other use.\n\n",
         Printable(place.data()));
}

// What comes of an older value, where that is known (docs/internals/HARMLESS.md).
static void PrintClass(const ReportDesc &report) {
  const ReportStack *stack = report.mops[0]->stack;
  if (stack && RsanIsRetried(stack->frames, *report.rsan))
    Printf(
        "  Harmless (retried): whatever it reads, a compare-exchange of the same object decides, "
        "and is repeated until it succeeds.\n\n");
}

void RsanPrintAccesses(const ReportDesc *report) {
  Decorator decorator;
  const RsanFlagged &flagged = *report->rsan;
  char name[64];
  const char *kind = RsanKindName(flagged.access), *call = RsanKernelCallOf(flagged.access);
  Printf("%s  %c%s%s%s of size %zu at %p by %s (%s):\n%s", decorator.Access(), kind[0] - 'a' + 'A',
         kind + 1, call ? " by " : "", call ? call : "", flagged.size, (void *)flagged.addr,
         thread_name(name, report->mops[0]->tid), RsanOrderName(flagged.access.order),
         decorator.Default());
  PrintStack(report->mops[0]->stack);
  Tid writer = report->mops[1]->tid;
  if (writer == kInvalidTid)
    internal_snprintf(name, sizeof(name), "a thread that has finished");
  else
    thread_name(name, writer);
  Printf("%s  %s the atomic %s of size %zu by %s (%s):\n%s", decorator.Access(),
         flagged.access.kind == RSAN_WRITE ? "may be ordered before" : "may miss",
         flagged.violation.plain ? "write" : "read-modify-write",
         static_cast<uptr>(flagged.violation.missed_size),
         writer == kMainTid ? "main thread" : name, RsanOrderName(flagged.violation.order),
         decorator.Default());
  PrintStack(report->mops[1]->stack);
  PrintOutcome(flagged);
  PrintPart(flagged);
  PrintRecheck(*report);
  PrintClass(*report);
  PrintField(*report);
}

} // namespace __tsan
