// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A domain: all programs of so many threads, operations a thread and locations, in all of their
// interleavings. What is enumerated are the runs.
//
// A check depends on what came before and has no effect of its own. So a run is a sequence of
// effects (read, write, read-modify-write, fence), and after each of its prefixes every check is
// asked of every thread that has an operation left. Load, weak compare-exchange and failed strong
// one are one effect; fetch-op, exchange, BCAS and successful compare-exchange are another.
//
// Left out, for another run in the domain stands for it:
//   1. threads and locations are numbered in the order of their first appearance;
//   2. of two adjacent steps of different threads that have no common object (one location, or
//      the order of SC fences) the one of the thread with the smaller number comes first;
//   3. a fence never follows a fence, and none but an SC fence is the last step of its thread.

#ifndef RSAN_TESTS_EXHAUSTIVE_DOMAIN_H
#define RSAN_TESTS_EXHAUSTIVE_DOMAIN_H

#include "trace.h"

enum { DOMAIN_MAX_THREADS = 4, DOMAIN_MAX_STEPS = 12, DOMAIN_MAX_OPS = 128 };

struct domain {
  uint32_t threads, ops, locations;
  uint32_t values;        // written: 0 .. n-1. With 1 each write leaves the other one of 0 and 1.
  bool ends;              // only relaxed and the strongest order, only SC fences
  uint32_t shard, shards; // of the runs, by their first two steps; 0 of 1: all

  struct trace_event steps[DOMAIN_MAX_OPS]; // made by domain_init: thread and outcome are open
  uint32_t step_count;
};

// False: too large.
bool domain_init(struct domain *domain);

// Sees a run: what was done, and in left[] whether a thread has an operation left. False ends it.
typedef bool domain_visitor(void *context, const struct trace *run, const bool *left);

// False if the visitor ended it.
bool domain_enumerate(const struct domain *domain, domain_visitor *visit, void *context);

#endif
