// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs in which accesses can depart, and depart with consequences. Uniform ones seldom
// are such: to miss a version a thread must have come after it without acquiring it, and what it
// reads must matter. So half of them are grown: shapes that have such a thread, with orders drawn,
// and a few operations put in, taken out or changed.
#ifndef RSAN_TESTS_WEAK_GENERATE_H
#define RSAN_TESTS_WEAK_GENERATE_H

#include "programs.h"

// At most `most` operations. Some have accesses of plain memory; seq_cst ones only with `seq_cst`.
void generate_program(uint64_t seed, uint32_t most, bool seq_cst, struct program *out);

#endif
