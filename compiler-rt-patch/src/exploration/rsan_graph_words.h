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

// Notes thread, program point and address (0: none) of an event, which the graph does not keep. If
// the run reports, it also notes the stack.
void RsanNoteGraphEvent(ThreadState *thr, uptr pc, uptr addr, u32 event);

// A line for each event, in the order in which they were made.
void RsanPrintGraphOf(const rsan_graph &graph, u32 count);

} // namespace __tsan

#endif
