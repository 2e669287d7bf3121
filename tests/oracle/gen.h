// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random traces: well-formed SC runs of no program in particular. The same
// parameters and seed give the same trace everywhere. O(1) an event.
#ifndef RSAN_TESTS_ORACLE_GEN_H
#define RSAN_TESTS_ORACLE_GEN_H

#include "trace.h"

// Numbers with a min and a max are drawn anew for each trace.
struct gen_params {
  uint32_t threads_min, threads_max;
  uint32_t atomics_min, atomics_max; // at least 1
  uint32_t mutexes, plains;          // 0: no such events
  uint32_t events_min, events_max;
  uint32_t values_min, values_max; // values are 0 .. n-1; at least 1
  uint32_t weight[TRACE_OP_COUNT]; // of each operation; LOAD's is not 0
  uint32_t roots_percent;          // of the threads but the first: not created
  uint32_t stay_percent_max;       // chance to keep to the same thread, 0..max
  uint32_t ordered_percent;        // of accesses that are not relaxed
  uint32_t sc_percent;             // of accesses that are seq_cst; default 0
  uint32_t sc_fence_percent;
  uint32_t hot_percent; // of accesses that go to location 0 whatever is drawn; default 0
};

// Up to 5 threads, 4 atomics, 2 mutexes, 2 non-atomics, 4 values, 5 to 60
// events of all kinds.
void gen_params_default(struct gen_params *params);
void gen_trace(const struct gen_params *params, uint64_t seed, struct trace *out);

#endif
