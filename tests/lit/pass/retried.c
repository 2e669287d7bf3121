// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a retry loop the load and the compare-exchange are told as retried. The compare-exchange is
// not where the loop may begin with anything else than a load of the object, and then nor is the
// load if there is another way out. What is not retried is told as well if it stands in a header,
// for another module may have another form of the same lines.
//
// RUN: %rsan_clang -fsanitize=robustness -O1 -g -S -emit-llvm -DFORM=1 %s -o - | FileCheck %s --check-prefix=BOTH
// RUN: %rsan_clang -fsanitize=robustness -O1 -g -S -emit-llvm -DFORM=2 %s -o - | FileCheck %s --check-prefix=NONE
// RUN: %rsan_clang -fsanitize=robustness -O1 -g -S -emit-llvm -DFORM=3 %s -o - | FileCheck %s --check-prefix=LOAD
// RUN: %rsan_clang -fsanitize=robustness -O1 -g -S -emit-llvm -DFORM=4 %s -o - | FileCheck %s --check-prefix=NONE
// RUN: cat %s > %t.h
// RUN: echo '#include "%t.h"' > %t.c
// RUN: %rsan_clang -fsanitize=robustness -O1 -g -S -emit-llvm -DFORM=1 %t.c -o - | FileCheck %s --check-prefix=BOTH
// RUN: %rsan_clang -fsanitize=robustness -O1 -g -S -emit-llvm -DFORM=4 %t.c -o - | FileCheck %s --check-prefix=TOLD
//
// Rows: the place, line and column of a compare-exchange that checks the value, whether it is
// retried, guards.
// BOTH: @rsan.rechecks = private constant [2 x {{.*}}i32 1, i32 0, ptr null }, {{.*}}i32 1, i32 0, ptr null }]
// LOAD: @rsan.rechecks = private constant [1 x {{.*}}i32 1, i32 0, ptr null }]
// NONE-NOT: i32 1, i32 {{[0-9]+}}, ptr {{[^ ]+}} }
// TOLD: @rsan.rechecks = private constant [2 x {{.*}}i32 0, i32 {{[0-9]+}}, ptr {{[^ ]+}} }, {{.*}}i32 0, i32 0, ptr null }]
#include <stdatomic.h>

#define NEXT atomic_compare_exchange_strong(x, &value, value + 1)

int retry(atomic_int *x, int known) {
  int value;
#if FORM == 1 // begins with a load
  value = atomic_load(x);
  while (!NEXT)
    ;
#elif FORM == 2 // begins with a guess
  (void)atomic_load(x);
  value = known;
  while (!NEXT)
    ;
#elif FORM == 3 // begins with either
  value = known;
  if (value == 5)
    goto attempt;
  value = atomic_load(x);
attempt:
  if (!NEXT)
    goto attempt;
#else           // a way out
  value = atomic_load(x);
  while (!NEXT)
    if (value == known)
      break;
#endif
  return known;
}
