// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What looks right and is not: programs that a wrong rule fails on, by the wrong rule's name.
#ifndef RSAN_TESTS_WEAK_EXAMPLES_H
#define RSAN_TESTS_WEAK_EXAMPLES_H

#include "model.h"

struct example {
  const char *name;
  enum model_wrong_rule wrong;
  const char *program;
  const char *why; // the run in which it fails
};

extern const struct example examples[];
extern const size_t example_count;

#endif
