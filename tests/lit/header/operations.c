// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation, on every kind of object, in C: no warning, the same results with and without the
// sanitizer. The status is 100 where it is there.
//
// RUN: %rsan_clang -fsanitize=robustness -std=c11 -O0 %strict -Wmissing-prototypes %s -o %t && %exits 100 %t
// RUN: %rsan_clang -fsanitize=robustness -std=c11 -O2 %strict -Wmissing-prototypes %s -o %t && %exits 100 %t
// RUN: %rsan_clang -fsanitize=robustness -std=c23 -O0 %strict -Wmissing-prototypes %s -o %t && %exits 100 %t
// RUN: %rsan_clang -fsanitize=robustness -std=c23 -O2 %strict -Wmissing-prototypes %s -o %t && %exits 100 %t
// RUN: %stock_clang -std=c11 -O0 %strict -Wmissing-prototypes %s -o %t && %exits 0 %t
// RUN: %stock_clang -std=c11 -O2 %strict -Wmissing-prototypes %s -o %t && %exits 0 %t
// RUN: %stock_clang -std=c23 -O0 %strict -Wmissing-prototypes %s -o %t && %exits 0 %t
// RUN: %stock_clang -std=c23 -O2 %strict -Wmissing-prototypes %s -o %t && %exits 0 %t
// RUN: %stock_clang -fsanitize=thread -std=c17 -O1 %strict %s -o %t && %exits 0 %t

#include <stdatomic.h>
#include <stddef.h>

#include "rsan.h"

enum colour { red, green };
static int object, plain;
static atomic_int x;
static atomic_uchar byte = 200;
static _Atomic(short) half = -1;
static atomic_llong word = -1;
static atomic_bool flag = 1;
static _Atomic(enum colour) colour = green;
static _Atomic(int *) pointer = &object;
static const atomic_int constant = 7;

RSAN_UNINSTRUMENTED static void on_violation(const struct rsan_violation_report *violation) {
  (void)violation;
}
RSAN_ON_VIOLATION(on_violation);

static void waits(void) {
  rsan_wait(&x, 0, memory_order_acquire);
  rsan_wait(&byte, 200, memory_order_relaxed);
  rsan_wait(&half, -1, memory_order_seq_cst);
  rsan_wait(&word, -1, memory_order_acquire);
  rsan_wait(&flag, 1, memory_order_acquire);
  rsan_wait(&colour, green, memory_order_acquire);
  rsan_wait(&pointer, &object, memory_order_acquire);
  rsan_wait(&plain, 0, __ATOMIC_ACQUIRE);
  rsan_wait(&constant, 7, memory_order_acquire);
  rsan_wait_until(&half, RSAN_LT_S, 0, 0, memory_order_acquire);
  rsan_wait_until(&half, RSAN_GT_U, 0, 0, memory_order_acquire);
  rsan_wait_until(&byte, RSAN_EQ, 0xF0, 192, memory_order_acquire);
}

static void tracks(void) {
  rsan_track(&x, 5);
  rsan_track(&byte, 200);
  rsan_track(&half, -1);
  rsan_track(&word, -1);
  rsan_track(&flag, 1);
  rsan_track(&colour, green);
  rsan_track(&pointer, NULL);
  rsan_track(&plain, 0);
  rsan_track(&constant, 7);
}

static int values(void) {
  static const int numbers[] = {3, 0};
  int *const pointers[] = {NULL, &object};
  if (rsan_wait_value(&pointer, RSAN_NE, 0, NULL, memory_order_acquire) != &object)
    return 1;
  if (rsan_wait_value(&half, RSAN_LT_S, 0, 5, memory_order_acquire) != -1)
    return 2;
  if (rsan_wait_any(&x, numbers, 2, memory_order_acquire) != 0)
    return 3;
  if (rsan_wait_any(&pointer, pointers, 2, memory_order_seq_cst) != &object)
    return 4;
  return 0;
}

static int exchanges(void) {
  int expected = 4;
  int *null = NULL;
  rsan_bcas(&x, 0, 5, memory_order_acq_rel);
  rsan_bcas(&half, -1, -2, memory_order_seq_cst);
  rsan_bcas(&pointer, &object, NULL, memory_order_relaxed);
  if (rsan_strong_cas(&x, &expected, 6, memory_order_acq_rel, memory_order_acquire) ||
      expected != 5)
    return 5;
  if (!rsan_strong_cas(&x, &expected, 6, memory_order_seq_cst, memory_order_relaxed) ||
      atomic_load(&x) != 6)
    return 6;
  if (!rsan_strong_cas(&pointer, &null, &plain, memory_order_seq_cst, memory_order_relaxed))
    return 7;
  return atomic_load(&half) != -2 || atomic_load(&pointer) != &plain;
}

RSAN_IGNORE static void ignored(void) {
  atomic_store(&x, 0);
}

int main(void) {
  tracks();
  waits();
  int failed = values();
  if (!failed)
    failed = exchanges();
  {
    RSAN_BENIGN_SCOPE();
    ignored();
  }
  RSAN_BENIGN_BEGIN();
  RSAN_BENIGN_END();
  rsan_happens_before(&x);
  rsan_happens_after(&x);
  return failed ? failed : (int)rsan_violation_count() + (rsan_check_instrumented() ? 100 : 0);
}
