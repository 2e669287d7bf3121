// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events a second of both engines on made-up runs: 2, 8 and 32 threads, 10, 1,000 and 100,000
// locations, uniformly drawn. Each engine and size is measured in a process of its own.

#ifndef RSAN_TOOLS_BENCH_H
#define RSAN_TOOLS_BENCH_H

#include <stdint.h>

// Prints the table. `seconds` is how long each cell runs at most.
int bench_table(double seconds, uint64_t seed);

#endif
