// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses depart, and what is told of them. A choice is a draw of the thread's own, or what
// a recorded schedule has (rsan_schedule_choose_departure): so a schedule that is repeated has the
// same departures. They are limited in number, so that no thread reads what is stale for ever.

#include "departures/rsan_departures.h"

#include <fcntl.h>

#include "base/rsan_exploring.h"
#include "base/rsan_json.h"
#include "base/rsan_own_file.h"
#include "places/rsan_place.h"
#include "places/rsan_record_place.h"
#include "port/rsan_errno.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"
#include "sites/rsan_site.h"

namespace __tsan {

namespace {

// What is told of a departure.
struct Departure {
  u32 number; // from 1 on
  Tid tid, missed_tid;
  rsan_access_kind kind;
  rsan_check check;
  rsan_order order;
  uptr addr, size;
  u64 given, seen; // values; `seen` is the newest one
  u64 version, newest;
  StackID at, missed; // the access, and the write that overwrote the version
};

} // namespace

static bool by_file, by_exploration;
static atomic_uint32_t departures;
static atomic_uint32_t departures_before; // those before the test that runs, with per_test=1
static atomic_uint64_t occasions, wide_accesses;

// The file of weak_log=.
static StaticSpinMutex log_mutex;
static char log_path[kMaxPathLength];
static RsanOwnFile log_file SANITIZER_GUARDED_BY(log_mutex) = kRsanNoFile;

// The first ones, for reports.
static const u32 kKept = 16;
static StaticSpinMutex kept_mutex;
static Departure kept[kKept] SANITIZER_GUARDED_BY(kept_mutex);
static u32 kept_count SANITIZER_GUARDED_BY(kept_mutex);

static bool IsWord(const char *a, const char *b) {
  return internal_strcmp(a, b) == 0;
}

// The options with which there is nothing to depart to.
static void CheckBeside(const RsanFlags *flags) {
  if (!flags->robustness)
    RsanRefuseOption("weak", flags->weak, nullptr, "off, with robustness=0");
  if (!IsWord(flags->clocks, "compact"))
    RsanRefuseOption("weak", flags->weak, nullptr, "off, with clocks=explicit");
  if (!IsWord(flags->seq_cst, "exact"))
    RsanRefuseOption("weak", flags->weak, nullptr, "off, with seq_cst= other than exact");
  if ((*flags->explore && !by_exploration) || *flags->execution)
    RsanRefuseOption("weak", flags->weak, nullptr, "off, with explore= and execution=");
  if (by_exploration && !IsWord(flags->target, "c11"))
    RsanRefuseOption("weak", flags->weak, nullptr, "off, with target= other than c11");
  if (by_exploration && !*flags->explore && !*flags->replay)
    RsanRefuseOption("weak", flags->weak, nullptr, "off, flagged or random, without explore=");
}

void RsanKeepVersion(ThreadState *thr, SyncVar *s, const rsan_access &access) {
  if (RsanIsWeak() && RsanMayDepart(thr) && rsan_weak_prepare(thr->rsan, s->rsan.location, &access))
    RsanKeepVersionClock(s);
}

void RsanCheckDepartures() {
  const RsanFlags *flags = rsan_flags();
  RsanCheckNumber("weak_percent", flags->weak_percent, 1, 100);
  RsanCheckNumber("weak_departures", flags->weak_departures, 0, 1 << 30);
  by_file = IsWord(flags->weak, "flagged");
  by_exploration = IsWord(flags->weak, "explored");
  if (IsWord(flags->weak, "off"))
    return;
  if (!by_file && !by_exploration && !IsWord(flags->weak, "random"))
    RsanRefuseOption("weak", flags->weak, nullptr, "off, flagged or random");
  CheckBeside(flags);
  if (by_file && !*flags->weak_file)
    RsanRefuseOption("weak", flags->weak, nullptr, "random, or weak_file= be given as well");
}

void RsanLogDepartures(const char *path) {
  int error;
  SpinMutexLock lock(&log_mutex);
  internal_snprintf(log_path, sizeof log_path, "%s", path);
  if (RsanOpenOwnFile(&log_file, log_path, O_CREAT | O_TRUNC, &error))
    return;
  Printf("ThreadSanitizer: weak_log=%s in RSAN_OPTIONS: the file cannot be written\n",
         Printable(log_path));
  RsanDieUnstarted();
}

static void OpenLog() {
  char path[kMaxPathLength];
  SubstituteForFlagValue(rsan_flags()->weak_log, path, sizeof path);
  RsanLogDepartures(path);
}

void RsanInitializeDepartures() {
  if (IsWord(rsan_flags()->weak, "off"))
    return;
  if (by_file)
    RsanReadDepartures(rsan_flags()->weak_file);
  if (*rsan_flags()->weak_log)
    OpenLog();
  RsanSimulateAlso(kRsanDepartures);
}

bool RsanExploresDepartures() {
  return by_exploration;
}

u32 RsanDepartureCount() {
  return atomic_load_relaxed(&departures) - atomic_load_relaxed(&departures_before);
}

bool RsanMayDepart(ThreadState *thr) {
  return RsanWatches(thr) && !thr->rsan_own.ignored && !ctx->after_multithreaded_fork;
}

bool RsanMayDepartAt(const ThreadState *thr, uptr pc, uptr addr) {
  return !by_file || RsanIsReplay() || RsanFileNames(pc) || RsanFollows(thr, addr);
}

void RsanNoteUndeparting() {
  atomic_fetch_add(&wide_accesses, 1, memory_order_relaxed);
  if (by_exploration)
    RsanNoteGapOfMany(kRsanGap_WIDE);
}

// May there be one more?
static bool IsBelowLimit() {
  const u32 most = static_cast<u32>(rsan_flags()->weak_departures);
  return !most || RsanDepartureCount() < most;
}

void RsanDeparturesOfTest() {
  SpinMutexLock lock(&kept_mutex);
  kept_count = 0;
  atomic_store_relaxed(&departures_before, atomic_load_relaxed(&departures));
}

// Which of the candidates, from 1 on; 0: none of them.
static u32 Want(ThreadState *thr, const RsanFlagged &flagged, const rsan_candidate *candidates,
                u32 count) {
  if (by_exploration)
    return 0;
  const u32 drawn = RsanDraw(thr) >> 8; // the lower bits of a draw repeat themselves
  const u32 percent = static_cast<u32>(rsan_flags()->weak_percent);
  if (by_file)
    return RsanRuleWants(thr, flagged, candidates, count, drawn);
  return drawn % 100 < percent ? 1 + drawn / 100 % count : 0;
}

bool RsanChoosesBySchedule(ThreadState *thr) {
  return RsanSchedules() && RsanIsScheduled(thr);
}

// What a recorded schedule, or who explores, says of it. A record has what was asked for alone.
static u32 AskSchedule(u32 count, u32 wanted) {
  RsanScheduleLock lock;
  rsan_schedule *schedule = &rsan_schedule_state->schedule;
  if (by_exploration && !schedule->explored && !IsBelowLimit())
    return 0;
  wanted = rsan_schedule_choose_departure(schedule, count, wanted);
  if (schedule->explored && schedule->explored->retained)
    RsanNoteGap(kRsanGap_DEPARTURES);
  return wanted;
}

bool RsanChooseDeparture(ThreadState *thr, SyncVar *s, const RsanFlagged &flagged,
                         rsan_candidate *candidates, u32 count, rsan_candidate *chosen) {
  u32 known = 0;
  for (u32 i = 0; i < count; i++)
    if (RsanHasVersionClock(s, candidates[i].version))
      candidates[known++] = candidates[i];
  if (known < count && RsanExplores())
    RsanNoteGap(kRsanGap_VERSIONS);
  if (!known)
    return false;
  atomic_fetch_add(&occasions, 1, memory_order_relaxed);
  // A draw is made in any case, so that the next one is the same whatever came of this one.
  u32 wanted = Want(thr, flagged, candidates, known);
  if (wanted && !IsBelowLimit())
    wanted = 0;
  if (RsanChoosesBySchedule(thr))
    wanted = AskSchedule(known + 1, wanted);
  if (!wanted)
    return false;
  *chosen = candidates[wanted - 1];
  return true;
}

static const char *KindText(const Departure &departure) {
  return RsanRecordKind(departure.kind, departure.check);
}

// Frames that have not been symbolized: the access may be anywhere in the program, and a symbolizer
// takes long.
static void PutAddresses(RsanJson *json, const char *key, StackID id) {
  const StackTrace stack = StackDepotGet(id);
  json->Key(key);
  json->Open('[');
  for (uptr i = stack.size; i > 0; i--) { // outermost frame first
    const uptr call = StackTrace::GetPreviousInstructionPc(stack.trace[i - 1]);
    json->Open('{');
    json->Hex("pc", call);
    RsanPutModule(json, call);
    json->Close('}');
  }
  json->Close(']');
}

static void PutSymbolized(RsanJson *json, const char *key, StackID id) {
  const ReportStack *stack = SymbolizeStackId(id);
  if (stack)
    RsanNormalisePaths(stack->frames);
  RsanPutStack(json, key, stack);
}

static void PutDeparture(RsanJson *json, const Departure &departure, bool symbolized) {
  const auto Put = symbolized ? PutSymbolized : PutAddresses;
  json->Open('{');
  json->Number("rsan_departure", 1);
  json->Number("number", departure.number);
  json->Number("pid", internal_getpid());
  json->Number("thread", departure.tid);
  json->Text("kind", KindText(departure));
  json->Text("order", RsanRecordOrder(departure.order));
  json->Hex("address", departure.addr);
  json->Number("size", departure.size);
  json->Hex("given", departure.given);
  json->Hex("newest", departure.seen);
  json->Number("version", departure.version);
  json->Number("newest_version", departure.newest);
  Put(json, "stack", departure.at);
  if (departure.missed_tid != kInvalidTid)
    json->Number("missed_thread", departure.missed_tid);
  Put(json, "missed", departure.missed);
  json->Close('}');
}

static void WriteLog(const Departure &departure) {
  if (!log_path[0])
    return;
  RsanJson json;
  PutDeparture(&json, departure, false);
  InternalScopedString line;
  line.AppendF("%s\n", json.Line());
  SpinMutexLock lock(&log_mutex);
  RsanWriteOwnFile(&log_file, "weak_log", log_path, line.data(), line.length());
}

static void Keep(const Departure &departure) {
  SpinMutexLock lock(&kept_mutex);
  if (kept_count < kKept)
    kept[kept_count++] = departure;
}

static void Pause(ThreadState *thr) {
  const u32 drawn = RsanDraw(thr) >> 8;
  if (!rsan_flags()->weak_pause)
    return;
  if (!RsanSchedules()) {
    internal_usleep(drawn % 1000);
    return;
  }
  for (u32 i = 0; i <= drawn % 8; i++)
    RsanScheduleYield();
}

void RsanNoteDeparture(ThreadState *thr, const RsanFlagged &flagged, const rsan_candidate &chosen) {
  const int saved_errno = errno;
  {
    const RsanBusy busy;
    ScopedIgnoreInterceptors ignore;
    Departure departure = {};
    departure.number = atomic_fetch_add(&departures, 1, memory_order_relaxed) + 1;
    departure.tid = thr->tid;
    {
      ThreadRegistryLock lock(&ctx->thread_registry);
      const ThreadContext *writer = RsanThreadOf(chosen.owner);
      departure.missed_tid = writer ? writer->tid : kInvalidTid;
    }
    departure.kind = chosen.kind;
    departure.check = flagged.access.check;
    departure.order = chosen.order;
    departure.addr = flagged.addr;
    departure.size = flagged.size;
    departure.given = chosen.value.low;
    departure.seen = flagged.access.seen.low;
    departure.version = chosen.version;
    departure.newest = chosen.newest;
    departure.at = CurrentStackId(thr, flagged.pc);
    departure.missed = RsanDepotSite(chosen.site);
    Keep(departure);
    RsanNoteDepartedPlace(StackDepotGet(departure.at), StackDepotGet(departure.missed));
    WriteLog(departure);
  }
  Pause(thr);
  errno = saved_errno;
}

static u32 CopyKept(Departure *copy) {
  SpinMutexLock lock(&kept_mutex);
  for (u32 i = 0; i < kept_count; i++)
    copy[i] = kept[i];
  return kept_count;
}

// "T2 read 0 in place of 1 at pop q.c:26:9 (version 3 of 5)"
static void Render(InternalScopedString *text, const Departure &departure) {
  char name[128];
  text->AppendF("%s ", thread_name(name, departure.tid));
  if (departure.kind == RSAN_WRITE)
    text->AppendF("wrote, before %llu, which is newer,", departure.seen);
  else
    text->AppendF("%s %llu in place of %llu",
                  departure.kind == RSAN_READ ? "read" : "found and replaced", departure.given,
                  departure.seen);
  if (const ReportStack *stack = SymbolizeStackId(departure.at)) {
    RsanNormalisePaths(stack->frames);
    text->Append(" at ");
    RsanRenderPlace(text, RsanPlaceOf(stack->frames)->info);
  }
  text->AppendF(" (version %llu of %llu)", departure.version + 1, departure.newest + 1);
}

void RsanPrintDepartures() {
  const u32 all = RsanDepartureCount();
  if (!all)
    return;
  Departure copy[kKept];
  const u32 count = CopyKept(copy);
  Printf("  After %u departure%s from sequential consistency:\n", all, all == 1 ? "" : "s");
  for (u32 i = 0; i < count; i++) {
    InternalScopedString line;
    Render(&line, copy[i]);
    Printf("    %s\n", Printable(line.data()));
  }
  if (all > count)
    Printf("    and %u more\n", all - count);
  Printf("\n");
}

void RsanPutDepartures(RsanJson *json) {
  const u32 all = RsanDepartureCount();
  if (!all)
    return;
  Departure copy[kKept];
  const u32 count = CopyKept(copy);
  json->Key("departures");
  json->Open('{');
  json->Number("count", all);
  json->Key("list");
  json->Open('[');
  for (u32 i = 0; i < count; i++)
    PutDeparture(json, copy[i], true);
  json->Close(']');
  json->Close('}');
}

void RsanFinalizeDepartures() {
  if (!rsan_flags()->stats || !RsanIsWeak())
    return;
  Printf("  %-16s %12llu  accesses that could have departed\n", "occasions",
         (unsigned long long)atomic_load_relaxed(&occasions));
  Printf("  %-16s %12u  accesses that departed\n", "departures", atomic_load_relaxed(&departures));
  Printf("  %-16s %12llu  accesses of more than 8 bytes, which never depart\n", "wide_accesses",
         (unsigned long long)atomic_load_relaxed(&wide_accesses));
}

} // namespace __tsan
