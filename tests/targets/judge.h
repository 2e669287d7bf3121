// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's verdicts by target beside those of the definitions.
#ifndef RSAN_TESTS_TARGETS_JUDGE_H
#define RSAN_TESTS_TARGETS_JUDGE_H

#include "options.h"
#include "stats.h"
#include "target.h"
#include "trace.h"

// What the engine flags of a run on that target, and on no other one.
void judge_engine(enum target_model model, enum rsan_history_mode history, bool remembers,
                  const struct trace *trace, struct trace_indices *flags, uint64_t *stats);

// The definitions, for any number of runs. A zeroed struct is ready for use.
struct judge {
  struct oracle oracle;
  struct target target;
  struct trace_indices expected, flags;
};
void judge_free(struct judge *judge);
// Fills `expected`. False: the run is too long.
bool judge_define(struct judge *judge, enum target_model model, const struct trace *trace);

// programs.c: small programs, all executions and all interleavings. Each returns whether all is as
// it should be, and prints what is not.
bool programs_random(enum target_model model, uint64_t first, uint64_t count, uint64_t seed);
bool programs_machine(uint64_t count, uint64_t seed); // the axioms of TSO and its store buffers
bool programs_litmus(void);
bool programs_one(const char *text);

// runs.c: long runs, in which chains of forwarded stores are planted; or with `reuse` such in which
// so many threads come and go that indices are taken again by force.
bool runs_random(enum target_model model, bool reuse, uint64_t first, uint64_t count,
                 uint64_t seed);

#endif
