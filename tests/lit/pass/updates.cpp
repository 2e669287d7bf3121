// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floating-point operations of std::atomic and std::atomic_ref are one read-modify-write by the
// standard, and a loop with a relaxed load in libstdc++. The loop becomes one read-modify-write, at
// each level of optimisation and for each order; the user's own loop of that shape does not.
//
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++20 -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++20 -O0 -D_GLIBCXX_ASSERTIONS -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++20 -O1 -fno-inline -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -std=c++20 -O2 -fno-inline -S -emit-llvm %s -o - | FileCheck %s
// RUN: %if libcxx %{ %rsan_clangxx -fsanitize=robustness -std=c++20 %libcxx -O2 -S -emit-llvm %s -o - \
// RUN:   | FileCheck %s --check-prefix=LIBCXX %}
//
// libc++'s atomic_ref has such a loop as well.
// LIBCXX-LABEL: define {{.*}}use_all
// LIBCXX-NOT: call i32 @__rsan_atomic32_compare_exchange_weak_val
// LIBCXX: call i32 @__rsan_atomic32_fetch_op_val

#include <atomic>

std::atomic<double> d;
std::atomic<float> f;
float plain;

// The user's loop, written as the library's, in a class of the user's.
// CHECK-LABEL: define {{.*}}own_fetch_add
// CHECK: call {{.*}}compare_exchange_weak
// CHECK-NOT: _peek(
// CHECK-LABEL: define {{.*}}use_all
__attribute__((noinline)) double own_fetch_add(std::atomic<double> &x, double operand,
                                               std::memory_order order) {
  double old = x.load(std::memory_order_relaxed);
  while (!x.compare_exchange_weak(old, old + operand, order, std::memory_order_relaxed)) {
  }
  return old;
}

double use_all(std::memory_order order) {
  std::atomic_ref<float> r(plain);
  volatile std::atomic<double> *v = &d;
  double sum = own_fetch_add(d, 1, order) + d.fetch_add(1, order) + d.fetch_sub(1, order);
  sum += (f += 1) + (f -= 1) + r.fetch_sub(1) + (*v += 1);
  return sum;
}

// CHECK-LABEL: define {{.*}}__fetch_add_fltId
// CHECK: call i64 @__rsan_atomic64_peek(
// CHECK-DAG: call i64 @__rsan_atomic64_fetch_op_val({{.*}}, i32 0)
// CHECK-DAG: call i64 @__rsan_atomic64_fetch_op_val({{.*}}, i32 2)
// CHECK-DAG: call i64 @__rsan_atomic64_fetch_op_val({{.*}}, i32 3)
// CHECK-DAG: call i64 @__rsan_atomic64_fetch_op_val({{.*}}, i32 4)
// CHECK-DAG: call i64 @__rsan_atomic64_fetch_op_val({{.*}}, i32 5)
// CHECK-LABEL: define {{.*}}__fetch_sub_fltId
// CHECK: call i64 @__rsan_atomic64_peek(
// CHECK: call i64 @__rsan_atomic64_fetch_op_val({{.*}}, i32 {{[0-5]}})
// CHECK-LABEL: define {{.*}}__add_fetch_fltIf
// CHECK: call i32 @__rsan_atomic32_peek(
// CHECK: call i32 @__rsan_atomic32_fetch_op_val({{.*}}, i32 5)
// CHECK-LABEL: define {{.*}}__sub_fetch_fltIf
// CHECK: call i32 @__rsan_atomic32_peek(
// CHECK: call i32 @__rsan_atomic32_fetch_op_val({{.*}}, i32 5)
// CHECK-LABEL: define {{.*}}__fetch_sub_fltIf
// CHECK: call i32 @__rsan_atomic32_peek(
// CHECK: call i32 @__rsan_atomic32_fetch_op_val({{.*}}, i32 {{[0-5]}})
// CHECK-LABEL: define {{.*}}__add_fetch_fltIVd
// CHECK: call i64 @__rsan_atomic64_peek(
// CHECK: call i64 @__rsan_atomic64_fetch_op_val({{.*}}, i32 5)
