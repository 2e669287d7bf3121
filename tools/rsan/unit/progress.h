// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the explorer in the program's process (compiler-rt-patch/src/exploration) writes into the
// file of explore=. A line is a word and what belongs to it, NAME=VALUE:
//
//   run number=     by `rsan check', before each process that explores
//   progress bound= executions= asleep= left= left-share= longest= findings= cpu=   from time to
//                   time; cpu: processor time of the process and its executions, in ns
//   finding what= number= execution= steps= departures= preemptions= token=
//           schedule=
//                   (token: of the runtime's report of a failure; 0: it has made none)
//                   (departures: accesses that had departed; their log is SCHEDULE.departures)
//                   (what=suspect: none so far; its replay says whether it is)
//                   (what=way: the finding of that number or token is known, and an access has
//                   departed before it at a place at which none had)
//   replayed number=   by `rsan check', before what came of a suspect's replay, or once graphs were
//                   explored: the newest run's number
//   parts round= count=   at the end: what is left was cut into parts (machines.h)
//   failed WHAT     it ends: `fork', `resume'
//   given-up why= executions=   at the end, of the last level of bounds: why runs were not made to
//                   their end
//   gap why= executions=        the same: what else makes it less than a proof
//   graphs turns=T runs=R graphs=G weak=W turned=L endless=E failed=F cut=C diverged=D unmade=TEXT
//                   with explore_by_graphs=. The explorer has made R runs with at most T turns of a
//                   loop. There are G graphs of complete executions; W are no interleavings, F
//                   fail. L runs stopped a thread in a loop, and E of them in one that no thread
//                   ends. C runs had too many operations, and D did not follow their graph. TEXT is
//                   an operation that graphs do not have, or empty.
//   result bound= loop= unroll= exhausted= cut= whole= departed= executions= steps= ns=
//                   the last line of a process; whole, departed: executions of the last level that
//                   came to their end, and those with departures
//   level ...       the same of a level, all of which was explored, before one with larger bounds
//                   of loops begins; what is said of it is behind the lines of its reasons
//
// Bounds are of preemptions; -1: none. left: prefixes that are known and have not been run along;
// left-share: what is behind them, in millionths of all, as far as that can be told.

#ifndef CHECK_PROGRESS_H
#define CHECK_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct finding {
  char *what, *schedule; // owned
  unsigned long long number, execution, steps, departures;
  char *token; // of the failure's report, "" if there is none; owned
  long long preemptions;
  unsigned run;  // of the process that found it
  bool of_graph; // found in an execution graph, whose number `execution' is
};

// Something that is counted by name.
struct counted {
  char *why; // owned
  unsigned long long executions;
};

struct counted_list {
  struct counted *at;
  size_t count;
};

// What was explored within bounds of loops; unroll: 0: none.
struct progress_level {
  unsigned loop, unroll;
  unsigned long long whole, departed, cut;
  struct counted_list given_up, gaps;
};

// The results of exploring execution graphs: the line `graphs' above.
struct progress_graphs {
  bool any; // there is such a line
  unsigned turns;
  unsigned long long runs, graphs, weak, turned, endless, failed, cut, diverged;
  unsigned long long spared; // runs in which a weak compare-exchange might have failed once more
  char *unmade;              // owned; "": nothing
};

struct progress {
  FILE *file;
  long long bound;
  unsigned loop, unroll; // as in struct progress_level
  unsigned long long executions, whole, departed, asleep, longest, steps, cut, left;
  unsigned left_share;                  // millionths
  unsigned run;                         // number of the newest process
  unsigned long long executions_before; // of earlier processes
  double seconds, cpu;                  // of the newest process
  struct finding *finding;
  size_t findings;
  struct finding *suspect; // none so far: a replay says whether it is (suspects.h)
  size_t suspects;
  struct finding *way; // more executions that fail as a finding does, having departed elsewhere
  size_t ways;
  size_t violations; // lines about those that are no findings, as with --weak
  size_t failing;    // violations that the program fails for (check/consequence.h)
  struct counted_list given_up, gaps;
  struct progress_level done; // the last level of which all was explored, before the newest one
  bool has_done;
  bool stopped_beyond; // the newest one was stopped: all but `executions' is of the one before it
  bool began, ended;   // there is a line of it; there is a result
  bool exhausted;
  // An exploration with one more departure has begun, and has not come to its end; its executions,
  // none of which failed.
  bool has_beyond;
  unsigned long long beyond;
  struct progress_graphs graphs;
  struct counted_list graph_gaps; // what makes them less than all
  bool graphs_stopped;            // the same: a limit
  bool refused;                   // the state file cannot be resumed
  unsigned long long round;
  unsigned parts; // 0: nothing was cut
};

// Reads the lines that have been added since.
void progress_read(struct progress *progress);

// Returns the number that the list has for the name, or 0.
unsigned long long progress_counted(const struct counted_list *list, const char *why);

// At the end: if the newest level was not explored to its end, but one before it was, what is said
// is of that one.
void progress_settle(struct progress *progress);

void progress_free(struct progress *progress);

#endif
