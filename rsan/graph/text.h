// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as text, which can be read again, and as a drawing for Graphviz.
//
//   graph c20 stamp 7
//   event 0 thread 1 stamp 1 write object 0 order release operand 5 write-stamp 1 place 1
//   event 1 thread 0 stamp 2 read object 0 order acquire size 4 when eq 5 blocks reads 0
//   event 2 thread 0 stamp 3 update object 1 order acq_rel function add operand 1 reads initial ...
//   end
//
// A line is an event, in the order of their numbers. What is 0 or off is left out. `stamp` of the
// first line is the last one that was given out. Numbers are decimal; a value of more than 64 bits
// is HIGH:LOW. What follows from the rest is not in the text: values read and written.

#ifndef RSAN_GRAPH_TEXT_H
#define RSAN_GRAPH_TEXT_H

#include "graph.h"

// Gets `length` characters, which are no string.
typedef void (*rsan_graph_emit)(void *context, const char *text, uint32_t length);

void rsan_graph_write_text(const struct rsan_graph *graph, rsan_graph_emit emit, void *context);
// Threads are boxes; arrows are rf, and mo between neighbours.
void rsan_graph_write_dot(const struct rsan_graph *graph, rsan_graph_emit emit, void *context);

// Reads the text, which ends with a 0. NULL: `graph` is what it says, and its owner clears it; it
// need not be consistent (consistent.h). Else says what is wrong in line *line, from 1, and `graph`
// is empty. The message is constant.
const char *rsan_graph_read_text(struct rsan_graph *graph, const char *text, uint32_t *line);

#endif
