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

// The facts about an event that only reports need. The graph does not store them.
struct RsanGraphNote {
  uptr pc, addr;    // 0: none
  const char *name; // null: that of its kind; empty: the event is not shown
};
// If the run reports, the stack is noted as well.
void RsanNoteGraphEvent(ThreadState *thr, const RsanGraphNote &note, u32 event);

// The event's thread; its kind, object and values; its order and place.
void RsanRenderGraphEvent(const rsan_graph &graph, u32 e, u32 count, InternalScopedString *thread,
                          InternalScopedString *what, InternalScopedString *place);

// Returns whether tables and pictures show the event. Some calls are several events, of which one
// is enough for the reader.
bool RsanShowsGraphEvent(u32 event);

// A line for each event, in the order in which they were made.
void RsanPrintGraphOf(const rsan_graph &graph, u32 count);

} // namespace __tsan

#endif
