// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The explorer: asks rsan/schedule/dpor.h for prefixes, has runs made along them, as many at a time
// as explore_jobs= says, and gives their traces back, for a level of bounds after another
// (rsan/schedule/levels.h).

#include "exploration/rsan_explorer.h"
#include "exploration/rsan_fibers.h"
#include "exploration/rsan_graphs.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static const u64 kSecond = 1000000000;
static const u64 kTellsEach = kSecond / 5;
static const u64 kSavesEach = kSecond;

RsanExplorer *rsan_explorer;

// Begins runs until as many are under way as may be, or no prefix is known. In a child it returns
// true.
static bool BeginRuns(RsanExplorer *e) {
  while (e->under_way < e->jobs) {
    rsan_dpor_node *node = rsan_dpor_next(&e->dpor);
    if (!node)
      return false;
    RsanRun *run = &e->run[e->under_way];
    *run = {e->shared[e->under_way], node, e->names.count, 0};
    run->shared->run.names = e->names;
    RsanAskFor(&run->shared->run, node);
    if (RsanBeginRun(run, nullptr))
      return true;
    e->under_way++;
  }
  return false;
}

// The oldest run is no longer under way; its memory is used for another one.
static void RemoveOldest(RsanExplorer *e) {
  RsanExploration *shared = e->shared[0];
  e->under_way--;
  for (u32 i = 0; i < e->under_way; i++)
    e->run[i] = e->run[i + 1];
  for (u32 i = 0; i + 1 < e->jobs; i++)
    e->shared[i] = e->shared[i + 1];
  e->shared[e->jobs - 1] = shared;
}

// Where two runs have met new threads at the same time, the younger one has to give them other
// numbers: it is made again.
static bool TakeNames(RsanExplorer *e, const RsanRun &run) {
  const rsan_explored_names &names = run.shared->run.names;
  if (names.count == run.names)
    return true;
  if (e->names.count != run.names)
    return false;
  e->names = names;
  return true;
}

static void Count(RsanExplorer *e, const RsanExploration &shared, bool followed) {
  RsanExplored *count = &e->count;
  const rsan_given_up reason = rsan_explored_reason(&shared.run, followed);
  count->executions++;
  count->steps += shared.run.count;
  count->longest = Max<u64>(count->longest, shared.run.count);
  count->given_up[reason]++;
  count->of_level += !reason;
  count->departed += shared.run.departed != 0;
  count->fenced += RsanIsFenced(shared.run);
  count->order_asked += shared.run.order_asked;
  for (u32 i = 0; i < kRsanGapCount; i++)
    count->gap[i] += shared.gap[i];
  RsanCountBounds(shared.run, reason, &count->gap[kRsanGap_TURNS], &count->gap[kRsanGap_UNROLL]);
}

// A thread has lost the token, as it may where the machine is busy: the same run once more, unless
// that has been in vain before. In a child it returns true.
static bool MakeAgain(RsanExplorer *e, RsanRun *run, int *status) {
  if (!run->shared->gap[kRsanGap_TAKEN] || e->takes_always)
    return false;
  run->names = e->names.count;
  run->shared->run.names = e->names;
  RsanAskFor(&run->shared->run, run->node);
  if (RsanBeginRun(run, nullptr))
    return true;
  *status = RsanAwaitRun(run);
  e->takes_always = run->shared->gap[kRsanGap_TAKEN];
  return false;
}

// A loop that writes goes on for ever, and has no bound: the level is given up for one that has.
static bool IsEndless(const RsanExplorer *e, const rsan_explored &made) {
  return made.given_up == RSAN_GIVEN_UP_STEPS && !e->round.part &&
         e->count.level.unroll == RSAN_LEVEL_UNROLL_NONE;
}

// Waits for the oldest run, and looks at what comes of it. In a child it returns true.
static bool TakeOldest(RsanExplorer *e) {
  RsanRun run = e->run[0];
  int status = RsanAwaitRun(&run);
  RsanExploration *shared = run.shared;
  RemoveOldest(e);
  if (!shared->unfinished && MakeAgain(e, &run, &status))
    return true;
  if (!TakeNames(e, run)) {
    rsan_dpor_withdraw(&e->dpor, run.node);
    return false;
  }
  const rsan_explored &made = shared->run;
  if (!made.finished && !made.given_up && !made.stuck && !shared->timeout && !WIFSIGNALED(status))
    shared->gap[kRsanGap_SILENT] = true;
  RsanLearnStacks(*shared);
  const rsan_dpor_trace trace = rsan_explored_trace(&shared->run, e->pending);
  if (shared->unfinished || IsEndless(e, made)) {
    e->endless |= !shared->unfinished;
    e->count.executions += !shared->unfinished;
    rsan_dpor_withdraw(&e->dpor, run.node);
    return RsanLookAtFindings(e, shared, 0, trace);
  }
  Count(e, *shared, rsan_dpor_executed(&e->dpor, run.node, &trace));
  return RsanLookAtFindings(e, shared, status, trace);
}

static void DropRuns(RsanExplorer *e) {
  for (u32 i = 0; i < e->under_way; i++) {
    RsanKillRun(&e->run[i]);
    rsan_dpor_withdraw(&e->dpor, e->run[i].node);
  }
  e->under_way = 0;
}

bool RsanExplorationIsOver(RsanExplorer *e) {
  const RsanFlags *flags = rsan_flags();
  const u64 now = MonotonicNanoTime();
  const u64 executions = e->count.executions - e->executions_before;
  e->count.time = e->time_before + (now - e->begun);
  if (now - e->told > kTellsEach) {
    e->told = now;
    RsanTellProgress(e);
  }
  if (now - e->saved > kSavesEach && !flags->explore_by_graphs) {
    e->saved = now;
    RsanSaveExplorer(e);
  }
  e->stopped =
      flags->explore_executions < 0 ||
      (flags->explore_executions && executions >= static_cast<u64>(flags->explore_executions)) ||
      (flags->explore_time && now - e->begun > kSecond * static_cast<u64>(flags->explore_time)) ||
      (flags->explore_first && e->count.findings) ||
      (flags->explore_until_violation && e->count.violations);
  return e->stopped;
}

// (A process that explores a part leaves it to the one that has cut the part.)
static bool FencesMatter(const RsanExplorer *e) {
  const RsanExplored &count = e->count;
  return !e->round.part &&
         RsanFencesMatter(count.level, {count.fenced, count.findings + count.violations != 0,
                                        count.gap[kRsanGap_CXX20] + count.order_asked != 0});
}

// In a child it returns true.
static bool ExploreLevel(RsanExplorer *e) {
  while (!RsanExplorationIsOver(e) && !e->endless && !FencesMatter(e)) {
    if (BeginRuns(e))
      return true;
    if (!e->under_way)
      return false;
    if (TakeOldest(e))
      return true;
  }
  DropRuns(e);
  return false;
}

static void BeginLevel(RsanExplorer *e, const rsan_level &level) {
  rsan_dpor_clear(&e->dpor);
  rsan_dpor_init(&e->dpor, level.preemptions);
  RsanSetLevel(level);
  // The result speaks of the last level alone, so the counts of smaller ones are dropped.
  e->count.level = level;
  e->count.of_level = e->count.departed = 0;
  e->count.fenced = e->count.order_asked = 0;
  e->endless = false;
  internal_memset(e->count.given_up, 0, sizeof e->count.given_up);
  internal_memset(e->count.gap, 0, sizeof e->count.gap);
}

static bool BeginNextLevel(RsanExplorer *e) {
  const rsan_level asked = RsanAskedLevel();
  rsan_level level = e->count.level;
  const rsan_level_cut cut = {
      e->dpor.cut != 0, e->count.gap[kRsanGap_TURNS] != 0, e->count.gap[kRsanGap_UNROLL] != 0,
      e->endless || e->count.given_up[RSAN_GIVEN_UP_STEPS], FencesMatter(e)};
  if (!rsan_level_next(&level, &asked, &cut))
    return false;
  if (!cut.preemptions && !cut.steps && !cut.fences)
    RsanTellLevel(e);
  BeginLevel(e, level);
  return true;
}

// In a child it returns true.
static bool ExploreAll(RsanExplorer *e) {
  do {
    if (ExploreLevel(e))
      return true;
  } while (!e->stopped && !e->round.part && BeginNextLevel(e));
  return false;
}

void *RsanMapShared(uptr bytes) {
  const uptr memory = internal_mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (internal_iserror(memory)) {
    Printf("ThreadSanitizer: explore: cannot map shared memory\n");
    Die();
  }
  return reinterpret_cast<void *>(memory);
}

static RsanExploration *SharedMemory() {
  return static_cast<RsanExploration *>(RsanMapShared(sizeof(RsanExploration)));
}

static void Begin(RsanExplorer *e) {
  e->begun = MonotonicNanoTime(); // (at once it is told and saved for the first time)
  e->jobs = static_cast<u32>(Max(1, Min<int>(rsan_flags()->explore_jobs, kRsanMostJobs)));
  RsanOpenExplorerFile(e);
  e->null = OpenFile("/dev/null", RdWr);
  RsanBeginState(cur_thread());
  rsan_known_findings = New<Vector<RsanKnownFinding>>();
  e->notes = New<RsanNotes>();
  for (u32 i = 0; i < e->jobs; i++)
    e->shared[i] = SharedMemory();
  e->shared[kRsanMostJobs] = SharedMemory();
  if (rsan_flags()->explore_resume) {
    RsanRestoreExplorer(e);
    RsanSetLevel(e->count.level);
    RsanJoinParts(e);
  } else {
    const rsan_level asked = RsanAskedLevel();
    BeginLevel(e, rsan_level_first(&asked, 0));
  }
  fflush(nullptr);
}

bool RsanExploreFromHere() {
  if (RsanOnFibers())
    RsanRefuseOnFiber("creates a thread");
  const bool explores = RsanBeginExploring();
  if (RsanFollowsGraph())
    RsanGraphCreates(cur_thread());
  return explores;
}

bool RsanBeginExploring() {
  if (!RsanExplores())
    RsanFillForThreads(nullptr);
  if (!RsanExplores() || rsan_explorer || rsan_exploration || !rsan_self)
    return RsanExplores();
  if (*rsan_flags()->explore_graph)
    return RsanRepeatGraph();
  rsan_explorer = New<RsanExplorer>();
  internal_memset(rsan_explorer, 0, sizeof *rsan_explorer);
  if (RsanEngine())
    rsan_engine_begin_cxx20(RsanEngine());
  Begin(rsan_explorer);
  RsanWarmUp(cur_thread());
  if (rsan_flags()->explore_by_graphs) {
    if (RsanExploreGraphs(rsan_explorer))
      return true;
    RsanTellResult(rsan_explorer);
    internal__exit(0);
  }
  if (RsanLookAtNotes(rsan_explorer) || ExploreAll(rsan_explorer))
    return true;
  if (rsan_explorer->stopped)
    RsanCutParts(rsan_explorer);
  RsanSaveExplorer(rsan_explorer);
  RsanTellParts(rsan_explorer);
  RsanTellResult(rsan_explorer);
  internal__exit(0);
}

} // namespace __tsan
