// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan_check of rsan.h: all schedules of a test in its own process. Each execution runs setup(),
// the threads as fibers (rsan_fibers.h), and check(). As in rsan_explorer.cpp findings are noted by
// numbers; an execution with a new one is made again, and that one reports.

#include "exploration/rsan_check.h"

#include "departures/rsan_departures.h"
#include "exploration/rsan_set_up.h"
#include "exploration/rsan_test_heap.h"
#include "port/rsan_tsan.h"
#include "simulation/rsan_simulate.h"

extern "C" {
int pthread_create(void **thread, const void *attributes, void *(*function)(void *),
                   void *argument);
int pthread_join(void *thread, void **result);
}

namespace __tsan {

static const u64 kSecond = 1000000000;

static RsanChecked checked;
static RsanExploration *exploration; // of all calls: it is large
static rsan_dpor_step pending[RSAN_DPOR_THREADS];
static u64 told;

// -- one execution --

static bool Execute(const RsanTest &test) {
  exploration->found_count = 0;
  exploration->deadlock = false;
  rsan_uses_test_heap = checked.scenario || rsan_follows_graphs;
  if (rsan_uses_test_heap && !rsan_follows_graphs)
    RsanResetTestHeap();
  rsan_explored_add(&exploration->run, 0, RSAN_NO_THREAD);
  exploration->run.thread[0].pends = false;
  return RsanExecuteOnFibers(test);
}

// Asks for the execution by `ask`, once more where it meets objects of which it has to be known
// what setup() leaves in them (rsan_set_up.h).
template <typename Ask> static bool ExecuteKnown(const RsanTest &test, const Ask &ask) {
  bool passes;
  do {
    ask();
    passes = Execute(test);
  } while (RsanMetUnknownObjects());
  return passes;
}

// TSan begins its epochs anew from time to time, and forgets what there was: then once more. (An
// execution that takes more epochs than there are is no proof.)
static NOINLINE bool ExecuteWhole(const RsanTest &test, const rsan_dpor_node *node) {
  bool passes = false;
  for (int attempt = 0; attempt < 2; attempt++) {
    const uptr epoch = ctx->global_epoch;
    passes = ExecuteKnown(test, [&] { RsanAskFor(&exploration->run, node); });
    if (epoch == ctx->global_epoch)
      return passes;
  }
  RsanNoteGap(kRsanGap_RACES);
  return passes;
}

// -- findings --

static u64 NumberOfEnd(bool passes) {
  if (exploration->deadlock)
    return 1;
  if (exploration->run.spins)
    return 2;
  return passes ? 0 : kRsanFailedCheck;
}

static const char *NameOf(u64 number) {
  if (number == kRsanFailedCheck)
    return checked.scenario ? "no order of the calls gives these results"
                            : "check() says that it has failed";
  return number == 1   ? "deadlock"
         : number == 2 ? "livelock: only loops go on that wait for what never comes"
                       : nullptr; // it is a report, and has been printed
}

static bool HasFailed(bool passes) {
  return RsanHasFinding(*exploration) || NumberOfEnd(passes);
}

static bool IsQuiet() {
  return checked.scenario && checked.scenario->quiet;
}

static u64 NewFinding(bool passes) {
  return RsanNewFinding(*exploration, NumberOfEnd(passes));
}

static void Report(const RsanTest &test, u64 number) {
  checked.findings++;
  if (IsQuiet())
    return;
  RsanAskAgain(&exploration->run, exploration->run.step, exploration->run.count);
  rsan_exploration_reports = true;
  Execute(test);
  rsan_exploration_reports = false;
  if (const char *name = NameOf(number))
    RsanPrintFinding(checked, name);
}

// -- all of them --

static void Count(bool followed) {
  const rsan_explored &run = exploration->run;
  const rsan_given_up reason = rsan_explored_reason(&run, followed);
  RsanCheckedLevel *level = &checked.level;
  checked.executions++;
  level->given_up[reason]++;
  level->whole += !reason;
  level->fenced += RsanIsFenced(run);
  level->order_asked += run.order_asked;
  RsanCountBounds(run, reason, &level->turned, &level->unrolled);
  if (run.expired)
    RsanNoteGap(kRsanGap_TIMED);
}

static bool IsOver() {
  const RsanFlags *flags = rsan_flags();
  const u64 most = static_cast<u64>(flags->explore_executions);
  if (checked.executions % 1024 == 0) {
    const u64 now = MonotonicNanoTime();
    if (now - told > 10 * kSecond) {
      told = now;
      if (checked.scenario)
        Printf("rsan_check: scenario %s\n", checked.scenario->name);
      Printf("rsan_check: %llu executions, %u findings so far\n",
             (unsigned long long)checked.executions, checked.findings);
    }
  }
  checked.stopped |= RsanTimeIsOver();
  checked.stopped |=
      (most && checked.executions >= most) || (flags->explore_first && checked.findings);
  if (IsQuiet() && checked.failed)
    return true;
  return checked.stopped;
}

static void BeginLevel(const rsan_level &bounds) {
  rsan_dpor_clear(&checked.dpor);
  rsan_dpor_init(&checked.dpor, bounds.preemptions);
  RsanSetLevel(bounds);
  internal_memset(&checked.level, 0, sizeof checked.level);
  checked.level.bounds = bounds;
  checked.endless = false;
}

// A loop that writes goes on for ever, and has no bound: the level is given up for one that has.
static bool IsEndless() {
  checked.endless |= exploration->run.given_up == RSAN_GIVEN_UP_STEPS &&
                     checked.level.bounds.unroll == RSAN_LEVEL_UNROLL_NONE;
  return checked.endless;
}

static bool FencesMatter() {
  return RsanFencesMatter(checked.level.bounds,
                          {checked.level.fenced, checked.findings != 0,
                           checked.gap[kRsanGap_CXX20] || checked.level.order_asked});
}

static void ExploreLevel(const RsanTest &test) {
  rsan_dpor *d = &checked.dpor;
  while (!IsOver() && !FencesMatter()) {
    rsan_dpor_node *node = rsan_dpor_next(d);
    if (!node)
      break;
    const bool passes = ExecuteWhole(test, node);
    const rsan_dpor_trace trace = rsan_explored_trace(&exploration->run, pending);
    const bool endless = IsEndless();
    Count(endless || rsan_dpor_executed(d, node, &trace));
    checked.failed |= HasFailed(passes);
    if (const u64 number = NewFinding(passes))
      Report(test, number);
    if (endless)
      break;
  }
  checked.level.cut = d->cut;
}

static bool BeginNextLevel() {
  const rsan_level asked = RsanAskedLevel();
  const RsanCheckedLevel &level = checked.level;
  const rsan_level_cut cut = {level.cut != 0, level.turned != 0, level.unrolled != 0,
                              level.given_up[RSAN_GIVEN_UP_STEPS] != 0, FencesMatter()};
  rsan_level bounds = level.bounds;
  if (!rsan_level_next(&bounds, &asked, &cut))
    return false;
  const bool is_whole = !cut.preemptions && !cut.steps && !cut.fences;
  checked.has_done |= is_whole;
  if (is_whole)
    checked.done = level;
  BeginLevel(bounds);
  return true;
}

static void ExploreAll(const RsanTest &test) {
  const rsan_level asked = RsanAskedLevel();
  BeginLevel(rsan_level_first(&asked, asked.preemptions));
  do
    ExploreLevel(test);
  while (!checked.stopped && !(IsQuiet() && checked.failed) && BeginNextLevel());
  rsan_dpor_clear(&checked.dpor);
}

// -- as execution graphs --

// Violations are all that was found, so nobody knows yet whether one does harm; and the options
// change nothing of the program's memory model.
static bool AsksForGraphs() {
  const RsanFlags *flags = rsan_flags();
  if (checked.stopped || checked.level.cut || !flags->explore_graphs || !RsanGraphsAreOfModel())
    return false;
  if (flags->explore_graphs == 2)
    return true;
  if (checked.scenario)
    return !checked.failed && !RsanIsProved(checked);
  for (uptr i = 0; i < rsan_known_findings->Size(); i++)
    if ((*rsan_known_findings)[i].what == kRsanFinding)
      return false;
  return checked.findings != 0;
}

static bool FollowGraph(const RsanTest &test) {
  RsanAskAgain(&exploration->run, exploration->run.step, 0);
  return Execute(test);
}

// Makes the run of the present graph.
static bool ExecuteGraph(const RsanTest &test, rsan_graph_end *end) {
  const uptr epoch = ctx->global_epoch;
  bool passes = FollowGraph(test);
  *end = RsanGraphsRunEnds(RsanGraphsOutcome());
  if (epoch != ctx->global_epoch) {
    const uptr newer = ctx->global_epoch; // as in ExecuteWhole
    RsanGraphsAgain();
    passes = FollowGraph(test);
    if (newer != ctx->global_epoch)
      RsanNoteGap(kRsanGap_RACES);
  }
  exploration->deadlock = *end == RSAN_EXPLORE_DEADLOCK;
  return passes;
}

// A finding of which a graph was shown. If the exploration meets a smaller graph with it, that one
// is shown at the end.
namespace {
struct ShownFinding {
  u64 number;
  u32 events;
  u64 run; // of `smallest`; 0: there is none
  rsan_graph smallest;
};
} // namespace
static Vector<ShownFinding> *shown;

static void ReportGraph(const RsanTest &test, u64 number) {
  if (IsQuiet())
    return;
  if (!shown)
    shown = New<Vector<ShownFinding>>();
  shown->PushBack({number, RsanGraphsGraph()->count, 0, {}});
  RsanGraphsAgain();
  rsan_exploration_reports = true;
  FollowGraph(test);
  rsan_exploration_reports = false;
  RsanPrintGraphFinding(NameOf(number));
}

static void KeepIfSmaller(u64 number) {
  for (uptr i = 0; shown && i < shown->Size(); i++) {
    ShownFinding *finding = &(*shown)[i];
    if (finding->number != number || RsanGraphsGraph()->count >= finding->events)
      continue;
    if (finding->run)
      rsan_graph_clear(&finding->smallest);
    rsan_graph_copy(&finding->smallest, RsanGraphsGraph());
    finding->events = finding->smallest.count;
    finding->run = RsanGraphsCount()->runs;
  }
}

static void KeepSmallest(bool passes) {
  for (u32 i = 0; i < exploration->found_count; i++)
    KeepIfSmaller(exploration->found[i]);
  if (const u64 end = NumberOfEnd(passes))
    KeepIfSmaller(end);
}

static void ShowSmallest(const RsanTest &test) {
  for (uptr i = 0; shown && i < shown->Size(); i++) {
    const ShownFinding &finding = (*shown)[i];
    if (!finding.run)
      continue;
    RsanGraphsTake(finding.smallest, finding.run);
    FollowGraph(test);
    RsanPrintGraphFinding("the same in the fewest operations");
  }
  if (shown)
    for (; shown->Size(); shown->PopBack())
      if ((*shown)[shown->Size() - 1].run)
        rsan_graph_clear(&(*shown)[shown->Size() - 1].smallest);
}

static void ExploreGraphLevel(const RsanTest &test) {
  RsanCheckedGraphs *graphs = &checked.graphs;
  RsanGraphsBegin(test.count, graphs->turns);
  rsan_follows_graphs = true;
  while (!(graphs->stopped = IsOver()) && RsanGraphsNext()) {
    rsan_graph_end end;
    const bool passes = ExecuteGraph(test, &end);
    checked.executions++;
    if (end != RSAN_EXPLORE_COMPLETE && end != RSAN_EXPLORE_DEADLOCK)
      continue;
    RsanGraphsCount()->failed += HasFailed(passes);
    checked.failed |= HasFailed(passes);
    KeepSmallest(passes);
    if (const u64 number = NewFinding(passes))
      ReportGraph(test, number);
  }
  graphs->count = *RsanGraphsCount();
  ShowSmallest(test);
  rsan_follows_graphs = false;
  RsanGraphsEnd();
}

static void ExploreGraphs(const RsanTest &test) {
  RsanCheckedGraphs *graphs = &checked.graphs;
  const u64 executions = checked.executions;
  graphs->begun = true;
  graphs->turns = 0;
  RsanNoteGapsIn(graphs->gap);
  while (!graphs->stopped && !(IsQuiet() && checked.failed) &&
         RsanGraphsRaiseTurns(graphs->count, &graphs->turns))
    ExploreGraphLevel(test);
  RsanNoteGapsIn(exploration->gap);
  checked.executions = executions;
  checked.stopped = false; // the interleavings were not
}

// The run of that number once more, with its reports.
static int RepeatGraph(const RsanTest &test, u64 number, u32 turns) {
  RsanGraphsBegin(test.count, turns);
  rsan_follows_graphs = true;
  rsan_graph_end end = RSAN_EXPLORE_DIVERGED;
  bool passes = true;
  const u32 reports = ctx->nreported;
  while (RsanGraphsCount()->runs < number && RsanGraphsNext()) {
    rsan_exploration_reports = RsanGraphsCount()->runs == number;
    passes = ExecuteGraph(test, &end);
    checked.executions++;
  }
  rsan_exploration_reports = false;
  const u64 what = NumberOfEnd(passes);
  const bool found = RsanGraphsCount()->runs == number && (what || reports != ctx->nreported);
  if (found)
    RsanPrintGraphFinding(NameOf(what));
  else
    Printf("rsan_check: graph %llu has no finding\n", (unsigned long long)number);
  rsan_follows_graphs = false;
  RsanGraphsEnd();
  return found ? kRsanFound : kRsanNotProved;
}

// -- before and after --

static void BeginFirst() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (exploration)
    return;
  exploration = reinterpret_cast<RsanExploration *>(
      MmapNoReserveOrDie(sizeof(RsanExploration), "exploration"));
  rsan_known_findings = New<Vector<RsanKnownFinding>>();
  rsan_schedule_state = New<RsanScheduleState>();
  if (RsanEngine())
    rsan_engine_keep_all(RsanEngine(), cur_thread()->rsan);
}

// What setup() does may be left out.
static void NoteGapsOf(const ThreadState *thr) {
  if (thr->rsan_own.ignored || thr->ignore_reads_and_writes || thr->ignore_sync)
    RsanNoteGap(kRsanGap_SUPPRESSED);
}

static void Begin(const RsanTest &test) {
  RsanKeepArguments();
  RsanResizeFibers(test);
  rsan_known_findings->Resize(0);
  exploration->run.names.count = 0;
  internal_memset(exploration->gap, 0, sizeof exploration->gap);
  rsan_exploration = exploration;
  RsanNoteGapsIn(exploration->gap);
  rsan_on_fibers = rsan_explores = rsan_schedules = true;
  RsanSimulateAlso(kRsanScheduled);
  if (RsanEngine())
    rsan_engine_begin_cxx20(RsanEngine());
  RsanForgetGaps();
  NoteGapsOf(cur_thread());
  told = MonotonicNanoTime();
  RsanGuardExecutions(&checked);
}

static void End() {
  rsan_uses_test_heap = false;
  if (checked.scenario)
    RsanLeaveTestHeap();
  RsanForgetReset();
  RsanNoteGaps();
  if (RsanEngine())
    rsan_engine_end_cxx20(RsanEngine());
  RsanUnguardExecutions();
  RsanDropLists();
  rsan_on_fibers = rsan_explores = rsan_schedules = false;
  rsan_exploration = nullptr;
  RsanNoteGapsIn(nullptr);
}

static NOINLINE int Repeat(const RsanTest &test) {
  rsan_explored *run = &exploration->run;
  RsanSetLevel(RsanAskedLevel());
  rsan_exploration_reports = true;
  const u32 reports = ctx->nreported;
  const bool passes = ExecuteKnown(test, [&] {
    RsanAskAgain(run, run->step, 0);
    RsanReadExecution(run);
  });
  rsan_exploration_reports = false;
  const u64 number = NumberOfEnd(passes);
  if (number)
    Printf("rsan_check: %s, after %u steps\n", NameOf(number), run->count);
  if (run->given_up == RSAN_GIVEN_UP_DIVERGED)
    Printf("rsan_check: the execution is another one than execution= says, from step %u on\n",
           run->count + 1);
  else if (number || reports != ctx->nreported)
    return kRsanFound;
  return kRsanNotProved;
}

// Reports of tests whose violations do no harm; was there a test with other findings?
static int harmless_reports;
static bool any_found;

void RsanSetStatusOfChecks() {
  if (any_found || !harmless_reports || harmless_reports != ctx->nreported ||
      common_flags()->exitcode != kRsanFound)
    return;
  CommonFlags common;
  common.CopyFrom(*common_flags());
  common.exitcode = kRsanHarmless;
  OverrideCommonFlags(common);
}

static void BeginCall(const RsanTest &test, u32 call) {
  BeginFirst();
  internal_memset(&checked, 0, sizeof checked);
  checked.call = call;
  checked.gap = exploration->gap;
  checked.scenario = test.scenario;
  RsanForgetFreed();
  Begin(test);
}

static void ExploreAllAndGraphs(const RsanTest &test) {
  ExploreAll(test);
  RsanForgetReset(); // ExecuteWhole has repeated those executions
  RsanNoteGaps();
  if (AsksForGraphs())
    ExploreGraphs(test);
  End();
}

static int Check(const RsanTest &test) {
  static u32 calls;
  const u32 wanted = RsanReadExecution(nullptr);
  const u32 call = test.scenario ? 1 : ++calls;
  if (wanted && wanted != call)
    return kRsanProved;
  const int reports = ctx->nreported;
  BeginCall(test, call);
  if (wanted) {
    u32 turns;
    const u64 graph = RsanReadGraph(&turns);
    const int result = graph ? RepeatGraph(test, graph, turns) : Repeat(test);
    End();
    return result;
  }
  ExploreAllAndGraphs(test);
  if (IsQuiet())
    return kRsanProved;
  int result = RsanPrintVerdict(checked);
  if (checked.graphs.begun)
    result = RsanPrintGraphVerdict(checked, result);
  any_found |= result == kRsanFound;
  if (result == kRsanHarmless)
    harmless_reports += ctx->nreported - reports;
  return result;
}

// -- with threads: under `rsan check`, and with schedules that are chosen --

static const RsanTest *threaded;

static void *RunThread(void *number) {
  void (*function)(void *) = threaded->threads[reinterpret_cast<uptr>(number)];
  function(threaded->argument);
  return nullptr;
}

bool RsanRunByThreads(const RsanTest &test) {
  void *thread[RSAN_DPOR_THREADS];
  threaded = &test;
  test.setup(test.argument);
  for (u32 i = 0; i < test.count; i++)
    if (pthread_create(&thread[i], nullptr, RunThread, reinterpret_cast<void *>(i)) != 0) {
      Printf("rsan_check: a thread cannot be created\n");
      Die();
    }
  for (u32 i = 0; i < test.count; i++)
    pthread_join(thread[i], nullptr);
  return test.check(test.argument);
}

static int CheckByThreads(const RsanTest &test) {
  if (RsanRunByThreads(test))
    return kRsanProved;
  Printf("rsan_check: %s\n", NameOf(kRsanFailedCheck));
  return kRsanFailed;
}

const RsanChecked &RsanCheckScenario(const RsanTest &test, int *repeated) {
  *repeated = Check(test);
  return checked;
}

} // namespace __tsan

using namespace __tsan;

extern "C" SANITIZER_INTERFACE_ATTRIBUTE int __rsan_check(void (*setup)(void *), unsigned count,
                                                          void (*const *threads)(void *),
                                                          bool (*check)(void *), void *argument) {
  const RsanTest test = {setup, threads, check, argument, count, GET_CALLER_PC(), nullptr};
  if (RsanOnFibers())
    RsanRefuseOnFiber("calls rsan_check()");
  if (!count || count >= RSAN_DPOR_THREADS) {
    Printf("rsan_check: %u threads: there may be 1 to %d\n", count, RSAN_DPOR_THREADS - 1);
    return kRsanWrongUsage;
  }
  if (RsanSchedules() || RsanExplores() || ctx->after_multithreaded_fork)
    return CheckByThreads(test);
  if (RsanHasOtherThreads()) {
    Printf("rsan_check: the program has other threads, which may take part unseen: call it when "
           "they have ended\n");
    return kRsanWrongUsage;
  }
  if (RsanIsWeak()) {
    Printf("rsan_check: with weak= in RSAN_OPTIONS use `rsan check --weak' or `rsan confirm'\n");
    return kRsanWrongUsage;
  }
  return Check(test);
}
