// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outside of an exploration the first value is chosen, and what is assumed makes no difference:
// with the sanitizer, with chosen schedules, without either. (tests/check: in one.)
//
// RUN: %build %strict %s -o %t && %t | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=mix %t | FileCheck %s
// RUN: %buildxx %strict -x c++ %s -o %t.cxx && %t.cxx | FileCheck %s
// RUN: %stock_clang %strict %s -o %t.plain && %t.plain | FileCheck %s
// RUN: %exits 66 %t 0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t.plain 0 | FileCheck %s
// CHECK: 0, 0, goes on
// NONE: rsan_choose(0): there has to be one value at least
#include <stdio.h>

#include "rsan.h"

int main(int argc, char **argv) {
  (void)argv;
  const unsigned values = argc > 1 ? 0 : 7, first = rsan_choose(values), second = rsan_choose(1);
  rsan_assume(argc > 2);
  printf("%u, %u, goes on\n", first, second);
  return 0;
}
