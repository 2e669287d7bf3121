// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs have found: known numbers, and the run that reports a new one.

#include <sys/wait.h>

#include "exploration/rsan_explorer.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// Numbers of what is seen from outside: below those that are hashes of addresses. What comes after
// a departure has another one than the same without.
static const u64 kDeparted = 1 << 16;

static u64 NumberOf(const RsanExploration &shared, int status) {
  if (shared.failure)
    return shared.failure;
  if (shared.deadlock)
    return 1;
  if (shared.livelock || shared.run.spins)
    return 2;
  if (shared.timeout)
    return 3;
  if (shared.run.given_up)
    return 0;
  if (WIFSIGNALED(status))
    return 0x1000 + static_cast<u64>(WTERMSIG(status));
  // (66 where reports are what made it so.)
  if (WEXITSTATUS(status) &&
      !(shared.found_count && WEXITSTATUS(status) == common_flags()->exitcode))
    return 0x2000 + static_cast<u64>(WEXITSTATUS(status));
  return 0;
}

u64 RsanNumberOfEnd(const RsanExploration &shared, int status) {
  const u64 number = NumberOf(shared, status);
  return number && shared.run.departed ? number + kDeparted : number;
}

// How the run has ended, as the tools have it.
void RsanNameEnd(const RsanExploration &shared, int status, char *text, uptr room) {
  if (shared.deadlock)
    internal_snprintf(text, room, "deadlock");
  else if (shared.livelock || shared.run.spins)
    internal_snprintf(text, room, "livelock");
  else if (shared.timeout)
    internal_snprintf(text, room, "timeout");
  else if (WIFSIGNALED(status))
    internal_snprintf(text, room, "signal-%d", WTERMSIG(status));
  else
    internal_snprintf(text, room, "exit-%d", WEXITSTATUS(status));
}

static RsanEnd EndOf(const RsanExploration &shared) {
  return shared.deadlock                       ? kRsanEndsItself
         : shared.livelock || shared.run.spins ? kRsanEndsInLivelock
         : shared.timeout                      ? kRsanEndsByTime
                                               : kRsanEndsItself;
}

// Failures that have been told, by their tokens: different stacks may lead to the same place.
static Vector<u64> *told_failures;

static bool IsToldFailure(u64 token) {
  if (!told_failures)
    told_failures = New<Vector<u64>>();
  for (uptr i = 0; token && i < told_failures->Size(); i++)
    if ((*told_failures)[i] == token)
      return true;
  if (token)
    told_failures->PushBack(token);
  return false;
}

bool RsanIsKnownFinding(u64 number) {
  for (uptr i = 0; i < rsan_known_findings->Size(); i++)
    if ((*rsan_known_findings)[i].number == number)
      return true;
  return false;
}

bool RsanHasFinding(const RsanExploration &run) {
  for (u32 i = 0; i < run.found_count; i++)
    if (run.what[i] == kRsanFinding)
      return true;
  return false;
}

static bool IsNew(u64 number, RsanFound what) {
  if (RsanIsKnownFinding(number))
    return false;
  rsan_known_findings->PushBack({number, what});
  return what != kRsanSuppressed;
}

u64 RsanNewFinding(const RsanExploration &run, u64 end) {
  u64 fresh = 0;
  for (u32 i = 0; i < run.found_count; i++)
    if (IsNew(run.found[i], run.what[i]))
      fresh = run.found[i];
  return end && IsNew(end, kRsanFinding) ? end : fresh;
}

// What is new of a run; 0: nothing.
struct Fresh {
  u64 finding, violation[kRsanMostFindings];
  u32 violations;
  char name[32]; // of the finding
  RsanEnd ends;
};

static void NoteAll(RsanExplorer *e, const Fresh &fresh, const rsan_dpor_trace &trace) {
  if (fresh.finding)
    RsanNoteFinding(e, fresh.finding, trace);
  for (u32 i = 0; i < fresh.violations; i++)
    RsanNoteFinding(e, fresh.violation[i], trace);
}

// Makes a file name for the record of an execution that has a known failure, but departs at another
// place. The tools say for each violation whether the program fails by it, so they need an
// execution for each place.
static const char *NameWay(RsanExplorer *e, char *path) {
  e->count.ways++;
  internal_snprintf(path, kMaxPathLength, "%s.way-%llu", rsan_flags()->explore,
                    (unsigned long long)e->count.ways);
  return path;
}

// Notes the finding for each place where the execution departed. Returns whether a place is new for
// it.
static bool NoteWay(const RsanExploration &made, u64 finding) {
  bool is_new = false;
  for (u32 i = 0; i < made.departed.count; i++) {
    const u64 way = (finding ^ made.departed.at[i]) * 0x9e3779b97f4a7c15;
    if (RsanIsKnownFinding(way))
      continue;
    rsan_known_findings->PushBack({way, kRsanSuppressed});
    is_new = true;
  }
  return is_new;
}

// The failure was told before, of another stack.
static void Forget(RsanExplorer *e, const Fresh &fresh, u64 token, u32 steps, u32 departures,
                   const char *path) {
  char way[kMaxPathLength];
  e->count.findings--;
  if (departures) {
    RsanRenameRecord(path, NameWay(e, way));
    RsanTellFinding(e, "way", fresh.finding, token, steps, departures, way);
  } else {
    internal_unlink(path);
    RsanForgetDeparturesOf(path);
  }
  for (u32 i = 0; i < fresh.violations; i++)
    RsanTellFinding(e, "violation", fresh.violation[i], 0, 0, 0, path);
  RsanSaveExplorer(e);
}

// The same execution once more; this one reports. In the child it returns true.
static bool Report(RsanExplorer *e, const Fresh &fresh, const rsan_dpor_trace &trace) {
  char path[kMaxPathLength];
  e->count.findings += fresh.finding != 0;
  e->count.violations += fresh.violations;
  if (e->round.part) {
    NoteAll(e, fresh, trace);
    return false;
  }
  internal_snprintf(path, sizeof path, fresh.finding ? "%s.%llu" : "%s.violation-%llu",
                    rsan_flags()->explore,
                    (unsigned long long)(fresh.finding ? e->count.findings : e->count.violations));
  RsanRun run = {};
  run.shared = e->shared[kRsanMostJobs];
  run.shared->run.names = e->names;
  run.shared->ends = fresh.ends;
  RsanAskAgain(&run.shared->run, trace.step, trace.count);
  if (RsanBeginRun(&run, path))
    return true;
  RsanAwaitRun(&run);
  const u32 departures = run.shared->run.departed;
  const u64 token = run.shared->token;
  if (fresh.finding && IsToldFailure(departures ? token * kDeparted + 1 : token)) {
    Forget(e, fresh, token, trace.count, departures, path);
    return false;
  }
  if (!departures)
    RsanForgetDeparturesOf(path);
  if (fresh.finding)
    RsanTellFinding(e, fresh.name, fresh.finding, token, trace.count, departures, path);
  for (u32 i = 0; i < fresh.violations; i++)
    RsanTellFinding(e, "violation", fresh.violation[i], 0, trace.count, departures, path);
  RsanSaveExplorer(e);
  return false;
}

// Records an execution with departures that ends in a known finding, if a place where it departed
// is new for that finding. The explorer makes the execution again for that. Returns true in the
// child.
static bool RecordWay(RsanExplorer *e, const RsanExploration &made, u64 end,
                      const rsan_dpor_trace &trace) {
  char path[kMaxPathLength];
  u64 finding = end && NoteWay(made, end) ? end : 0;
  for (u32 i = 0; i < made.found_count; i++)
    if (made.what[i] == kRsanFinding && NoteWay(made, made.found[i]) && !finding)
      finding = made.found[i];
  if (!finding || e->round.part)
    return false;
  RsanRun run = {};
  run.shared = e->shared[kRsanMostJobs];
  run.shared->run.names = e->names;
  run.shared->ends = EndOf(made);
  RsanAskAgain(&run.shared->run, trace.step, trace.count);
  if (RsanBeginRun(&run, NameWay(e, path)))
    return true;
  RsanAwaitRun(&run);
  RsanTellFinding(e, "way", finding, run.shared->token, trace.count, run.shared->run.departed,
                  path);
  return false;
}

static void TakeSuspects(RsanSuspects *suspects, const RsanSuspects &from, bool before) {
  suspects->count = 0;
  for (u32 i = 0; i < from.count; i++)
    if (from.at[i].before == before && !RsanIsKnownFinding(from.at[i].number))
      suspects->at[suspects->count++] = from.at[i];
}

// If the execution has new suspects in memory from before the first thread, makes it again and
// records it. A replay of the record says whether that memory was initialised. Returns true in the
// child.
static bool RecordSuspects(RsanExplorer *e, const RsanExploration &made,
                           const rsan_dpor_trace &trace) {
  char path[kMaxPathLength];
  RsanRun run = {};
  run.shared = e->shared[kRsanMostJobs];
  RsanSuspects *suspects = &run.shared->suspects;
  TakeSuspects(suspects, made.suspects, true);
  if (!suspects->count)
    return false;
  suspects->run = RsanSuspects::kReport;
  for (u32 i = 0; i < suspects->count; i++) {
    suspects->at[i].confirmed = true;
    rsan_known_findings->PushBack({suspects->at[i].number, kRsanFinding});
    if (e->round.part)
      RsanNoteFinding(e, suspects->at[i].number, trace);
  }
  if (e->round.part)
    return false;
  e->count.suspects++;
  internal_snprintf(path, sizeof path, "%s.suspect-%llu", rsan_flags()->explore,
                    (unsigned long long)e->count.suspects);
  run.shared->run.names = e->names;
  RsanAskAgain(&run.shared->run, trace.step, trace.count);
  if (RsanBeginRun(&run, path))
    return true;
  RsanAwaitRun(&run);
  RsanTellFinding(e, "suspect", suspects->at[0].number, 0, trace.count, run.shared->run.departed,
                  path);
  return false;
}

// If reads have found the pattern in memory from the heap, makes the execution again with another
// pattern there. A read that finds that one as well is a new finding: it stays in the shared list
// of suspects, from which the execution that is made for the report takes it. Returns true in the
// child.
static bool Confirm(RsanExplorer *e, const RsanExploration &made, const rsan_dpor_trace &trace,
                    Fresh *fresh) {
  RsanRun run = {};
  run.shared = e->shared[kRsanMostJobs];
  RsanSuspects *suspects = &run.shared->suspects;
  TakeSuspects(suspects, made.suspects, false);
  if (!suspects->count)
    return false;
  suspects->run = RsanSuspects::kConfirm;
  run.shared->run.names = e->names;
  RsanAskAgain(&run.shared->run, trace.step, trace.count);
  if (RsanBeginRun(&run, nullptr))
    return true;
  RsanAwaitRun(&run);
  suspects->run = RsanSuspects::kReport;
  for (u32 i = 0; i < suspects->count; i++) {
    const RsanSuspect &suspect = suspects->at[i];
    if (!suspect.confirmed)
      continue;
    rsan_known_findings->PushBack({suspect.number, kRsanFinding});
    fresh->finding = suspect.number;
  }
  return false;
}

bool RsanLookAtFindings(RsanExplorer *e, const RsanExploration *shared, int status,
                        const rsan_dpor_trace &trace) {
  Fresh fresh = {};
  if (RecordSuspects(e, *shared, trace) || Confirm(e, *shared, trace, &fresh))
    return true;
  for (u32 i = 0; i < shared->found_count; i++) {
    if (RsanIsKnownFinding(shared->found[i]))
      continue;
    rsan_known_findings->PushBack({shared->found[i], shared->what[i]});
    if (shared->what[i] == kRsanViolation)
      fresh.violation[fresh.violations++] = shared->found[i];
    else if (shared->what[i] == kRsanFinding)
      fresh.finding = shared->found[i];
  }
  internal_snprintf(fresh.name, sizeof fresh.name, "report");
  const u64 end = RsanNumberOfEnd(*shared, status);
  if (end && !RsanIsKnownFinding(end)) {
    rsan_known_findings->PushBack({end, kRsanFinding});
    fresh.finding = end;
    RsanNameEnd(*shared, status, fresh.name, sizeof fresh.name);
    fresh.ends = EndOf(*shared);
  }
  if (fresh.finding)
    NoteWay(*shared, fresh.finding);
  if ((fresh.finding || fresh.violations) && Report(e, fresh, trace))
    return true;
  return shared->run.departed && RecordWay(e, *shared, end, trace);
}

} // namespace __tsan
