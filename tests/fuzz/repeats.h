// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that are repeated: what the engine's short ways (fast/again.h) are for.

#ifndef RSAN_TESTS_FUZZ_REPEATS_H
#define RSAN_TESTS_FUZZ_REPEATS_H

#include "rng.h"
#include "trace.h"

// Repeats some loads, stores and fetch-ops of a trace without TRACE_ALLOC, by the same thread, up
// to eight times: with other values, now and then with another order, and with other steps of the
// thread in between. What comes after them finds what it found before.
void add_repeats(struct trace *trace, struct rng *rng);

#endif
