// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is taken out of the analysis: annotated functions with all that they call, and the atomic
// operations that are written in functions with no_sanitize or on an ignorelist.
//
// RUN: echo '[robustness]' >%t.list && echo 'fun:listed*' >>%t.list
// RUN: echo '[thread]' >>%t.list && echo 'fun:thread_listed*' >>%t.list
// RUN: %rsan_clang -fsanitize=robustness -fsanitize-ignorelist=%t.list -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -fsanitize-ignorelist=%t.list -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: echo 'src:*ignore.c' >%t.all
// RUN: %rsan_clang -fsanitize=robustness -fsanitize-ignorelist=%t.all -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ALL
//
// Stock ThreadSanitizer does not know the section.
// RUN: %stock_clang -fsanitize=thread -fsanitize-ignorelist=%t.list -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STOCK
// STOCK-NOT: __rsan_

#include <stdatomic.h>

atomic_int x;
int y;
int unknown(void);

// CHECK-LABEL: @annotated(
// CHECK: call void @__rsan_ignore_begin()
// CHECK: call i32 @__tsan_atomic32_load(
// CHECK: call i32 @unknown()
// CHECK: call void @__tsan_write4(
// CHECK: call void @__rsan_ignore_end()
// CHECK: ret void
__attribute__((annotate("rsan_ignore"))) void annotated(void) {
  if (atomic_load(&x))
    y = unknown();
}

// Inlined or not, its brackets go with it.
__attribute__((annotate("rsan_ignore"))) static inline int small(void) {
  return atomic_load(&x);
}
// CHECK-LABEL: @uses_small(
// CHECK: {{@__rsan_ignore_begin|@small}}
int uses_small(void) {
  return small();
}

// A loop that waits with it leaves them around it, too; nor does it make an unsanitized one judged.
// CHECK-LABEL: @waits_with_small(
// CHECK-NOT: _wait_load
// CHECK: {{@__rsan_ignore_begin|@small}}
// CHECK-NOT: _wait_load
// CHECK: ret void
void waits_with_small(void) {
  while (!small())
    ;
}
__attribute__((no_sanitize("robustness"))) static inline int small_unsanitized(void) {
  return atomic_load(&x);
}
// CHECK-LABEL: @waits_with_unsanitized(
// CHECK-NOT: _wait_load
// CHECK: ret void
void waits_with_unsanitized(void) {
  while (!small_unsanitized())
    ;
}

// Another annotation is none of ours.
// CHECK-LABEL: @otherwise(
// CHECK-NOT: __rsan_ignore
// CHECK: ret
__attribute__((annotate("rsan"))) int otherwise(void) {
  return atomic_load(&x);
}

// CHECK-LABEL: @unsanitized(
// CHECK-NOT: __tsan_write
// CHECK: call void @__rsan_ignore_begin()
// CHECK: call i32 @__tsan_atomic32_load(
// CHECK: call void @__rsan_ignore_end()
// CHECK: call {{.*}}@unknown()
// CHECK: call void @__rsan_ignore_begin()
// CHECK: call void @__tsan_atomic32_store(
// CHECK: call void @__rsan_ignore_end()
// CHECK: ret
__attribute__((no_sanitize("robustness"))) int unsanitized(void) {
  y = atomic_load(&x);
  unknown();
  atomic_store(&x, 1);
  return 0;
}

// CHECK-LABEL: @unsanitized_thread(
// CHECK: call void @__rsan_ignore_begin()
// CHECK: call i32 @__tsan_atomic32_load(
// CHECK: call void @__rsan_ignore_end()
__attribute__((no_sanitize("thread"))) int unsanitized_thread(void) {
  return atomic_load(&x);
}

// CHECK-LABEL: @listed(
// CHECK: call void @__rsan_ignore_begin()
// CHECK: call i32 @__tsan_atomic32_load(
// CHECK: call void @__rsan_ignore_end()
// CHECK-NOT: __tsan_write
// CHECK: ret
void listed(void) {
  y = atomic_load(&x);
}

// CHECK-LABEL: @thread_listed(
// CHECK: call void @__rsan_ignore_begin()
// CHECK: call i32 @__tsan_atomic32_load(
// CHECK: call void @__rsan_ignore_end()
void thread_listed(void) {
  y = atomic_load(&x);
}

// CHECK-LABEL: @not_on_it(
// CHECK-NOT: __rsan_ignore
// CHECK: call void @__tsan_write4(
// CHECK-NOT: __rsan_ignore
// CHECK: ret
// ALL-LABEL: @not_on_it(
// ALL: call void @__rsan_ignore_begin()
// ALL: call i32 @__tsan_atomic32_load(
// ALL: call void @__rsan_ignore_end()
void not_on_it(void) {
  y = atomic_load(&x);
}

// Nothing is left of these accesses at all.
// CHECK-LABEL: @uninstrumented(
// CHECK-NOT: __rsan_ignore
// CHECK: load atomic
__attribute__((disable_sanitizer_instrumentation)) int uninstrumented(void) {
  return atomic_load(&x);
}
