// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One trace through the runtime: its events as real operations, in the trace's order, and which of
// them the runtime reported. Global state; one trace at a time, by the main thread.

#ifndef RSAN_TESTS_RUNTIME_REPLAY_DRIVE_H
#define RSAN_TESTS_RUNTIME_REPLAY_DRIVE_H

#include "carrier.h"
#include "trace.h"

// Where the non-atomic accesses of a location go.
enum drive_plain {
  // Every two of them to a word of their own, so that the runtime judges each two. It remembers no
  // more than four accesses of a word, and none once it has reported one of them.
  DRIVE_PAIRS,
  // All to one word, as a program has it: the races found are some of those above.
  DRIVE_ONE_WORD,
};

// Appends to the lists as rsan-replay does. What no correct runtime does (another value read, a
// report at an event that cannot have one, a violation without a report) ends the process.
void drive_trace(const struct carrier *carrier, enum drive_plain plain, const struct trace *trace,
                 struct trace_indices *flags, struct trace_indices *races);

// Why a trace cannot be driven; null: it can.
const char *drive_refuses(const struct trace *trace);

#endif
