// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of rsan_check share: the exploration of a test in one process, and its words.

#ifndef RSAN_CHECK_H
#define RSAN_CHECK_H

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graphs.h"

namespace __tsan {

// What the call of rsan_check ends with.
enum {
  kRsanProved = 0,
  kRsanFailed = 1,
  kRsanWrongUsage = 2,
  kRsanNotProved = 3,
  kRsanFound = 66,
  kRsanHarmless = 67 // violations, and all that C++20 allows is as it should be
};

// What was explored within some bounds (rsan/schedule/levels.h).
struct RsanCheckedLevel {
  rsan_level bounds;
  u64 whole; // executions that came to their end
  u64 given_up[RSAN_GIVEN_UP_COUNT];
  u64 cut;              // not begun, or given up, for the bound of preemptions
  u64 turned, unrolled; // executions in which a thread would have gone beyond explore_loop=, ...
  u64 fenced;           // RsanIsFenced
  u64 order_asked;      // the order of fences matters
};

// The exploration of execution graphs, which follows if violations are the only findings.
struct RsanCheckedGraphs {
  bool begun;
  bool stopped; // by a limit
  u32 turns;    // of loops that read the same again
  RsanGraphCounts count;
  bool gap[kRsanGapCount];
};

struct RsanChecked {
  rsan_dpor dpor;
  u32 call;               // which one of the process, from 1 on
  u64 executions;         // all of them
  RsanCheckedLevel level; // the newest one
  RsanCheckedLevel done;  // the newest one of which all was explored, if there is one
  bool has_done;
  u32 findings;
  bool stopped;    // by a limit
  bool endless;    // an execution had too many steps, and the level no bound for them
  const bool *gap; // by RsanGap
  RsanCheckedGraphs graphs;
  const RsanScenario *scenario; // null: the test is none
  bool failed;                  // a finding that is no violation
};

// What an execution ends with, as numbers of findings.
enum : u64 { kRsanFailedCheck = 4 };

// An execution as text (RsanAppendExecution) without blanks and colons: CALL, then the steps:
//   .N, .NxM   a step, or M, of thread N (0: who calls rsan_check)
//   .cV-N      the choice of V, one of N values
// Or the number of an execution graph:
//   CALL.gN-TURNS
// The call that the text of execution= is about; 0: there is none, or it is none. The prefix, if
// `run` is not null.
u32 RsanReadExecution(rsan_explored *run);
u64 RsanReadGraph(u32 *turns); // 0: it names none

// All interleavings were made, nothing was found, and by C++20's fences as well.
bool RsanIsProved(const RsanChecked &checked);
// Why that is not so, or why the graphs are not all that C++20 allows; null: for no such reason.
const char *RsanLossOf(const RsanChecked &checked);
const char *RsanGraphLossOf(const RsanChecked &checked);
// Explores a scenario as rsan_check() does a test, except that violations are no findings: graphs
// say whether one does harm. What comes of it stays until the next call.
// *repeated: with execution=, what rsan_check() would return.
const RsanChecked &RsanCheckScenario(const RsanTest &test, int *repeated);
// Executes it once, by threads of the operating system. False: it has failed.
bool RsanRunByThreads(const RsanTest &test);

void RsanPrintFinding(const RsanChecked &checked, const char *what);
int RsanPrintVerdict(const RsanChecked &checked);
extern const char *const rsan_gap_texts[]; // by RsanGap

// Prints the graph of the run before, and what it shows (rsan_graph_verdict.cpp). A null `what`
// stands for a report that is printed already.
void RsanPrintGraphFinding(const char *what);
// Prints the verdict of the graphs. Gets the result of the interleavings, returns that of both.
int RsanPrintGraphVerdict(const RsanChecked &checked, int result);

// While a test runs: says which execution it was if the process is killed by a signal, or if an
// execution takes too long.
void RsanGuardExecutions(const RsanChecked *checked);
void RsanUnguardExecutions();
// Has explore_time= passed since the test was guarded?
bool RsanTimeIsOver();

} // namespace __tsan

#endif
