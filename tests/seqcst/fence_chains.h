// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs and runs in which it matters who orders SC fences: RC20's location f, or psc alone. That
// is rare in uniform ones: what comes before one fence has to lead to what comes after another by
// accesses that do not synchronise, through two locations or more.

#ifndef RSAN_TESTS_SEQCST_FENCE_CHAINS_H
#define RSAN_TESTS_SEQCST_FENCE_CHAINS_H

#include "programs.h"

void fence_program(uint64_t seed, struct program *out);
// With accesses of plain memory.
void fence_trace(bool is_long, uint64_t seed, struct trace *out);

struct fence_litmus {
  const char *name, *text;
  bool rc20, cxx20; // it is not robust
};
extern const struct fence_litmus fence_litmus[];
extern const uint32_t fence_litmus_count;

#endif
