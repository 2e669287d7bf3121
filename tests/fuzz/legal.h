// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes any sequence of events a possible SC run: what an event reads becomes what is in memory,
// and an event that cannot happen is left out. So a byte string is a trace (stream.c), and a trace
// with events removed is one again (reduce.c).
//
// How to read the signatures: the state first. A zeroed state is the start of a run; legal_clear
// returns its memory and zeroes it.

#ifndef RSAN_TESTS_FUZZ_LEGAL_H
#define RSAN_TESTS_FUZZ_LEGAL_H

#include "trace.h"

struct legal_thread {
  bool started, joined;
};

struct legal_object {
  uint64_t value; // as an atomic location
  uint32_t owner; // as a mutex: holder + 1, 0 if free
};

struct legal {
  struct legal_thread *threads;
  struct legal_object *objects;
  size_t threads_capacity, objects_capacity;
};

// Adjusts the event and takes its effect. False: it cannot happen now, nothing was done.
bool legal_step(struct legal *state, struct trace_event *event);
// Has the thread started, or is it one of the first `roots`, which are there from the beginning?
bool legal_exists(const struct legal *state, uint32_t thread, uint32_t roots);
void legal_clear(struct legal *state);

#endif
