// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process that explores: what its files share. In each run, which is a child of it, all of this
// is left alone.

#ifndef RSAN_EXPLORER_H
#define RSAN_EXPLORER_H

#include "exploration/rsan_exploration.h"
#include "sanitizer_common/sanitizer_file.h"

namespace __tsan {

static const u32 kRsanMostJobs = 64;

// A run that is under way.
struct RsanRun {
  RsanExploration *shared; // its own memory, for one run after another
  rsan_dpor_node *node;    // what it was asked for
  u32 names;               // threads that were known when it began
  int child;
};

// What is counted over all that was explored, also by processes that this one goes on for.
struct RsanExplored {
  u32 bound;             // preemptions; RSAN_DPOR_UNBOUNDED
  u64 executions, steps; // of all bounds
  u64 of_bound;          // executions of the newest bound that came to their end
  u64 departed;          // of the newest bound: with departures
  u64 given_up[RSAN_GIVEN_UP_COUNT], gap[kRsanGapCount];
  u64 longest;
  u64 findings, violations; // the latter where they are no findings
  u64 suspects;             // executions that are recorded for their suspects
  u64 time;                 // ns
};

struct RsanExplorer {
  rsan_dpor dpor;
  RsanExplored count;
  rsan_explored_names names; // of threads, in all runs
  // Runs that are under way, the oldest first: they come back in this order, however long each
  // takes, so the same runs are made in the same order whenever the program is explored.
  RsanRun run[kRsanMostJobs];
  u32 jobs, under_way;
  RsanExploration *shared[kRsanMostJobs + 1]; // not in use; the last one is for reports
  rsan_dpor_step pending[RSAN_DPOR_THREADS];
  fd_t file, null;       // null: /dev/null
  u64 executions_before; // by other processes
  u64 time_before;
  u64 begun, told, saved;
  bool stopped;      // by a limit
  bool takes_always; // a run in which a thread lost the token did so when it was made again
};

extern RsanExplorer *rsan_explorer;

// -- rsan_execution.cpp: one run --

// Forks a child that makes the run. With `record` it reports what it finds, and its schedule is
// recorded there. In the child it returns true.
bool RsanBeginRun(RsanRun *run, const char *record);
// Waits for its end. The status that wait says.
int RsanAwaitRun(const RsanRun *run);
void RsanKillRun(const RsanRun *run);
// There were none in the run that was recorded there: removes their log.
void RsanForgetDeparturesOf(const char *record);

// -- rsan_findings.cpp: what comes of it --

// Reports what is new of the run. In a child it returns true.
bool RsanLookAtFindings(RsanExplorer *e, const RsanExploration *shared, int status,
                        const rsan_dpor_trace &trace);

// -- rsan_explorer_file.cpp: what is told about it; tools/rsan/check/progress.h says how --

void RsanOpenExplorerFile(RsanExplorer *e);
void RsanTellProgress(RsanExplorer *e);
void RsanTellFinding(const RsanExplorer *e, const char *what, u64 number, u32 steps, u32 departures,
                     const char *path);
void RsanTellResult(RsanExplorer *e);
void RsanTellFailure(const RsanExplorer *e, const char *what);

// -- rsan_explorer_state.cpp: saved for another process --

// To be called first, by the program's first thread.
void RsanBeginState(ThreadState *thr);
void RsanSaveExplorer(RsanExplorer *e);
// With explore_resume=1: goes on with what was saved. Ends the process if that cannot be.
void RsanRestoreExplorer(RsanExplorer *e);

} // namespace __tsan

#endif
