// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core's engines side by side, and what is asked of each: exact ones have the reference's
// verdict, bounded ones never flag more.

#ifndef RSAN_TESTS_FUZZ_SUBJECTS_H
#define RSAN_TESTS_FUZZ_SUBJECTS_H

#include "options.h"
#include "trace.h"

struct subject {
  const char *name;
  struct rsan_options options;
  bool subset; // bounded history: a flag may be missing
};

extern const struct subject subjects[];
extern const size_t subject_count;

enum { SUBJECT_EXPLICIT }; // the reference where there is no oracle

struct verdict {
  struct trace_indices flags, races;
};

void verdict_free(struct verdict *verdict);
// The verdict of one engine, in place of what was in there.
void subject_run(const struct subject *subject, const struct trace *trace, struct verdict *out);
// Is that verdict allowed, given the reference's?
bool subject_agrees(const struct subject *subject, const struct verdict *verdict,
                    const struct verdict *reference);

#endif
