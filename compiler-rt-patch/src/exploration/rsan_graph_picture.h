// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An execution graph as a picture (SVG): threads are columns, program order goes down, and arrows
// between threads are rf (green; thick where the write happens before the read), mo (blue) and fr
// (red, dashed). mo and fr lead to the next write only. The shortest circle is marked by thick
// arrows: no interleaving has one.

#ifndef RSAN_GRAPH_PICTURE_H
#define RSAN_GRAPH_PICTURE_H

#include "base/rsan_state.h"

extern "C" {
#include "rsan/graph/graph.h"
}

namespace __tsan {

// Writes the first `count` events of the graph to the file.
void RsanDrawGraph(const rsan_graph &graph, u32 count, const char *path);

} // namespace __tsan

#endif
