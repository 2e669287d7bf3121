// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Delta debugging of traces: a difference is read in a handful of events, not in five hundred.

#ifndef RSAN_TESTS_FUZZ_REDUCE_H
#define RSAN_TESTS_FUZZ_REDUCE_H

#include "trace.h"

typedef bool reduce_test(void *context, const struct trace *trace);

// Removes events as long as `still` holds; it must hold of *trace. What remains is 1-minimal: no
// single event can go.
void reduce(struct trace *trace, reduce_test *still, void *context);

#endif
