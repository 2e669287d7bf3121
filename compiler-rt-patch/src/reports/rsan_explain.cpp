// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a violation is one: the text of its critical cycle and of the repairs that would break it.
// (rsan/explain/ finds both.)

#include "base/rsan_unseen_code.h"
#include "common/rsan_words.h"
#include "departures/rsan_departures.h"
#include "places/rsan_field.h"
#include "places/rsan_kernel_calls.h"
#include "places/rsan_place.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_schedule.h"
#include "sites/rsan_site.h"

namespace __tsan {

// Before anything else is done for the report: the other threads go on.
void RsanExplain(ThreadState *thr, RsanFlagged *flagged) {
  flagged->explanation = nullptr;
  if (!rsan_flags()->explain || !thr->rsan)
    return;
  auto *explanation = static_cast<rsan_explanation *>(Alloc(sizeof(rsan_explanation)));
  rsan_access access = flagged->access;
  access.pc = flagged->pc;
  access.caller = RsanCaller(thr);
  access.address = flagged->addr;
  rsan_explain(thr->rsan, &access, &flagged->violation, explanation);
  const u32 missed = flagged->violation.site;
  rsan_explanation_place(explanation, RsanSitePc(missed), RsanSitePc(RsanSiteParent(missed)));
  flagged->explanation = explanation;
}

void RsanForgetExplanation(RsanFlagged *flagged) {
  if (flagged->explanation)
    FreeImpl(const_cast<rsan_explanation *>(flagged->explanation));
  flagged->explanation = nullptr;
}

// `push ring.c:20:3 via store_release atomic.h:8:1`.
static void RenderPlace(InternalScopedString *text, const rsan_step &step) {
  RsanStepFrames at(step);
  if (!at.frames())
    return;
  const SymbolizedStack *place = at.place(), *wrapper = RsanWrapperAt(at.frames(), place);
  RsanRenderPlace(text, place->info);
  if (!wrapper)
    return;
  text->Append(" via ");
  RsanRenderPlace(text, wrapper->info);
}

static const char *StepName(const rsan_step &step) {
  switch (step.kind) {
  case RSAN_STEP_ACCESS:
    break;
  case RSAN_STEP_UNLOCK:
    return "unlock";
  case RSAN_STEP_LOCK:
    return "lock";
  case RSAN_STEP_CREATE:
    return "create";
  case RSAN_STEP_START:
    return "start";
  case RSAN_STEP_FINISH:
    return "finish";
  case RSAN_STEP_JOIN:
    return "join";
  }
  if (step.check == RSAN_CHECK_STRONG_CAS)
    return step.access == RSAN_READ ? "failed compare-exchange" : "compare-exchange";
  return step.access == RSAN_READ    ? "read"
         : step.access == RSAN_WRITE ? "write"
                                     : "read-modify-write";
}

// The object: a global's name or an address, with the field's name before it if that is known, or
// the other thread.
static void RenderObject(InternalScopedString *text, const rsan_explanation &why, u32 i) {
  const rsan_step &step = why.steps[i];
  if (step.kind == RSAN_STEP_CREATE)
    return RsanRenderThread(text, RsanTidOf(why.steps[i + 1].owner));
  if (step.kind == RSAN_STEP_JOIN)
    return RsanRenderThread(text, RsanTidOf(why.steps[i - 1].owner));
  if (!step.address)
    return;
  if (const char *field = RsanFieldOfStep(why, i))
    text->AppendF("%s@", field);
  if (!RsanRenderName(text, step.address))
    text->AppendF("%p", (void *)step.address);
}

namespace {
struct Row {
  char *cells[3]; // kind and object, thread, place
};
} // namespace

static void Pad(InternalScopedString *text, uptr width) {
  while (text->length() < width)
    text->Append(" ");
}

static char *Copy(InternalScopedString *text) {
  char *copy = internal_strdup(Printable(text->data()));
  text->clear();
  return copy;
}

static void FillRows(const rsan_explanation &why, Row *rows, uptr *widths) {
  uptr kind_width = 0;
  for (u32 i = 0; i < why.step_count; i++)
    kind_width = Max(kind_width, internal_strlen(StepName(why.steps[i])));
  InternalScopedString text;
  for (u32 i = 0; i < why.step_count; i++) {
    text.Append(StepName(why.steps[i]));
    Pad(&text, kind_width + 1);
    RenderObject(&text, why, i);
    rows[i].cells[0] = Copy(&text);
    RsanRenderThread(&text, RsanTidOf(why.steps[i].owner));
    rows[i].cells[1] = Copy(&text);
    RenderPlace(&text, why.steps[i]);
    rows[i].cells[2] = Copy(&text);
    for (int c = 0; c < 3; c++)
      widths[c] = Max(widths[c], internal_strlen(rows[i].cells[c]));
  }
}

static const char *Note(const rsan_explanation &why, u32 i) {
  if (i + 1 == why.step_count)
    return "   <- here";
  return why.steps[i].to_next == RSAN_FROM_READ ? "   (before the next write)" : "";
}

static void PrintSteps(const rsan_explanation &why) {
  Row *rows = static_cast<Row *>(Alloc(why.step_count * sizeof(Row)));
  uptr widths[3] = {};
  FillRows(why, rows, widths);
  for (u32 i = 0; i < why.step_count; i++) {
    const rsan_step &step = why.steps[i];
    bool access = step.kind == RSAN_STEP_ACCESS;
    InternalScopedString line;
    line.Append("    ");
    for (int c = 0; c < 3; c++) {
      uptr end = line.length() + widths[c] + 3;
      line.Append(rows[i].cells[c]);
      InternalFree(rows[i].cells[c]);
      Pad(&line, end);
    }
    line.Append(access ? RsanOrderName(step.order) : "");
    if (const char *call = access ? RsanKernelCallAt(step.check, step.pc, step.caller) : nullptr)
      line.AppendF("   (by %s)", call);
    line.Append(Note(why, i));
    uptr length = line.length();
    while (length && line.data()[length - 1] == ' ')
      length--;
    line.data()[length] = '\0';
    Printf("%s\n", line.data());
  }
  Free(rows);
}

void RsanPrintCycle(const RsanFlagged &flagged) {
  const rsan_explanation *why = flagged.explanation;
  const char *const first = "\n  Every sequentially consistent run orders that write first, ";
  if (why && why->state == RSAN_EXPLAINED) {
    Printf("%sthrough\n", first);
    PrintSteps(*why);
    Printf("  but it does not happen before this access.\n\n");
    return;
  }
  Printf("%sbut it does not happen before this access.\n", first);
  if (why && why->state == RSAN_EXPLAIN_LEFT_LOG)
    Printf("  The order passes through accesses older than the last %u of a thread, which is what "
           "explain_history keeps.\n",
           why->history);
  if (why && why->state == RSAN_EXPLAIN_TOO_LONG)
    Printf("  The order passes through more than %u accesses.\n", RSAN_STEPS_MAX);
  Printf("\n");
}

// Code that was inlined in several places is one place in the source.
static bool IsNamed(const InternalScopedString &line, const InternalScopedString &place) {
  for (const char *at = line.data(); (at = internal_strstr(at, place.data())); at++)
    if (at[place.length()] == '\0' || at[place.length()] == ' ')
      return true;
  return false;
}

// "after file:line:column" with the fence before it if it is the first, or the one before was in
// another language; "memory_order_acquire at file:line:column".
static void RenderRepair(InternalScopedString *text, const rsan_repair &repair,
                         const rsan_step &step, const char **fence) {
  RsanStepFrames at(step);
  const AddressInfo *info = at.frames() ? &at.place()->info : nullptr;
  int rust = info && rsan_is_rust_source(info->file);
  if (repair.kind == RSAN_REPAIR_FENCE) {
    const char *wanted = rsan_fence_text(rust);
    if (!*fence || internal_strcmp(*fence, wanted) != 0)
      text->AppendF("%s ", *fence = wanted);
    text->Append(repair.before ? "before " : "after ");
  } else {
    const char *order = RsanOrderName(repair.order) + internal_strlen("memory_order_");
    text->AppendF("%s at ", rsan_order_text(order, rust));
  }
  if (info)
    RsanRenderSource(text, *info);
}

// "atomic_thread_fence(memory_order_seq_cst) after X and after Y", "memory_order_acquire at X". A
// repair at a wrapper that was not inlined is one for all steps there, each with a caller.
static void PrintRepairs(const ReportDesc *report) {
  const rsan_explanation *why = report->rsan ? report->rsan->explanation : nullptr;
  if (!why || !why->repair_count)
    return;
  InternalScopedString line, place;
  const char *fence = nullptr;
  for (u32 i = 0; i < why->repair_count; i++) {
    const rsan_repair &repair = why->repairs[i];
    for (u32 step = 0; step < why->step_count; step++) {
      if (why->steps[step].pc != why->steps[repair.step].pc)
        continue;
      RenderRepair(&place, repair, why->steps[step], &fence);
      if (!IsNamed(line, place))
        line.AppendF("%s%s", line.length() ? " and " : "", place.data());
      place.clear();
    }
  }
  Printf("  Suggested repair: %s\n\n", Printable(line.data()));
}

// Says what to do if the access was compiled without line numbers. (Rust has lines 0, where the
// compiler has merged several.)
static void PrintMissingLine(const ReportDesc *report) {
  const ReportStack *stack = report->rsan && report->mops.Size() ? report->mops[0]->stack : nullptr;
  const AddressInfo *info = stack && stack->frames ? &stack->frames->info : nullptr;
  if (info && info->function && !info->line && !rsan_is_rust_source(info->file))
    Printf("  " RSAN_WORDS_NO_LINE "\n\n");
}

void RsanPrintRepairs(const ReportDesc *report) {
  RsanCountReport(report);
  PrintRepairs(report);
  PrintMissingLine(report);
  RsanPrintDepartures();
  RsanPrintRepeat();
}

} // namespace __tsan
