// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All consistent execution graphs of a bounded program, each once: TruSt (Kokologiannakis,
// Marmanis, Gladstein, Vafeiadis, 'Truly stateless, optimal dynamic partial order reduction', POPL
// 2022, algorithm 1). docs/internals/GRAPHS.md has the algorithm and says why it is sound.
//
// It executes nothing. Its caller runs the program along a graph and beyond its end, and asks for
// the result of each operation:
//
//   while (rsan_explore_next(&x)) {
//     ... start the program
//     while ((thread = rsan_explore_thread(&x, can_go_on)) != RSAN_NO_GRAPH_THREAD) {
//       ... let the thread come to its next operation, or to its end
//       rsan_explore_step(&x, thread, &op);      the value it reads is in the event's `read`
//     }
//     end = rsan_explore_end(&x);                x.graph is the graph
//   }
//
// The explorer keeps the other choices as graphs, and later runs follow them. All these graphs are
// consistent, so no run ends before its program does.
//
// An exploration has one owner, who may use it from one thread at a time.

#ifndef RSAN_GRAPH_EXPLORE_H
#define RSAN_GRAPH_EXPLORE_H

#include "graph.h"

#define RSAN_NO_GRAPH_THREAD UINT32_MAX

enum rsan_graph_end {
  RSAN_EXPLORE_COMPLETE, // each thread has ended
  RSAN_EXPLORE_DEADLOCK, // some wait, and each of them reads the last write of its object
  RSAN_EXPLORE_WAITS,    // some wait and read an older write: no execution of its own
  RSAN_EXPLORE_CUT,      // it has more events than RSAN_GRAPH_MOST_EVENTS: the rest is unseen
  RSAN_EXPLORE_DIVERGED, // the program did not follow the graph: what depends on it is unseen
  RSAN_EXPLORE_ENDS
};

struct rsan_explore {
  struct rsan_graph graph; // of the run under way, or the last one
  struct rsan_graph *left; // to be followed; a stack
  uint32_t count, room;
  uint32_t cursor; // event of the graph that the run makes next
  bool cut, diverged;
  uint64_t runs[RSAN_EXPLORE_ENDS]; // by their end
  uint64_t revisits, dropped;       // graphs that a revisit made; that had no place for a write
  uint32_t most_left;               // graphs at a time
};

// An exploration that has not begun. Its owner ends it with rsan_explore_clear.
void rsan_explore_init(struct rsan_explore *x, enum rsan_graph_model model);
void rsan_explore_clear(struct rsan_explore *x);

// Takes the next graph: x->graph. False: all have been explored.
bool rsan_explore_next(struct rsan_explore *x);

// Begins another run along the graph of the run before. The caller does not count it: it does not
// call rsan_explore_end.
void rsan_explore_again(struct rsan_explore *x);

// Returns the thread that makes the next operation: the thread of the graph's next event or, behind
// its last event, the first thread in `can_go_on` (bit i is thread i) that does not wait. Returns
// RSAN_NO_GRAPH_THREAD at the end of the run.
uint32_t rsan_explore_thread(const struct rsan_explore *x, uint64_t can_go_on);

// Makes `op` the thread's next event, or compares it with the event that the graph has there.
// Returns the number of the event in x->graph. The event's `outcome` and `read` are the result of
// the operation. A thread whose event is blocked must make no further step. Returns RSAN_GRAPH_NONE
// if the graph has another operation there or too many events; the caller then ends the run.
// `thread` is less than RSAN_GRAPH_MOST_THREADS.
uint32_t rsan_explore_step(struct rsan_explore *x, uint32_t thread, const struct rsan_graph_op *op);

// Returns how the run ends if it makes no further event.
enum rsan_graph_end rsan_explore_end_of(const struct rsan_explore *x);
// The run is over. x->graph stays until rsan_explore_next.
enum rsan_graph_end rsan_explore_end(struct rsan_explore *x);

#endif
