// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A failure as text or as a record (docs/guide/FORMATS.md), and its token: of its kind, its place,
// and, for an assertion, its text. A deadlock's is of the places of all threads but those that wait
// only for the end of another one.

#include "failures/rsan_failure.h"

#include <signal.h>
#include <string.h>

#include "common/rsan_failure_place.h"
#include "departures/rsan_departures.h"
#include "places/rsan_place.h"
#include "places/rsan_record_place.h"
#include "port/rsan_tsan.h"
#include "reports/rsan_test.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

static bool IsInternal(const SymbolizedStack *frame) {
  return SkipInternalFrames(frame) != frame;
}

static bool IsEnding(const SymbolizedStack *frame) {
  const char *module = frame->info.module ? StripModuleName(frame->info.module) : nullptr;
  return IsInternal(frame) || rsan_is_ending_frame(frame->info.function, module);
}

static bool IsRecursionWithoutLine(const SymbolizedStack *frame) {
  const SymbolizedStack *caller = frame->next;
  return caller && rsan_is_recursion_without_line(
                       frame->info.function, static_cast<unsigned>(frame->info.line),
                       caller->info.function, static_cast<unsigned>(caller->info.line));
}

// A signal handler of the program may have handled the failure first: what was interrupted comes
// behind the runtime's function that has called it.
static const SymbolizedStack *SkipHandlers(const SymbolizedStack *frames) {
  const SymbolizedStack *begin = frames;
  for (const SymbolizedStack *frame = frames; frame; frame = frame->next)
    if (frame->info.function && frame->next && IsInternal(frame) &&
        internal_strstr(frame->info.function, "sighandler"))
      begin = frame->next;
  return begin;
}

// The place, and in *failing the innermost frame that does more than end the program.
static const SymbolizedStack *PlaceOf(const SymbolizedStack *frames,
                                      const SymbolizedStack **failing) {
  *failing = nullptr;
  for (const SymbolizedStack *at = SkipHandlers(frames); at; at = at->next) {
    if (IsEnding(at) || IsRecursionWithoutLine(at))
      continue;
    if (!*failing)
      *failing = at;
    if (!RsanIsWrapper(at->info) && !(at->info.function && rsan_names_failing(at->info.function)))
      return at;
  }
  if (!*failing)
    *failing = frames;
  return *failing;
}

static u64 AddLine(u64 token, const AddressInfo &info, unsigned version) {
  InternalScopedString line;
  (version == 1 ? RsanRenderPlaceLine : RsanRenderIdentity)(&line, info);
  return rsan_hash_line(token, line.data());
}

static u64 TokenOfStack(const RsanFailure &failure, const SymbolizedStack *frames,
                        unsigned version) {
  u64 token = rsan_hash_line(RSAN_HASH_START, failure.type) ^ failure.key;
  if (failure.message && failure.message_tells)
    token = rsan_hash_line(token,
                           version == 1 ? failure.message : rsan_assertion_text(failure.message));
  const SymbolizedStack *failing, *place = PlaceOf(frames, &failing);
  for (const SymbolizedStack *at = failing; at; at = at->next) {
    if (at == failing || at == place || !IsEnding(at))
      token = AddLine(token, at->info, version);
    if (at == place)
      break;
  }
  return token;
}

static ReportStack *Symbolize(StackID id) {
  ReportStack *stack = SymbolizeStackId(id);
  if (!stack)
    return nullptr;
  RsanNormalisePaths(stack->frames);
  // What comes behind is the C library's.
  for (SymbolizedStack *at = stack->frames; at && at->next; at = at->next) {
    const char *next = at->next->info.function;
    const bool is_main = at->info.function && internal_strcmp(at->info.function, "main") == 0;
    if (!is_main && !(next && internal_strcmp(next, "__tsan_thread_start_func") == 0))
      continue;
    at->next->ClearAll();
    at->next = nullptr;
  }
  return stack;
}

static const SymbolizedStack *FramesOf(const ReportStack *stack) {
  return stack ? stack->frames : nullptr;
}

static u64 HashOfWait(const RsanWait &wait, const ReportStack *stack, bool is_deadlock,
                      unsigned version) {
  u64 hash = rsan_hash_line(RSAN_HASH_START, wait.kind);
  const SymbolizedStack *failing, *place = PlaceOf(FramesOf(stack), &failing);
  if (!place)
    return hash;
  if (is_deadlock)
    return AddLine(hash, place->info, version);
  // Where a loop is found is another place each time.
  const char *function = place->info.function ? place->info.function : "?";
  uptr length = internal_strlen(function);
  const char *name = version == 1 ? function : rsan_own_name(function, &length);
  InternalScopedString text;
  text.AppendF("%.*s", static_cast<int>(length), name);
  return rsan_hash_line(hash, text.data());
}

static u64 TokenOfWaits(const RsanFailure &failure, const Vector<ReportStack *> &stacks,
                        unsigned version) {
  const bool is_deadlock = internal_strcmp(failure.end, "deadlock") == 0;
  u64 token = rsan_hash_line(RSAN_HASH_START, failure.type), sum = 0;
  for (uptr i = 0; i < failure.waits->Size(); i++)
    if (!(*failure.waits)[i].derived) // (in any order)
      sum += HashOfWait((*failure.waits)[i], stacks[i], is_deadlock, version);
  char text[24];
  internal_snprintf(text, sizeof text, "%016llx", sum);
  return rsan_hash_line(token, text);
}

// "lock 'm' at 0x55d0, which thread T2 holds"
static void RenderWait(InternalScopedString *text, const RsanWait &wait) {
  char name[128];
  text->Append(wait.kind);
  if (wait.object) {
    InternalScopedString object;
    text->AppendF(" at %p", reinterpret_cast<void *>(wait.object));
    if (RsanRenderName(&object, wait.object))
      text->AppendF(" ('%s')", object.data());
    if (wait.other != kInvalidTid)
      text->AppendF(", which %s holds", thread_name(name, wait.other));
  } else if (wait.other != kInvalidTid) {
    text->AppendF(" T%d", static_cast<int>(wait.other));
  }
}

static void PrintWaits(const RsanFailure &failure, const Vector<ReportStack *> &stacks) {
  char name[128];
  Printf("  %s\n\n", failure.heading);
  for (uptr i = 0; i < failure.waits->Size(); i++) {
    InternalScopedString text;
    RenderWait(&text, (*failure.waits)[i]);
    Printf("  %s: %s:\n", thread_name(name, (*failure.waits)[i].tid), Printable(text.data()));
    PrintStack(stacks[i]);
  }
}

static void PrintText(const RsanFailure &failure, const ReportStack *stack,
                      const Vector<ReportStack *> &stacks, u64 token) {
  char name[128];
  Printf("==================\n");
  Printf("WARNING: ThreadSanitizer: %s (pid=%d)\n", failure.type,
         static_cast<int>(internal_getpid()));
  if (failure.message)
    Printf("  Message: %s\n", Printable(failure.message));
  if (failure.signal) {
    Printf("  Signal %d (%s) in %s", failure.signal, strsignal(failure.signal),
           thread_name(name, failure.tid));
    if (failure.has_address)
      Printf(", accessing %p", reinterpret_cast<void *>(failure.address));
    Printf(":\n");
    PrintStack(stack);
  }
  if (failure.waits)
    PrintWaits(failure, stacks);
  RsanPrintDepartures();
  RsanPrintRepeat();
  RsanPrintTest();
  Printf("DEDUP_TOKEN: %016llx\n", token);
}

static void PutWaits(RsanJson *json, const RsanFailure &failure,
                     const Vector<ReportStack *> &stacks) {
  json->Text("waits_text", failure.heading);
  json->Key("waits");
  json->Open('[');
  for (uptr i = 0; i < failure.waits->Size(); i++) {
    const RsanWait &wait = (*failure.waits)[i];
    InternalScopedString text, name;
    RenderWait(&text, wait);
    json->Open('{');
    json->Number("thread", wait.tid);
    json->Text("text", text.data());
    json->Text("kind", wait.kind);
    if (wait.object) {
      json->Hex("object", wait.object);
      if (RsanRenderName(&name, wait.object))
        json->Text("name", name.data());
    }
    if (wait.other != kInvalidTid)
      json->Number(wait.object ? "held_by" : "joins", wait.other);
    if (wait.derived)
      json->Bool("derived", true);
    RsanPutStack(json, "stack", stacks[i]);
    json->Close('}');
  }
  json->Close(']');
}

static u64 TokenOf(const RsanFailure &failure, const ReportStack *stack,
                   const Vector<ReportStack *> &stacks, unsigned version) {
  const u64 token = failure.waits ? TokenOfWaits(failure, stacks, version)
                                  : TokenOfStack(failure, FramesOf(stack), version);
  // Another failure than the same without.
  return RsanDepartureCount() ? rsan_hash_line(token, "after a departure") : token;
}

static void PutToken(RsanJson *json, const char *name, u64 token) {
  char text[24];
  internal_snprintf(text, sizeof text, "%016llx", token);
  json->Text(name, text);
}

static void PrintRecord(const RsanFailure &failure, const ReportStack *stack,
                        const Vector<ReportStack *> &stacks, const SymbolizedStack *place,
                        u64 token) {
  RsanJson json;
  InternalMmapVector<char> program(kMaxPathLength);
  json.Open('{');
  json.Number("rsan_report", 1);
  json.Text("type", failure.type);
  json.Number("pid", internal_getpid());
  if (ReadBinaryNameCached(program.data(), program.size()))
    json.Text("program", program.data());
  PutToken(&json, "token", token);
  PutToken(&json, "token_v1", TokenOf(failure, stack, stacks, 1));
  RsanPutTest(&json);
  json.Text("end", failure.end);
  if (failure.message)
    json.Text("message", failure.message);
  if (failure.signal) {
    json.Number("signal", failure.signal);
    json.Number("thread", failure.tid);
  }
  if (failure.has_address)
    json.Hex("address", failure.address);
  if (place) {
    json.Key("place");
    RsanPutFrame(&json, place->info);
  }
  if (stack) {
    json.Key("stacks");
    json.Open('[');
    RsanPutStack(&json, nullptr, stack);
    json.Close(']');
  }
  if (failure.waits)
    PutWaits(&json, failure, stacks);
  RsanPutDepartures(&json);
  RsanPutSchedule(&json);
  json.Close('}');
  Printf("%s\n", json.Line());
}

static void PrintSummary(const RsanFailure &failure, const SymbolizedStack *place) {
  if (place)
    ReportErrorSummary(failure.type, place->info);
  else
    ReportErrorSummary(failure.type);
}

// Has the C++ library ended the program, as nobody catches an exception?
static bool IsTerminated(const SymbolizedStack *frames, const SymbolizedStack *failing) {
  for (const SymbolizedStack *at = frames; at && at != failing; at = at->next)
    if (at->info.function && internal_strstr(at->info.function, "terminate"))
      return true;
  return false;
}

static void NameException(const SymbolizedStack *frames, RsanFailure *failure) {
  static char text[512];
  const SymbolizedStack *failing;
  PlaceOf(frames, &failing);
  if (failure->signal != SIGABRT || failure->message || !IsTerminated(frames, failing))
    return;
  failure->type = "uncaught exception";
  failure->message = RsanExceptionText(text, sizeof text);
  if (!failure->message) {
    failure->type = "terminate";
    failure->message = "std::terminate without an exception, as of a thread that is not joined";
  }
}

u64 RsanPrintFailure(const RsanFailure &given) {
  ScopedIgnoreInterceptors ignore;
  RsanFailure failure = given;
  ReportStack *stack = failure.stack ? Symbolize(failure.stack) : nullptr;
  NameException(FramesOf(stack), &failure);
  Vector<ReportStack *> stacks;
  const SymbolizedStack *failing, *place = PlaceOf(FramesOf(stack), &failing);
  for (uptr i = 0; failure.waits && i < failure.waits->Size(); i++) {
    stacks.PushBack(Symbolize((*failure.waits)[i].stack));
    if (!place && !(*failure.waits)[i].derived)
      place = PlaceOf(FramesOf(stacks[i]), &failing);
  }
  const u64 token = TokenOf(failure, stack, stacks, 2);
  if (RsanWritesRecords()) {
    PrintRecord(failure, stack, stacks, place, token);
  } else {
    PrintText(failure, stack, stacks, token);
    PrintSummary(failure, place);
    Printf("==================\n");
  }
  return token;
}

} // namespace __tsan
