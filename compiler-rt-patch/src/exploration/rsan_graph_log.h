// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run that follows an execution graph tells the explorer, in memory that both processes
// have. The run has a copy of the explorer of graphs; its parent makes the same operations again
// with its own, which then has the same graph, and keeps the branches.

#ifndef RSAN_GRAPH_LOG_H
#define RSAN_GRAPH_LOG_H

#include "exploration/rsan_graphs.h"

extern "C" {
#include "rsan/limits.h"
}

namespace __tsan {

static const u32 kRsanMostGraphObjects = 1 << 12;

struct RsanGraphLog {
  RsanGraphMade made;
  bool over; // `made` is set
  u32 objects, steps;
  struct {
    uptr addr;
    u32 size;
  } object[kRsanMostGraphObjects]; // those that no run before has met, in the order of their
                                   // numbers
  struct {
    rsan_graph_op op;
    u32 thread;
  } step[RSAN_GRAPH_MOST_EVENTS + 1];
};

// The next run's log, empty; of all runs it is the same memory.
void RsanBeginGraphLog();
const RsanGraphLog *RsanGraphLogOf(); // the last run's

// The calling process makes the run from here on. Its only scheduled thread is the calling one.
void RsanFollowFromHere();

} // namespace __tsan

#endif
