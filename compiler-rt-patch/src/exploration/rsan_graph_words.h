// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An execution graph as a table for its reader.

#ifndef RSAN_GRAPH_WORDS_H
#define RSAN_GRAPH_WORDS_H

#include "base/rsan_state.h"

extern "C" {
#include "rsan/graph/graph.h"
}

namespace __tsan {

// What the graph does not have of an event: its thread, program point and address (0: none), and,
// if the run reports, its stack.
void RsanNoteGraphEvent(ThreadState *thr, uptr pc, uptr addr, u32 event);

// A line for each event, in the order in which they were made.
void RsanPrintGraphOf(const rsan_graph &graph);

} // namespace __tsan

#endif
