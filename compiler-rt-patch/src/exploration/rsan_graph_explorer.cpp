// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explores all execution graphs of a program (explore_by_graphs=). `rsan check` asks for it once it
// has found violations. Each run is a child process, as in rsan_explorer.cpp: it follows a graph
// and logs its operations (rsan_graph_log.h). The parent has the explorer of graphs.
//
// If a graph fails, the explorer writes it to FILE.graph, where FILE is the record of its run. A
// process with explore_graph= follows the graph of such a file. Numbers of objects and
// threads may differ between two processes. So the file numbers an object by its first event in the
// graph, and a thread by its creation. The process that reads the file numbers them in the same
// way.

#include <fcntl.h>
#include <sys/wait.h>

#include "exploration/rsan_explorer.h"
#include "exploration/rsan_graph_log.h"
#include "port/rsan_tsan.h"

extern "C" {
#include "rsan/graph/text.h"
}

namespace __tsan {

// -- a graph as a file --

// Gives numbers in the order of the first call for each number of the exploration.
struct Renumbering {
  Vector<u32> known;
  u32 Of(u32 number) {
    for (uptr i = 0; i < known.Size(); i++)
      if (known[i] == number)
        return static_cast<u32>(i);
    known.PushBack(number);
    return static_cast<u32>(known.Size() - 1);
  }
};

static bool HasObject(const rsan_graph_op &op) {
  return op.kind != RSAN_GRAPH_FENCE && op.kind != RSAN_GRAPH_CHOICE;
}

// Is the event the creation of a thread? No other write of an object without a size leaves 1.
static bool IsCreation(const rsan_graph_event &event) {
  return event.op.kind == RSAN_GRAPH_WRITE && !event.op.size && event.op.operand.low == 1;
}

// Returns the thread that the event creates: its first event reads the creation. A thread that has
// not begun has no events, and gets a number that is no thread's.
static u32 CreatedBy(const rsan_graph &graph, u32 creation) {
  for (u32 e = creation + 1; e < graph.count; e++)
    if (!graph.event[e].index && graph.event[e].reads == creation)
      return graph.event[e].thread;
  return RSAN_DPOR_THREADS + creation;
}

// A queue is a set of threads, by their numbers: the update by which a thread joins it, and the
// choice of the one that a wake takes out.
static void RenumberQueue(rsan_graph *graph, rsan_graph_event *event, Renumbering *threads) {
  if (event->op.kind != RSAN_GRAPH_UPDATE || event->op.size)
    return;
  if (event->op.function == RSAN_GRAPH_OR)
    event->op.operand.low = 1ull << event->thread;
  const u64 woken = event->read.low & ~event->written.low;
  if (event->op.function != RSAN_GRAPH_CLEAR || !woken)
    return;
  const u32 thread = threads->Of(static_cast<u32>(__builtin_ctzll(woken)));
  u64 before = 0;
  for (u64 left = event->read.low; left; left &= left - 1)
    before += threads->Of(static_cast<u32>(__builtin_ctzll(left))) < thread;
  if (before == event->op.operand.low)
    return;
  event->op.operand.low = before;
  graph->event[event->previous].read.low = before; // there are several, so it was chosen
}

static void Renumber(rsan_graph *graph) {
  Renumbering objects, threads;
  for (u32 e = 0; e < graph->count; e++) {
    rsan_graph_event *event = &graph->event[e];
    event->thread = threads.Of(event->thread);
    if (IsCreation(*event))
      threads.Of(CreatedBy(*graph, e));
    RenumberQueue(graph, event, &threads);
    if (HasObject(event->op))
      event->op.object = event->op.object / kRsanMostGraphObjects * kRsanMostGraphObjects +
                         objects.Of(event->op.object % kRsanMostGraphObjects);
  }
}

static void Emit(void *file, const char *text, u32 length) {
  WriteToFile(*static_cast<fd_t *>(file), text, length);
}

static void WriteGraph(const char *record) {
  char path[kMaxPathLength];
  rsan_graph graph;
  internal_snprintf(path, sizeof path, "%s.graph", record);
  fd_t file = OpenFile(path, WrOnly);
  if (file == kInvalidFd)
    return;
  rsan_graph_copy(&graph, RsanGraphsGraph());
  Renumber(&graph);
  rsan_graph_write_text(&graph, Emit, &file);
  rsan_graph_clear(&graph);
  CloseFile(file);
}

// -- one run --

// Forks the run. With `record` the run reports what it finds. Returns true in the child.
static bool BeginRun(RsanExplorer *e, RsanRun *run, const char *record) {
  run->shared->run.names = e->names;
  run->shared->suspects.count = 0;
  run->shared->ends = kRsanEndsItself;
  RsanAskAgain(&run->shared->run, run->shared->run.step, 0);
  RsanBeginGraphLog();
  rsan_follows_graphs = true; // a record says so
  const bool is_child = RsanBeginRun(run, record);
  rsan_follows_graphs = false;
  if (is_child)
    RsanFollowFromHere();
  return is_child;
}

// Repeats the run's operations with the explorer of this process.
static void Replay(const RsanGraphLog &log) {
  for (u32 i = 0; i < log.objects; i++)
    RsanGraphsMeet(log.object[i].addr, log.object[i].size, log.object[i].part);
  for (u32 i = 0; i < log.steps; i++)
    RsanGraphsStep(log.step[i].thread, log.step[i].op);
}

static void AddGaps(RsanExplorer *e, const RsanExploration &shared) {
  for (u32 i = 0; i < kRsanGapCount; i++)
    e->count.gap[i] += shared.gap[i];
  e->count.given_up[RSAN_GIVEN_UP_THREADS] += shared.run.given_up == RSAN_GIVEN_UP_THREADS;
}

// Makes the run again, which then reports. Returns true in the child.
static bool Report(RsanExplorer *e, u64 number, const char *name) {
  char path[kMaxPathLength];
  e->count.findings++;
  internal_snprintf(path, sizeof path, "%s.%llu", rsan_flags()->explore,
                    (unsigned long long)e->count.findings);
  WriteGraph(path);
  RsanRun run = {};
  run.shared = e->shared[kRsanMostJobs];
  RsanGraphsAgain();
  if (BeginRun(e, &run, path))
    return true;
  RsanAwaitRun(&run);
  RsanTellFinding(e, name, number, run.shared->token, RsanGraphsGraph()->count, 0, path);
  return false;
}

// Counts the run and its graph. Returns whether it is an execution, which may fail.
static bool Count(RsanExplorer *e, const RsanRun &run, int status, u64 end) {
  const RsanExploration &shared = *run.shared;
  const RsanGraphLog *made = RsanGraphLogOf();
  e->count.executions++;
  e->count.steps += made->steps;
  AddGaps(e, shared);
  if (end && !shared.deadlock) {
    RsanGraphsCountGraph(); // the rest of the graph is not executed
    RsanGraphsCount()->failed++;
    return true;
  }
  if (!made->over && !WIFSIGNALED(status) && !made->made.unmade)
    RsanGraphsCount()->unmade = "end of the process without exit()";
  const rsan_graph_end graph_end = RsanGraphsRunEnds(made->made);
  if (graph_end != RSAN_EXPLORE_COMPLETE && graph_end != RSAN_EXPLORE_DEADLOCK)
    return false;
  RsanGraphsCount()->failed += end || RsanHasFinding(shared);
  return true;
}

// Makes the run of the present graph. Returns true in a child.
static bool MakeRun(RsanExplorer *e) {
  char name[32];
  RsanRun run = {};
  run.shared = e->shared[0];
  if (BeginRun(e, &run, nullptr))
    return true;
  const int status = RsanAwaitRun(&run);
  if (run.shared->unfinished)
    return false; // the limit of time has ended it, and ends the exploration
  e->names = run.shared->run.names;
  RsanLearnStacks(*run.shared);
  Replay(*RsanGraphLogOf());
  const u64 end = RsanNumberOfEnd(*run.shared, status);
  if (!Count(e, run, status, end))
    return false;
  const u64 number = RsanNewFinding(*run.shared, end);
  if (number && number == end)
    RsanNameEnd(*run.shared, status, name, sizeof name);
  else
    internal_snprintf(name, sizeof name, "report");
  return number && Report(e, number, name);
}

// -- all of them --

// Explores with that bound of turns. Returns true in a child.
static bool ExploreWith(RsanExplorer *e, u32 turns) {
  RsanGraphsBegin(1, turns);
  internal_memset(e->count.gap, 0, sizeof e->count.gap);
  while (!RsanExplorationIsOver(e) && RsanGraphsNext())
    if (MakeRun(e))
      return true;
  return false;
}

bool RsanExploreGraphs(RsanExplorer *e) {
  if (!RsanGraphsAreOfModel()) {
    RsanGraphCounts none = {};
    none.unmade = "access that an option changes (simulate=, target=, seq_cst=)";
    RsanTellGraphs(e, none, 0);
    return false;
  }
  RsanGraphCounts counts = {};
  u32 turns = 0;
  while (!e->stopped && RsanGraphsRaiseTurns(counts, &turns)) {
    if (ExploreWith(e, turns))
      return true;
    counts = *RsanGraphsCount();
    RsanGraphsEnd();
  }
  RsanTellGraphs(e, counts, turns);
  return false;
}

// -- one of them again --

[[noreturn]] static void Refuse(const char *why) {
  Printf("ThreadSanitizer: explore_graph=%s in RSAN_OPTIONS: %s\n",
         Printable(rsan_flags()->explore_graph), why);
  RsanDieUnstarted();
}

static void ReadGraph(rsan_graph *graph) {
  char *text;
  uptr size, length;
  u32 line;
  if (!ReadFileToBuffer(rsan_flags()->explore_graph, &text, &size, &length, 64 << 20))
    Refuse("the file cannot be read");
  if (const char *why = rsan_graph_read_text(graph, text, &line))
    Refuse(why);
  UnmapOrDie(text, size);
}

bool RsanRepeatGraph() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  rsan_graph graph;
  ReadGraph(&graph);
  rsan_known_findings = New<Vector<RsanKnownFinding>>();
  rsan_exploration = reinterpret_cast<RsanExploration *>(
      MmapNoReserveOrDie(sizeof(RsanExploration), "exploration"));
  RsanNoteGapsIn(rsan_exploration->gap);
  rsan_exploration_reports = true;
  RsanForgetGaps();
  RsanAskAgain(&rsan_exploration->run, rsan_exploration->run.step, 0);
  rsan_explored_add(&rsan_exploration->run, rsan_self->id, RSAN_NO_THREAD);
  rsan_schedule_state->schedule.explored = &rsan_exploration->run;
  RsanBeginGraphLog();
  RsanGraphsBegin(1, static_cast<u32>(rsan_flags()->explore_loop));
  RsanGraphsTake(graph, 1);
  RsanFollowFromHere();
  return true;
}

} // namespace __tsan
