// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of a run that follows an execution graph. The run writes each of its operations to memory
// that it shares with its parent, and decides with its own copy of the explorer of graphs. The
// parent repeats the operations with its explorer, which then has the same graph and keeps the
// branches.

#ifndef RSAN_GRAPH_LOG_H
#define RSAN_GRAPH_LOG_H

#include "exploration/rsan_graphs.h"

extern "C" {
#include "rsan/limits.h"
}

namespace __tsan {

static const u32 kRsanMostGraphObjects = 1 << 12;

struct RsanGraphLog {
  RsanGraphOutcome made;
  bool over; // the run has set `made`
  u32 objects, steps;
  struct {
    uptr addr;
    u32 size;
    u64 part;
  } object[kRsanMostGraphObjects]; // that no earlier run has met, by their numbers
  struct {
    rsan_graph_op op;
    u32 thread;
  } step[RSAN_GRAPH_MOST_EVENTS + 1];
};

// Empties the log for the next run. All runs use the same memory.
void RsanBeginGraphLog();
const RsanGraphLog *RsanGraphLogOf(); // the last run's

// Makes the calling process follow the graph from here on. The calling thread has to be its only
// scheduled one.
void RsanFollowFromHere();

} // namespace __tsan

#endif
