// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weak and strong compare-exchange of _Atomic types and of std::atomic, whose members nothing
// inlines at -O0. A program of weak ones calls no strong one, and the other way round. The types
// differ in their sizes.
//
// DEFINE: %{c} = %rsan_clang -std=c2x -fsanitize=robustness -mcx16 -I %source_dir/include -I %S/../runtime/Inputs
// DEFINE: %{cxx} = %rsan_clangxx -x c++ -fsanitize=robustness -mcx16 -I %source_dir/include -I %S/../runtime/Inputs
// DEFINE: %{weak} = -DKIND=weak -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WEAK --implicit-check-not=_compare_exchange_val
// DEFINE: %{strong} = -DKIND=strong -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STRONG --implicit-check-not=_weak_val
//
// RUN: %{c} -O0 %{weak}
// RUN: %{c} -O0 %{strong}
// RUN: %{c} -O1 %{weak}
// RUN: %{c} -O1 %{strong}
// RUN: %{c} -O2 %{weak}
// RUN: %{c} -O2 %{strong}
// RUN: %{c} -O3 %{weak}
// RUN: %{c} -O3 %{strong}
// RUN: %{c} -Os %{weak}
// RUN: %{c} -Os %{strong}
// RUN: %{c} -O2 -flto %{weak}
// RUN: %{c} -O2 -flto %{strong}
// RUN: %{c} -O2 -flto=thin %{weak}
// RUN: %{c} -O2 -flto=thin %{strong}
//
// RUN: %{cxx} -O0 %{weak}
// RUN: %{cxx} -O0 %{strong}
// RUN: %{cxx} -O1 %{weak}
// RUN: %{cxx} -O1 %{strong}
// RUN: %{cxx} -O2 %{weak}
// RUN: %{cxx} -O2 %{strong}
// RUN: %{cxx} -O3 %{weak}
// RUN: %{cxx} -O3 %{strong}
// RUN: %{cxx} -Os %{weak}
// RUN: %{cxx} -Os %{strong}
// RUN: %{cxx} -O2 -flto %{weak}
// RUN: %{cxx} -O2 -flto %{strong}
// RUN: %{cxx} -O2 -flto=thin %{weak}
// RUN: %{cxx} -O2 -flto=thin %{strong}
//
// bool, enum, float, pointer and struct
// WEAK-DAG: call {{.*}}@__rsan_atomic8_compare_exchange_weak_val(
// WEAK-DAG: call {{.*}}@__rsan_atomic16_compare_exchange_weak_val(
// WEAK-DAG: call {{.*}}@__rsan_atomic32_compare_exchange_weak_val(
// WEAK-DAG: call {{.*}}@__rsan_atomic64_compare_exchange_weak_val(
// WEAK-DAG: call {{.*}}@__rsan_atomic128_compare_exchange_weak_val(
//
// STRONG-DAG: call {{.*}}@__tsan_atomic8_compare_exchange_val(
// STRONG-DAG: call {{.*}}@__tsan_atomic16_compare_exchange_val(
// STRONG-DAG: call {{.*}}@__tsan_atomic32_compare_exchange_val(
// STRONG-DAG: call {{.*}}@__tsan_atomic64_compare_exchange_val(
// STRONG-DAG: call {{.*}}@__tsan_atomic128_compare_exchange_val(
//
// And they are judged apart: a version that has the value expected, and was overwritten by a
// read-modify-write, is one that a weak compare-exchange may find and fail. A strong one does not.
// RUN: %{c} -O0 -DKIND=weak %s -o %t && env RSAN_OPTIONS=symbolize=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=REPORTED
// RUN: %{c} -O0 -DKIND=strong %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: %{c} -O2 -flto -DKIND=weak %s -o %t && env RSAN_OPTIONS=symbolize=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=REPORTED
// RUN: %{c} -O2 -flto -DKIND=strong %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: %{c} -O2 -flto=thin -DKIND=weak %s -o %t && env RSAN_OPTIONS=symbolize=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=REPORTED
// RUN: %{c} -O2 -flto=thin -DKIND=strong %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: %{cxx} -O0 -DKIND=weak %s -o %t && env RSAN_OPTIONS=symbolize=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=REPORTED
// RUN: %{cxx} -O0 -DKIND=strong %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: %{cxx} -O2 -flto -DKIND=weak %s -o %t && env RSAN_OPTIONS=symbolize=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=REPORTED
// RUN: %{cxx} -O2 -flto -DKIND=strong %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: %{cxx} -O2 -flto=thin -DKIND=weak %s -o %t && env RSAN_OPTIONS=symbolize=0 %exits 66 %t 2>&1 | FileCheck %s --check-prefix=REPORTED
// RUN: %{cxx} -O2 -flto=thin -DKIND=strong %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=SILENT
// REPORTED: truth: 1, number: 1, real: 1, pointer: 1, couple: 1
// SILENT: truth: 0, number: 0, real: 0, pointer: 0, couple: 0

#ifdef __cplusplus
#include <atomic>
using namespace std;
#define _Atomic(type) std::atomic<type>
#else
#include <stdatomic.h>
#endif
#include <stdio.h>

#include "access.h"
#include "rsan.h"
#include "turns.h"

enum colour : short { red, green };
struct couple {
  long a, b;
} __attribute__((aligned(16)));

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TRY_weak    atomic_compare_exchange_weak_explicit
#define TRY_strong  atomic_compare_exchange_strong_explicit

static int noticed;

#define TYPE(name, type, zero, one)                                                                \
  static _Atomic(type) name;                                                                       \
  static void name##_first(void) {                                                                 \
    atomic_exchange_explicit(&name, (type)one, memory_order_relaxed);                              \
    LOAD(noticed);                                                                                 \
  }                                                                                                \
  static void name##_second(void) {                                                                \
    type expected = zero;                                                                          \
    STORE(noticed, 1);                                                                             \
    JOIN(TRY_, KIND)                                                                               \
    (&name, &expected, (type)one, memory_order_acquire, memory_order_relaxed);                     \
  }                                                                                                \
  static unsigned long name##_reports(void) {                                                      \
    unsigned long before = rsan_violation_count();                                                 \
    atomic_load_explicit(&name, memory_order_relaxed);                                             \
    one_then_other(name##_first, name##_second);                                                   \
    return rsan_violation_count() - before;                                                        \
  }

static const struct couple zeros = {0, 0}, ones = {1, 1};
TYPE(truth, bool, false, true)
TYPE(number, enum colour, red, green)
TYPE(real, float, 0.0f, 1.0f)
TYPE(pointer, char *, NULL, &noticed)
TYPE(couple, struct couple, zeros, ones)

int main(void) {
  fprintf(stderr, "truth: %lu, number: %lu, real: %lu, pointer: %lu, couple: %lu\n",
          truth_reports(), number_reports(), real_reports(), pointer_reports(), couple_reports());
}
