// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process that explores: what its files share. In each run, which is a child of it, all of this
// is left alone.

#ifndef RSAN_EXPLORER_H
#define RSAN_EXPLORER_H

#include "base/rsan_own_file.h"
#include "exploration/rsan_exploration.h"
#include "port/rsan_tsan.h"

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
  rsan_level level;      // the newest bounds
  u64 executions, steps; // of all levels
  u64 of_level;          // executions of the newest level that came to their end
  u64 departed;          // of the newest level: with departures
  u64 fenced;            // of the newest level: RsanIsFenced
  u64 order_asked;       // the same: in which the order of fences matters
  u64 given_up[RSAN_GIVEN_UP_COUNT], gap[kRsanGapCount];
  u64 longest;
  u64 findings, violations; // the latter where they are no findings
  u64 suspects;             // executions that are recorded for their suspects
  u64 ways;                 // executions that are recorded for the places of their departures
  u64 time;                 // ns
};

// Executions in which a part has found something. The process that has cut the part makes each once
// more, by its steps, and reports.
struct RsanNote {
  u64 number; // of the finding
  u32 count;  // of the execution's steps; in RsanNotes they follow those of the note before it
};
struct RsanNotes {
  Vector<RsanNote> note;
  Vector<rsan_dpor_step> step;
};

// An exploration is cut into parts again and again (rsan_explorer_parts.cpp); each time is a round.
struct RsanRound {
  u64 number;
  u32 part;  // in a process that explores a part, its number, from 1 on; else 0
  u32 parts; // in the process that has cut them, how many there are
};

struct RsanExplorer {
  rsan_dpor dpor;
  RsanRound round;
  RsanNotes *notes;
  RsanExplored count;
  rsan_explored_names names; // of threads, in all runs
  // Runs that are under way, the oldest first: they come back in this order, however long each
  // takes, so the same runs are made in the same order whenever the program is explored.
  RsanRun run[kRsanMostJobs];
  u32 jobs, under_way;
  RsanExploration *shared[kRsanMostJobs + 1]; // not in use; the last one is for reports
  rsan_dpor_step pending[RSAN_DPOR_THREADS];
  mutable RsanOwnFile file; // of explore=
  fd_t null;                // /dev/null
  u64 executions_before;    // by other processes
  u64 time_before;
  u64 begun, told, saved;
  bool stopped;      // by a limit
  bool endless;      // an execution was given up for its steps: they are to have bounds
  bool takes_always; // a run in which a thread lost the token did so when it was made again
};

extern RsanExplorer *rsan_explorer;

// Returns whether a limit or a finding ends the exploration. Tells its progress, and saves it, from
// time to time.
bool RsanExplorationIsOver(RsanExplorer *e);

// -- rsan_graph_explorer.cpp: execution graphs in place of interleavings --

// Explores all graphs. Returns true in a child.
bool RsanExploreGraphs(RsanExplorer *e);
// Makes this process follow the graph of the file that explore_graph= names. Returns true.
bool RsanRepeatGraph();

// -- rsan_execution.cpp: one run --

// Forks a child that makes the run. With `record` it reports what it finds, and its schedule is
// recorded there. In the child it returns true.
bool RsanBeginRun(RsanRun *run, const char *record);
// Waits for its end. The status that wait says.
int RsanAwaitRun(const RsanRun *run);
void RsanKillRun(const RsanRun *run);
// There were none in the run that was recorded there: removes their log.
void RsanForgetDeparturesOf(const char *record);
// Renames a record and the log of its departures.
void RsanRenameRecord(const char *record, const char *name);

// -- rsan_findings.cpp: what comes of it --

bool RsanIsKnownFinding(u64 number);
// Reports what is new of the run; of a part it is noted. In a child it returns true.
bool RsanLookAtFindings(RsanExplorer *e, const RsanExploration *shared, int status,
                        const rsan_dpor_trace &trace);

// RsanNumberOfEnd returns the number of the failure that has ended the run, or 0. RsanNameEnd
// writes the failure's name, as the file of explore= has it.
u64 RsanNumberOfEnd(const RsanExploration &shared, int status);
void RsanNameEnd(const RsanExploration &shared, int status, char *text, uptr room);

// -- rsan_explorer_file.cpp: what is told about it; tools/rsan/unit/progress.h says how --

void RsanOpenExplorerFile(RsanExplorer *e);
void RsanTellProgress(RsanExplorer *e);
void RsanTellFinding(const RsanExplorer *e, const char *what, u64 number, u64 token, u32 steps,
                     u32 departures, const char *path);
void RsanTellLevel(RsanExplorer *e); // all of it was explored, and another one comes
void RsanTellResult(RsanExplorer *e);
void RsanTellFailure(const RsanExplorer *e, const char *what);
void RsanTellParts(const RsanExplorer *e);
struct RsanGraphCounts;
void RsanTellGraphs(const RsanExplorer *e, const RsanGraphCounts &counts, u32 turns);

// -- rsan_explorer_state.cpp: saved for another process --

// To be called first, by the program's first thread.
void RsanBeginState(ThreadState *thr);
void RsanSaveExplorer(RsanExplorer *e);
// Saves one of the parts into which the exploration was cut, to the file of explore= with the
// suffix.
void RsanSavePart(RsanExplorer *e, u32 part, const char *suffix);
// What a process has saved by one of these two.
struct RsanSaved {
  rsan_dpor dpor;
  RsanExplored count;
  rsan_explored_names names;
  RsanRound round;
  RsanNotes notes;
};
// False: there is no such file, it is damaged, or the process that wrote it had another build of
// the program or other addresses.
bool RsanReadSaved(const char *suffix, RsanSaved *saved);
// With explore_resume=1: goes on with what was saved. Ends the process if that cannot be.
void RsanRestoreExplorer(RsanExplorer *e);

// -- rsan_explorer_parts.cpp: parts that other processes explore --

// Notes the finding for the process that has cut the part.
void RsanNoteFinding(RsanExplorer *e, u64 number, const rsan_dpor_trace &trace);
// Cuts what is left into at most explore_parts parts and writes a file for each.
void RsanCutParts(RsanExplorer *e);
// Joins the parts whose files have come back.
void RsanJoinParts(RsanExplorer *e);
// Makes the noted executions once more, and reports what they show. In a child it returns true.
bool RsanLookAtNotes(RsanExplorer *e);

} // namespace __tsan

#endif
