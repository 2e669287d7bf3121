// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In C++: an exception that leaves an annotated function ends its extent; what std::atomic's
// members do in an unsanitized function is that function's, what it calls otherwise is not.
//
// RUN: %rsan_clangxx -fsanitize=robustness -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clangxx -fsanitize=robustness -O2 -S -emit-llvm %s -o - | FileCheck %s

#include <atomic>

std::atomic<int *> p;
void unknown();

// CHECK-LABEL: @annotated(
// CHECK: call void @__rsan_ignore_begin()
// CHECK: invoke void @_Z7unknownv()
// CHECK: call void @__rsan_ignore_end()
// CHECK: ret void
// CHECK: landingpad
// CHECK: call void @__rsan_ignore_end()
// CHECK: resume
extern "C" __attribute__((annotate("rsan_ignore"))) void annotated() {
  unknown();
}

// CHECK-LABEL: @unsanitized(
// CHECK: call void @__rsan_ignore_begin()
// CHECK-NEXT: call {{.*}}@_ZNKSt6atomicIPiE4loadESt12memory_order(
// CHECK-NEXT: call void @__rsan_ignore_end()
// CHECK-NOT: __rsan_ignore
// CHECK: {{call|invoke}} void @_Z7unknownv()
// CHECK-NOT: __rsan_ignore
// CHECK: ret
extern "C" __attribute__((no_sanitize("robustness"))) void unsanitized() {
  (void)p.load(std::memory_order_acquire);
  unknown();
}
