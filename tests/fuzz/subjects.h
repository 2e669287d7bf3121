// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core's engines side by side, and what is asked of each. None flags more than the reference.
// Where nothing was given up, none flags less: but waits and BCASes with history=bounded, which
// drops versions that only a value could be about that nobody has waited for yet.

#ifndef RSAN_TESTS_FUZZ_SUBJECTS_H
#define RSAN_TESTS_FUZZ_SUBJECTS_H

#include "options.h"
#include "trace.h"

struct subject {
  const char *name;
  struct rsan_options options;
  bool bounded;
};

extern struct subject subjects[];
extern const size_t subject_count;

// What seq_cst accesses are, from now on and to all of them. At first: preceded by an SC fence.
void subjects_use(enum rsan_seq_cst_mode mode);

// The history of the bounded subject has a budget of `bytes` for each location, from now on.
void subjects_give_budget(uint32_t bytes);

enum { SUBJECT_EXPLICIT }; // the reference where there is no oracle

struct verdict {
  struct trace_indices flags, races;
  bool
      gave_up; // what a violation may rest on: by history=bounded, or by a forced reuse of an index
};

void verdict_free(struct verdict *verdict);
// The verdict of one engine, in place of what was in there.
void subject_run(const struct subject *subject, const struct trace *trace, struct verdict *out);
// Is that verdict allowed, given the reference's?
bool subject_agrees(const struct subject *subject, const struct trace *trace,
                    const struct verdict *verdict, const struct verdict *reference);
// May the engine be silent where the reference flags an operation?
bool subject_may_miss(const struct subject *subject, enum trace_op op, bool gave_up);
// Has an engine with these statistics given up what a violation may rest on?
bool subject_gave_up(const uint64_t *stats);

#endif
