// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every name of rsan_await.h asks for its own size, relation and order; a look at what it hands on.
// With -DREAL the waits themselves, on structures as libvsync has them.
//
// RUN: %stock_clang -std=c11 %strict %s -o %t && %t | FileCheck %s
// RUN: %stock_clangxx -x c++ -std=c++11 %strict %s -o %t && %t | FileCheck %s
// CHECK: 120 names, 0 wrong
// RUN: %rsan_clang -fsanitize=robustness -std=c11 %strict -DREAL %s -o %t && %t 2>&1 | count 0
// RUN: %rsan_clangxx -x c++ -fsanitize=robustness -std=c++20 -O2 %strict -DREAL %s -o %t && %t 2>&1 | count 0
// RUN: %stock_clang -std=c11 -O2 %strict -DREAL %s -o %t && %t
//
// Twin: names that are exchanged.
// RUN: %stock_clang -std=c11 %strict -DTWIN %s -o %t && not %t | FileCheck %s --check-prefix=TWIN
// TWIN: 120 names, 3 wrong

#include "rsan.h"

#ifndef REAL
static struct {
  unsigned size;
  int relation, order;
  uint64_t operand, desired;
} asked;

RSAN_INLINE_ uint64_t look_at_wait(const volatile void *p, unsigned size, int relation,
                                   uint64_t mask, uint64_t operand, int order) {
  (void)p;
  asked.size = size, asked.relation = relation, asked.order = order;
  asked.operand = operand, asked.desired = mask;
  return operand;
}

RSAN_INLINE_ void look_at_bcas(volatile void *p, unsigned size, uint64_t expected, uint64_t desired,
                               int order) {
  (void)p;
  asked.size = size, asked.relation = -1, asked.order = order;
  asked.operand = expected, asked.desired = desired;
}

#define rsan_wait_ look_at_wait
#define rsan_bcas_ look_at_bcas
#endif

#include <stdio.h>

#include "rsan_await.h"

#ifdef TWIN
#undef vatomic8_await_le
#define vatomic8_await_le vatomic8_await_lt
#undef vatomicptr_await_neq_rlx
#define vatomicptr_await_neq_rlx vatomicptr_await_neq_acq
#undef vatomicsz_await_eq_set
#define vatomicsz_await_eq_set(p, expected, v) vatomicsz_await_eq_set_rel(p, v, expected)
#endif

typedef struct {
  uint8_t v;
} o8;
typedef struct {
  uint16_t v;
} o16;
typedef struct {
  uint32_t v;
} o32;
typedef struct {
  uint64_t v;
} o64;
typedef struct {
  size_t v;
} osz;
typedef struct {
  void *v;
} optr;

#ifdef REAL
int main(void) {
  o32 word = {0};
  optr pointer = {NULL};
  vatomic32_await_eq(&word, 0);
  if (vatomic32_await_neq_acq(&word, 1) != 0 || vatomic32_await_le_rlx(&word, 1) != 0)
    return 1;
  if (vatomic32_await_eq_set_acq(&word, 0, 7) != 0 || word.v != 7)
    return 2;
  if (vatomicptr_await_eq_set(&pointer, NULL, &word) != NULL || pointer.v != &word)
    return 3;
  if (vatomicptr_await_neq_rlx(&pointer, NULL) != &word || vatomic32_await_ge(&word, 7) != 7)
    return 4;
}
#else
static unsigned names, wrong;

static void check(uint64_t found, unsigned size, int relation, int order, uint64_t desired) {
  names++;
  wrong += asked.size != size || asked.relation != relation || asked.order != order ||
           asked.operand != 5 || asked.desired != desired || found != 5;
}

#define V        ((uintptr_t)5)
#define FOUND(c) (uint64_t)(uintptr_t)(c)
#define ORDERS(name, relation)                                                                     \
  check(FOUND(name(&object, V)), sizeof object, relation, __ATOMIC_SEQ_CST, 0);                    \
  check(FOUND(name##_acq(&object, V)), sizeof object, relation, __ATOMIC_ACQUIRE, 0);              \
  check(FOUND(name##_rlx(&object, V)), sizeof object, relation, __ATOMIC_RELAXED, 0)
#define SETS(name)                                                                                 \
  check(FOUND(name(&object, V, V + 1)), sizeof object, -1, __ATOMIC_SEQ_CST, 6);                   \
  check(FOUND(name##_acq(&object, V, V + 1)), sizeof object, -1, __ATOMIC_ACQUIRE, 6);             \
  check(FOUND(name##_rel(&object, V, V + 1)), sizeof object, -1, __ATOMIC_RELEASE, 6);             \
  check(FOUND(name##_rlx(&object, V, V + 1)), sizeof object, -1, __ATOMIC_RELAXED, 6)
#define EQUALITIES(bits)                                                                           \
  ORDERS(vatomic##bits##_await_eq, RSAN_EQ | RSAN_ALONE_);                                         \
  ORDERS(vatomic##bits##_await_neq, RSAN_NE);                                                      \
  SETS(vatomic##bits##_await_eq_set)
#define ALL(bits)                                                                                  \
  static void check_##bits(void) {                                                                 \
    o##bits object = {0};                                                                          \
    EQUALITIES(bits);                                                                              \
    ORDERS(vatomic##bits##_await_lt, RSAN_LT_U);                                                   \
    ORDERS(vatomic##bits##_await_le, RSAN_LE_U);                                                   \
    ORDERS(vatomic##bits##_await_gt, RSAN_GT_U);                                                   \
    ORDERS(vatomic##bits##_await_ge, RSAN_GE_U);                                                   \
  }
ALL(8)
ALL(16)
ALL(32)
ALL(64)
ALL(sz)

int main(void) {
  optr object = {NULL};
  EQUALITIES(ptr);
  check_8();
  check_16();
  check_32();
  check_64();
  check_sz();
  printf("%u names, %u wrong\n", names, wrong);
  return wrong != 0;
}
#endif
