// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef RSAN_TESTS_GRAPH_DRAW_H
#define RSAN_TESTS_GRAPH_DRAW_H

#include "programs.h"

// Program `i` of the seed: 3 to `operations` operations of all kinds. In one program of two, some
// accesses are not atomic.
void draw_program(uint64_t seed, uint64_t i, uint32_t operations, struct program *program);

#endif
