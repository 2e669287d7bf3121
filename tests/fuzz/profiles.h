// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random traces look like. One mix of everything finds little: each trace draws its own mix,
// often without some operations and heavy in others.

#ifndef RSAN_TESTS_FUZZ_PROFILES_H
#define RSAN_TESTS_FUZZ_PROFILES_H

#include "gen.h"

enum profile {
  PROFILE_SHORT,   // up to 60 events, which the oracle takes
  PROFILE_LONG,    // hundreds of events: hot counters, blocked polling, threads that come and go
  PROFILE_REUSE,   // the same while so many threads sleep that indices are reused by force
  PROFILE_REPEATS, // long ones whose accesses are repeated again and again, with little in between
};

// A trace that may have seq_cst accesses.
void profile_trace(enum profile profile, uint64_t seed, struct trace *out);

#endif
