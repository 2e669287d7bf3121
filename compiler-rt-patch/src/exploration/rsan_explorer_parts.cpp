// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration that processes on other machines share (rsan/schedule/dpor_shares.h), in rounds.
// The explorer at home cuts what is left into parts, files FILE.part-N beside that of explore=.
// Another process takes such a file for its FILE.state, and goes on with it until nothing is left
// or its bounds are reached. Its state is FILE.made-N for the next process at home. What it has
// found it notes: at home the execution is made once more, and reports.

#include "exploration/rsan_explorer.h"
#include "port/rsan_tsan.h"

extern "C" {
#include "rsan/schedule/dpor_shares.h"
}

namespace __tsan {

// -- cut --

void RsanCutParts(RsanExplorer *e) {
  char suffix[32];
  const int most = rsan_flags()->explore_parts;
  if (most <= 0 || e->round.part)
    return;
  e->round.parts = rsan_dpor_cut(&e->dpor, static_cast<u32>(most));
  for (u32 part = 1; part <= e->round.parts; part++) {
    internal_snprintf(suffix, sizeof suffix, "part-%u", part);
    RsanSavePart(e, part, suffix);
  }
  rsan_dpor_make_whole(&e->dpor);
}

// -- joined --

// Threads are numbered in the order in which an exploration meets them. If two parts have each met
// new threads, they may have given the same number to different ones. Then the second part's tree
// cannot be joined, and its prefixes are explored again.
static bool TakeNames(RsanExplorer *e, const rsan_explored_names &names) {
  for (u32 i = 0; i < Min(e->names.count, names.count); i++)
    if (e->names.name[i].creator != names.name[i].creator ||
        e->names.name[i].ordinal != names.name[i].ordinal)
      return false;
  if (names.count > e->names.count)
    e->names = names;
  return true;
}

static void AddCounts(RsanExplored *count, const RsanExplored &other) {
  count->executions += other.executions;
  count->steps += other.steps;
  count->of_level += other.of_level;
  count->departed += other.departed;
  count->fenced += other.fenced;
  count->order_asked += other.order_asked;
  count->longest = Max(count->longest, other.longest);
  for (u32 i = 0; i < RSAN_GIVEN_UP_COUNT; i++)
    count->given_up[i] += other.given_up[i];
  for (u32 i = 0; i < kRsanGapCount; i++)
    count->gap[i] += other.gap[i];
}

static void AddNotes(RsanNotes *notes, const RsanNotes &others) {
  for (uptr i = 0; i < others.note.Size(); i++)
    notes->note.PushBack(others.note[i]);
  for (uptr i = 0; i < others.step.Size(); i++)
    notes->step.PushBack(others.step[i]);
}

// Returns the time that exploring the part took.
static u64 JoinPart(RsanExplorer *e, const rsan_dpor_cut_nodes &nodes, u32 part) {
  char suffix[32];
  RsanSaved saved = {};
  u64 time = 0;
  internal_snprintf(suffix, sizeof suffix, "made-%u", part);
  if (!RsanReadSaved(suffix, &saved))
    return 0;
  if (saved.round.number == e->round.number && saved.round.part == part &&
      TakeNames(e, saved.names) && rsan_dpor_join(&e->dpor, &nodes, &saved.dpor)) {
    AddCounts(&e->count, saved.count);
    AddNotes(e->notes, saved.notes);
    time = saved.count.time;
  }
  rsan_dpor_clear(&saved.dpor);
  return time;
}

void RsanJoinParts(RsanExplorer *e) {
  rsan_dpor_cut_nodes nodes;
  u64 time = 0;
  if (e->round.part)
    return;
  rsan_dpor_begin_joining(&e->dpor, &nodes);
  for (u32 part = 1; part <= e->round.parts; part++)
    time = Max(time, JoinPart(e, nodes, part));
  rsan_dpor_end_joining(&e->dpor, &nodes);
  e->round.number++;
  e->round.parts = 0;
  e->executions_before = e->count.executions;
  e->time_before += time;
  RsanSaveExplorer(e); // else what parts have brought is lost if this process is ended
}

// -- found by others --

void RsanNoteFinding(RsanExplorer *e, u64 number, const rsan_dpor_trace &trace) {
  e->notes->note.PushBack({number, trace.count});
  for (u32 i = 0; i < trace.count; i++)
    e->notes->step.PushBack(trace.step[i]);
}

// In a child it returns true.
static bool LookAtNote(RsanExplorer *e, const RsanNote &note, const rsan_dpor_step *step) {
  RsanRun run = {};
  run.shared = e->shared[0];
  run.shared->run.names = e->names;
  run.shared->suspects.count = 0;
  RsanAskAgain(&run.shared->run, step, note.count);
  if (RsanBeginRun(&run, nullptr))
    return true;
  const int status = RsanAwaitRun(&run);
  RsanLearnStacks(*run.shared);
  const rsan_dpor_trace trace = {step, note.count, nullptr, 0, RSAN_DPOR_ENDED};
  if (RsanLookAtFindings(e, run.shared, status, trace))
    return true;
  if (run.shared->gap[kRsanGap_SUPPRESSED])
    e->count.gap[kRsanGap_SUPPRESSED]++;
  // What was found there is not found here.
  if (!RsanIsKnownFinding(note.number))
    e->count.given_up[RSAN_GIVEN_UP_DIVERGED]++;
  return false;
}

// The notes are kept until all have been looked at, in case this process is killed before that.
bool RsanLookAtNotes(RsanExplorer *e) {
  uptr first = 0;
  if (e->round.part)
    return false;
  for (uptr i = 0; i < e->notes->note.Size(); i++) {
    const RsanNote &note = e->notes->note[i];
    if (!RsanIsKnownFinding(note.number) && LookAtNote(e, note, &e->notes->step[first]))
      return true;
    first += note.count;
  }
  e->notes->note.Resize(0);
  e->notes->step.Resize(0);
  return false;
}

} // namespace __tsan
