// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Litmus shapes in all mixes of orders that have a seq_cst access.

#ifndef RSAN_TESTS_SEQCST_TABLE_H
#define RSAN_TESTS_SEQCST_TABLE_H

#include <stdint.h>

#include "programs.h"

struct shape {
  const char *name;
  // A program in which every order is written '?'. Where two have '<' and '>' instead,
  // the first has no stronger order than the second: the shape is symmetric.
  const char *program;
  // Mixes, those that are not robust by C++20 and by RC11.
  uint64_t mixes, cxx20, rc11;
};

extern const struct shape shapes[];
extern const uint32_t shape_count;

// Calls `visit` with each mix of the shape that has a seq_cst access.
typedef void shape_visitor(void *context, const struct program *program);
void shape_mixes(const struct shape *shape, shape_visitor *visit, void *context);

#endif
