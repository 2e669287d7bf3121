// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random runs with chains of psc planted in them. What only the order of seq_cst events forbids is
// rare in uniform runs: a thread has to write, hand that on through seq_cst events and nothing
// stronger, and another one has to come to what was written first.

#ifndef RSAN_TESTS_SEQCST_PLANTED_H
#define RSAN_TESTS_SEQCST_PLANTED_H

#include "profiles.h"

// A run of that profile, which has a dozen events besides if it is PROFILE_SHORT.
void planted_trace(enum profile profile, uint64_t seed, struct trace *out);

#endif
