// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// report_format=json: a report as a record, one line of JSON, in place of TSan's text
// (docs/guide/FORMATS.md). Decides nothing: it writes what the report has.

#include "reports/rsan_record.h"
#include "reports/rsan_again.h"
#include "reports/rsan_test.h"

#include "departures/rsan_departures.h"
#include "exploration/rsan_explore.h"
#include "places/rsan_kernel_calls.h"

#include "common/rsan_source_name.h"
#include "places/rsan_field.h"
#include "places/rsan_modules.h"
#include "places/rsan_place.h"
#include "places/rsan_record_place.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

static const int kVersion = 1;
static const unsigned kTokenVersion = 2;

// The places that tell one report from another: of the accesses, else of whatever there is.
static void Sites(const ReportDesc *report, Vector<const SymbolizedStack *> *sites) {
  auto Site = [](const ReportStack *stack) { return stack ? RsanPlaceOf(stack->frames) : nullptr; };
  for (uptr i = 0; i < report->mops.Size(); i++)
    sites->PushBack(Site(report->mops[i]->stack));
  if (sites->Size() == 0)
    for (uptr i = 0; i < report->stacks.Size(); i++)
      sites->PushBack(Site(report->stacks[i]));
  if (sites->Size() == 0 && report->mutexes.Size() > 0)
    sites->PushBack(Site(report->mutexes[0]->stack));
  if (sites->Size() == 0 && report->threads.Size() > 0)
    sites->PushBack(Site(report->threads[0]->stack));
}

// The locks of a cycle and the accesses of a race come in any order. A violation has a token.
static u64 Token(const ReportDesc *report, const char *type, unsigned version) {
  if (report->rsan)
    return version == 1 ? report->rsan->token_v1 : report->rsan->token;
  Vector<const SymbolizedStack *> sites;
  Vector<char *> lines;
  Sites(report, &sites);
  for (uptr i = 0; i < sites.Size(); i++) {
    InternalScopedString line;
    if (sites[i])
      (version == 1 ? RsanRenderPlaceLine : RsanRenderIdentity)(&line, sites[i]->info);
    else
      line.Append("?");
    lines.PushBack(internal_strdup(line.data()));
    for (uptr j = i; j > 0 && internal_strcmp(lines[j], lines[j - 1]) < 0; j--)
      Swap(lines[j], lines[j - 1]);
  }
  u64 token = rsan_hash_line(RSAN_HASH_START, type);
  for (uptr i = 0; i < lines.Size(); i++) {
    token = rsan_hash_line(token, lines[i]);
    InternalFree(lines[i]);
  }
  return token;
}

bool RsanIsSuppressed(const ReportDesc *report, const char *type) {
  SuppressionContext *context = Suppressions();
  Suppression *suppression;
  char text[20];
  if (!context->HasSuppressionType(kSuppressionToken))
    return false;
  internal_snprintf(text, sizeof(text), "%016llx", Token(report, type, kTokenVersion));
  if (!context->Match(text, kSuppressionToken, &suppression))
    return false;
  atomic_fetch_add(&suppression->hit_count, 1, memory_order_relaxed);
  return true;
}

// A data race is printed: other tests may have it, too.
static void NoteRace(const ReportDesc *report, u64 token) {
  if (!report->rsan && report->mops.Size() > 0)
    RsanNoteReportedRace(token);
}

void RsanPrintToken(const ReportDesc *report, const char *type) {
  RsanPrintTest(report);
  if (rsan_flags()->per_test)
    NoteRace(report, Token(report, type, kTokenVersion));
  if (report->rsan || common_flags()->dedup_token_length > 0)
    Printf("DEDUP_TOKEN: %016llx\n", Token(report, type, kTokenVersion));
}

static void PutAccess(RsanJson *json, const ReportDesc *report, uptr index) {
  const ReportMop *mop = report->mops[index];
  const RsanFlagged *flagged = report->rsan;
  json->Open('{');
  if (!flagged) {
    json->Text("kind", mop->write ? "write" : "read");
  } else if (index == 0) {
    json->Text("kind", RsanRecordKind(flagged->access.kind, flagged->access.check));
    json->Text("order", RsanRecordOrder(flagged->access.order));
    if (const char *call = RsanKernelCallOf(flagged->access))
      json->Text("call", call);
  } else {
    json->Text("kind", flagged->violation.plain ? "write" : "read-modify-write");
    json->Text("order", RsanRecordOrder(flagged->violation.order));
  }
  json->Bool("atomic", mop->atomic);
  json->Number("size", mop->size);
  json->Hex("address", mop->addr);
  if (mop->external_tag != kExternalTagNone)
    json->Text("object", GetObjectTypeFromTag(mop->external_tag));
  if (mop->tid != kInvalidTid)
    json->Number("thread", mop->tid);
  if (mop->mset.Size() > 0) {
    json->Key("mutexes");
    json->Open('[');
    for (uptr i = 0; i < mop->mset.Size(); i++) {
      json->Open('{');
      json->Number("id", mop->mset[i].id);
      json->Bool("write", mop->mset[i].write);
      json->Close('}');
    }
    json->Close(']');
  }
  if (mop->stack && mop->stack->frames) {
    json->Key("place");
    RsanPutFrame(json, RsanPlaceOf(mop->stack->frames)->info);
    if (const char *field = RsanFieldOfAccess(*report, index)) {
      json->Text("field", field);
      if (const char *expression = RsanFieldExpression(field))
        json->Text("expression", expression);
    }
  }
  RsanPutStack(json, "stack", mop->stack);
  json->Close('}');
}

static void PutValue(RsanJson *json, const char *key, rsan_value value) {
  json->Key(key);
  json->Wide(value.high, value.low);
}

static void PutTargets(RsanJson *json, u32 shown) {
  u32 asked = RsanReadOptions().targets | RSAN_TARGET_C11;
  const rsan_target_name *target;
  if (!shown)
    return;
  json->Key("targets");
  json->Open('{');
  for (u32 i = 0; (target = rsan_target_at(i)); i++)
    if (target->bit & asked)
      json->Text(target->option, rsan_target_answer(target, shown));
  json->Close('}');
}

static void PutOutcome(RsanJson *json, const RsanFlagged &flagged) {
  if (flagged.access.compares || flagged.access.check == RSAN_CHECK_KERNEL_COMPARE)
    PutValue(json, "expected", flagged.access.expected.operand);
  if (RsanWaits(flagged.access)) {
    InternalScopedString condition;
    RsanRenderCondition(&condition, flagged.access);
    json->Text("waits_for", condition.data());
  }
  PutValue(json, "stale", flagged.violation.stale);
  if (flagged.access.kind == RSAN_WRITE)
    PutValue(json, "overwritten_by", flagged.violation.missed_value);
  else
    PutValue(json, "seen", flagged.access.seen);
  PutTargets(json, flagged.violation.shown);
}

static void PutGlobal(RsanJson *json, const DataInfo &global) {
  if (global.name && internal_strcmp(global.name, "<null>") != 0)
    json->Text("name", global.name);
  json->Hex("address", global.start);
  if (global.size)
    json->Number("size", global.size);
  json->Text("module", global.module);
  json->Hex("offset", global.module_offset);
}

static void PutLocation(RsanJson *json, const ReportLocation &location) {
  static const char *const kinds[] = {"global", "heap", "stack", "thread-local", "file descriptor"};
  json->Key("location");
  json->Open('{');
  json->Text("kind", kinds[location.type]);
  if (location.type == ReportLocationGlobal) {
    PutGlobal(json, location.global);
  } else if (location.type == ReportLocationHeap) {
    if (const char *object = GetObjectTypeFromTag(location.external_tag))
      json->Text("object", object);
    json->Hex("address", location.heap_chunk_start);
    json->Number("size", location.heap_chunk_size);
  } else if (location.type == ReportLocationFD) {
    json->Number("descriptor", location.fd);
    json->Bool("closed", location.fd_closed);
  }
  if (location.type != ReportLocationGlobal && location.tid != kInvalidTid)
    json->Number("thread", location.tid);
  RsanPutStack(json, "stack", location.stack);
  json->Close('}');
}

// Without a symbolizer TSan knows of no globals; the module and the offset in it are known.
static void PutPlace(RsanJson *json, uptr address) {
  if (!RsanIsInModule(address))
    return;
  json->Key("location");
  json->Open('{');
  json->Text("kind", "global");
  json->Hex("address", address);
  RsanPutModule(json, address);
  json->Close('}');
}

static void PutThread(RsanJson *json, const ReportThread &thread) {
  json->Open('{');
  json->Number("id", thread.id);
  if (thread.name && thread.name[0])
    json->Text("name", thread.name);
  json->Number("os_id", thread.os_id);
  json->Bool("running", thread.running);
  if (thread.id != kMainTid) {
    if (thread.parent_tid != kInvalidTid)
      json->Number("created_by", thread.parent_tid);
    RsanPutStack(json, "stack", thread.stack);
  }
  json->Close('}');
}

static void PutMutex(RsanJson *json, const ReportMutex &mutex) {
  json->Open('{');
  json->Number("id", mutex.id);
  json->Hex("address", mutex.addr);
  RsanPutStack(json, "stack", mutex.stack);
  json->Close('}');
}

// Stacks that are no accesses'. A cycle of locks has those of each lock: where the next one was
// taken and, with second_deadlock_stack=1, where it had been taken itself.
static void PutStacks(RsanJson *json, const ReportDesc *report) {
  if (report->stacks.Size() > 0) {
    json->Key("stacks");
    json->Open('[');
    for (uptr i = 0; i < report->stacks.Size(); i++) {
      json->Open('[');
      if (const ReportStack *stack = report->stacks[i])
        for (SymbolizedStack *at = stack->frames; at && at->info.address; at = at->next)
          RsanPutFrame(json, at->info);
      json->Close(']');
    }
    json->Close(']');
  }
  if (report->typ == ReportTypeDeadlock && report->unique_tids.Size() > 0) {
    json->Key("lock_cycle"); // the threads; mutexes[i] was held when mutexes[i + 1] was taken
    json->Open('[');
    for (uptr i = 0; i < report->unique_tids.Size(); i++)
      json->Number(report->unique_tids[i]);
    json->Close(']');
  }
  RsanPutStack(json, "sleep", report->sleep);
}

static void PutHeader(RsanJson *json, const ReportDesc *report, const char *type) {
  InternalMmapVector<char> program(kMaxPathLength);
  char token[20];
  json->Number("rsan_report", kVersion);
  json->Text("type", type);
  json->Number("pid", internal_getpid());
  if (ReadBinaryNameCached(program.data(), program.size()))
    json->Text("program", program.data());
  const u64 number = Token(report, type, kTokenVersion);
  internal_snprintf(token, sizeof(token), "%016llx", number);
  NoteRace(report, number);
  json->Text("token", token);
  internal_snprintf(token, sizeof(token), "%016llx", Token(report, type, 1));
  json->Text("token_v1", token);
  RsanPutTest(json, report);
}

template <typename List, typename Put>
static void PutList(RsanJson *json, const char *key, const List &list, Put put) {
  if (list.Size() == 0)
    return;
  json->Key(key);
  json->Open('[');
  for (uptr i = 0; i < list.Size(); i++)
    put(i);
  json->Close(']');
}

static void PutReport(RsanJson *json, const ReportDesc *report, const char *type) {
  json->Open('{');
  PutHeader(json, report, type);
  PutList(json, "accesses", report->mops, [&](uptr i) { PutAccess(json, report, i); });
  if (report->rsan) {
    PutOutcome(json, *report->rsan);
    RsanPutRecheck(json, report);
    RsanPutClass(json, report);
  }
  PutStacks(json, report);
  if (report->locs.Size() > 0)
    PutLocation(json, *report->locs[0]);
  else if (report->mops.Size() > 0)
    PutPlace(json, report->mops[0]->addr);
  PutList(json, "mutexes", report->mutexes, [&](uptr i) { PutMutex(json, *report->mutexes[i]); });
  PutList(json, "threads", report->threads, [&](uptr i) { PutThread(json, *report->threads[i]); });
  if (report->typ == ReportTypeErrnoInSignal)
    json->Number("signal", report->signum);
  if (report->typ == ReportTypeThreadLeak && report->count > 1)
    json->Number("similar", report->count - 1);
  if (report->rsan)
    RsanPutExplanation(json, *report->rsan);
  RsanPutDepartures(json);
  RsanPutSchedule(json);
  json->Close('}');
}

static void Normalise(const ReportStack *stack) {
  if (stack)
    RsanNormalisePaths(stack->frames);
}

static void NormalisePaths(const ReportDesc *report) {
  for (uptr i = 0; i < report->mops.Size(); i++)
    Normalise(report->mops[i]->stack);
  for (uptr i = 0; i < report->stacks.Size(); i++)
    Normalise(report->stacks[i]);
  for (uptr i = 0; i < report->locs.Size(); i++)
    Normalise(report->locs[i]->stack);
  for (uptr i = 0; i < report->mutexes.Size(); i++)
    Normalise(report->mutexes[i]->stack);
  for (uptr i = 0; i < report->threads.Size(); i++)
    Normalise(report->threads[i]->stack);
  Normalise(report->sleep);
}

bool RsanPrintRecord(const ReportDesc *report, const char *type) {
  if (RsanFindsReport(report))
    return true;
  NormalisePaths(report); // for the text as well
  if (!RsanWritesRecords())
    return false;
  RsanJson json;
  PutReport(&json, report, type);
  Printf("%s\n", json.Line()); // one write, so that processes may share a file
  // The line of the summary is not printed, and the program's own hook gets it.
  Vector<const SymbolizedStack *> sites;
  Sites(report, &sites);
  if (sites.Size() > 0 && sites[0])
    ReportErrorSummary(type, sites[0]->info);
  return true;
}

} // namespace __tsan
