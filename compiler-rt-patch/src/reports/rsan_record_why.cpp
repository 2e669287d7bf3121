// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical cycle of a violation and the repairs that break it, and where its value is checked
// again, in a record.

#include "reports/rsan_record.h"

#include "places/rsan_field.h"
#include "places/rsan_kernel_calls.h"
#include "places/rsan_place.h"
#include "places/rsan_recheck.h"
#include "places/rsan_record_place.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// The step's frames and its caller's; which of them is the program's own innermost one: member
// functions of std::atomic are not what a user wants to see; and which is its place.
static void PutFrames(RsanJson *json, const rsan_step &step) {
  RsanStepFrames at(step, true);
  const SymbolizedStack *frames = at.frames(), *own = SkipInternalFrames(at.frames());
  if (!frames)
    return;
  json->Key("frame");
  RsanPutFrame(json, (own ? own : frames)->info);
  json->Key("place");
  RsanPutFrame(json, at.place()->info);
  json->Key("stack");
  json->Open('[');
  for (const SymbolizedStack *frame = frames; frame; frame = frame->next)
    RsanPutFrame(json, frame->info);
  json->Close(']');
}

static const char *StepKind(const rsan_step &step) {
  static const char *const names[] = {"access", "unlock", "lock", "create",
                                      "start",  "finish", "join"};
  return step.kind == RSAN_STEP_ACCESS ? RsanRecordKind(step.access, step.check) : names[step.kind];
}

static void PutObject(RsanJson *json, const rsan_step &step) {
  InternalScopedString name;
  if (!step.address)
    return;
  json->Hex("address", step.address);
  if (RsanRenderName(&name, step.address))
    json->Text("name", name.data());
  else
    RsanPutModule(json, step.address);
}

// The object of a creation or a join is the other thread.
static void PutOtherThread(RsanJson *json, u32 owner) {
  InternalScopedString name;
  const Tid tid = RsanTidOf(owner);
  if (tid == kInvalidTid)
    return;
  if (tid == kMainTid)
    name.Append("main");
  else
    name.AppendF("T%d", tid);
  json->Text("name", name.data());
}

static void PutStep(RsanJson *json, const rsan_explanation &why, u32 i) {
  const rsan_step &step = why.steps[i];
  json->Open('{');
  if (const Tid tid = RsanTidOf(step.owner); tid != kInvalidTid)
    json->Number("thread", tid);
  json->Key("access");
  json->Open('{');
  json->Text("kind", StepKind(step));
  if (step.kind == RSAN_STEP_ACCESS) {
    json->Text("order", RsanRecordOrder(step.order));
    json->Number("size", step.size);
    if (const char *call = RsanKernelCallAt(step.check, step.pc, step.caller))
      json->Text("call", call);
  }
  if (step.kind == RSAN_STEP_CREATE)
    PutOtherThread(json, why.steps[i + 1].owner);
  else if (step.kind == RSAN_STEP_JOIN)
    PutOtherThread(json, why.steps[i - 1].owner);
  else
    PutObject(json, step);
  json->Close('}');
  if (const char *field = RsanFieldOfStep(why, i))
    json->Text("field", field);
  PutFrames(json, step);
  json->Text("to_next", rsan_step_edge_name(step.to_next));
  json->Close('}');
}

static void PutRepair(RsanJson *json, const rsan_explanation &why, const rsan_repair &repair) {
  json->Open('{');
  json->Text("kind", repair.kind == RSAN_REPAIR_FENCE ? "fence" : "order");
  if (repair.kind == RSAN_REPAIR_FENCE)
    json->Text("position", repair.before ? "before" : "after");
  json->Text("order", RsanRecordOrder(repair.order));
  json->Number("step", repair.step);
  PutFrames(json, why.steps[repair.step]);
  json->Close('}');
}

static void PutCycle(RsanJson *json, const rsan_explanation &why) {
  json->Key("cycle");
  json->Open('{');
  json->Bool("complete", why.state == RSAN_EXPLAINED);
  if (why.state == RSAN_EXPLAIN_LEFT_LOG)
    json->Text("why", "part of it is older than what explain_history keeps");
  if (why.state == RSAN_EXPLAIN_TOO_LONG)
    json->Text("why", "it has too many steps");
  if (why.step_count) {
    json->Key("steps");
    json->Open('[');
    for (u32 i = 0; i < why.step_count; i++)
      PutStep(json, why, i);
    json->Close(']');
  }
  json->Close('}');
}

static void PutSide(RsanJson *json, const char *name, const rsan_step &step, const char *missing) {
  json->Key(name);
  json->Open('{');
  if (missing)
    json->Text("order", missing);
  PutFrames(json, step);
  json->Close('}');
}

static void PutSiblings(RsanJson *json, const rsan_explanation &why) {
  if (!why.sibling_count)
    return;
  json->Key("siblings");
  json->Open('[');
  for (u32 i = 0; i < why.sibling_count; i++) {
    const rsan_sibling &sibling = why.siblings[i];
    const bool both = sibling.write.access == RSAN_RMW && rsan_order_acquires(sibling.write.order);
    const bool too = sibling.read.access == RSAN_RMW && rsan_order_releases(sibling.read.order);
    json->Open('{');
    json->Number("step", sibling.step);
    PutSide(json, "write", sibling.write,
            sibling.releases ? nullptr : RsanRecordOrder(both ? RSAN_ACQ_REL : RSAN_RELEASE));
    PutSide(json, "read", sibling.read,
            sibling.acquires ? nullptr : RsanRecordOrder(too ? RSAN_ACQ_REL : RSAN_ACQUIRE));
    json->Close('}');
  }
  json->Close(']');
  if (why.siblings_missing)
    json->Bool("more_siblings", true);
}

void RsanPutRecheck(RsanJson *json, const ReportDesc *report) {
  RsanRecheck recheck;
  const ReportStack *stack = report->mops[0]->stack;
  if (!stack || !RsanFindRecheck(stack->frames, *report->rsan, &recheck))
    return;
  const AddressInfo &info = recheck.place->info;
  json->Key("checked_again");
  json->Open('{');
  json->Text("function", StackTracePrinter::GetOrInit()->StripFunctionName(info.function));
  json->Text("file", StripPathPrefix(info.file, common_flags()->strip_path_prefix));
  json->Number("line", recheck.line);
  if (recheck.column)
    json->Number("column", recheck.column);
  json->Close('}');
}

void RsanPutClass(RsanJson *json, const ReportDesc *report) {
  const ReportStack *stack = report->mops[0]->stack;
  if (stack && RsanIsRetried(stack->frames, *report->rsan))
    json->Text("class", "retried");
}

void RsanPutExplanation(RsanJson *json, const RsanFlagged &flagged) {
  const rsan_explanation *why = flagged.explanation;
  if (!why || why->state == RSAN_UNEXPLAINED)
    return;
  PutCycle(json, *why);
  if (!why->repair_count)
    return;
  json->Key("repairs");
  json->Open('[');
  for (u32 i = 0; i < why->repair_count; i++)
    PutRepair(json, *why, why->repairs[i]);
  json->Close(']');
  PutSiblings(json, *why);
}

} // namespace __tsan
