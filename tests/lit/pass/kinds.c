// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weak and strong compare-exchange and the other read-modify-writes arrive as what they are, at
// every level of optimisation and with both kinds of link-time optimisation.
//
// RUN: %rsan_clang -fsanitize=robustness -mcx16 -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -mcx16 -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -mcx16 -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -mcx16 -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -mcx16 -Os -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -mcx16 -O2 -flto -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -mcx16 -O2 -flto=thin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -x c++ -fsanitize=robustness -mcx16 -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -x c++ -fsanitize=robustness -mcx16 -O2 -S -emit-llvm %s -o - | FileCheck %s
//
// Without robustness nothing of it.
// RUN: %rsan_clang -fsanitize=thread -mcx16 -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STOCK
// STOCK-NOT: __rsan_

#ifdef __cplusplus
#define C extern "C"
#else
#define C
#include <stdbool.h>
#endif
enum colour { red, green };
struct pair {
  long a, b;
} __attribute__((aligned(16)));

#define BOTH(name, type)                                                                           \
  C bool weak_##name(type *p, type *e, type *d) {                                                  \
    return __atomic_compare_exchange(p, e, d, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);              \
  }                                                                                                \
  C bool strong_##name(type *p, type *e, type *d) {                                                \
    return __atomic_compare_exchange(p, e, d, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);              \
  }

// CHECK-LABEL: @weak_char(
// CHECK: @__rsan_atomic8_compare_exchange_weak_val({{.*}}, i32 4, i32 2)
// CHECK-LABEL: @strong_char(
// CHECK: @__tsan_atomic8_compare_exchange_val({{.*}}, i32 4, i32 2)
BOTH(char, char)
// CHECK-LABEL: @weak_bool(
// CHECK: @__rsan_atomic8_compare_exchange_weak_val(
// CHECK-LABEL: @strong_bool(
// CHECK: @__tsan_atomic8_compare_exchange_val(
BOTH(bool, bool)
// CHECK-LABEL: @weak_short(
// CHECK: @__rsan_atomic16_compare_exchange_weak_val(
// CHECK-LABEL: @strong_short(
// CHECK: @__tsan_atomic16_compare_exchange_val(
BOTH(short, short)
// CHECK-LABEL: @weak_enum(
// CHECK: @__rsan_atomic32_compare_exchange_weak_val(
// CHECK-LABEL: @strong_enum(
// CHECK: @__tsan_atomic32_compare_exchange_val(
BOTH(enum, enum colour)
// CHECK-LABEL: @weak_float(
// CHECK: @__rsan_atomic32_compare_exchange_weak_val(
// CHECK-LABEL: @strong_float(
// CHECK: @__tsan_atomic32_compare_exchange_val(
BOTH(float, float)
// CHECK-LABEL: @weak_pointer(
// CHECK: @__rsan_atomic64_compare_exchange_weak_val(
// CHECK-LABEL: @strong_pointer(
// CHECK: @__tsan_atomic64_compare_exchange_val(
BOTH(pointer, char *)
// CHECK-LABEL: @weak_pair(
// CHECK: @__rsan_atomic128_compare_exchange_weak_val(
// CHECK-LABEL: @strong_pair(
// CHECK: @__tsan_atomic128_compare_exchange_val(
BOTH(pair, struct pair)

// CHECK-LABEL: @minimum(
// CHECK: @__rsan_atomic32_peek(
// CHECK: @__rsan_atomic32_fetch_op_val(
C int minimum(int *p, int v) {
  return __atomic_fetch_min(p, v, __ATOMIC_RELAXED);
}

// CHECK-LABEL: @add(
// CHECK: fadd float
// CHECK: @__rsan_atomic32_fetch_op_val(
C float add(float *p, float v) {
  return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

// CHECK-LABEL: @known(
// CHECK: @__tsan_atomic32_fetch_add(
C int known(int *p) {
  return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}
