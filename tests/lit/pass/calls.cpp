// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls the runtime is told of, and that instrumented functions are marked in front of their
// entry.
//
// RUN: %rsan_clangxx -fsanitize=robustness -O1 -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s
// RUN: %stock_clangxx -fsanitize=thread -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STOCK
// STOCK-NOT: __rsan
// RUN: %rsan_clangxx -fsanitize=robustness -O1 -c %s -o %t.o
// RUN: %llvm_prefix/bin/llvm-objdump -s -j .text %t.o | FileCheck %s --check-prefix=MARK
// MARK: 00000000 00000000 00000000 5253616e

#include <cstdlib>

extern "C" {
void foreign();
int pure(int) __attribute__((const));
void ends() __attribute__((noreturn));
void rsan_happens_before(void *);

__attribute__((noinline)) void own() {
  asm volatile("");
}
inline __attribute__((noinline)) void shared() {
  asm volatile("");
}

// CHECK-LABEL: @direct() {{.*}} prefix [4 x i32] [i32 0, i32 0, i32 0, i32 1851872082]
// CHECK: %[[KNOWN:.*]] = load i8, ptr @rsan.callee{{.*}}!nosanitize
// CHECK: icmp ne i8 %[[KNOWN]], 1
// CHECK: br i1 {{.*}} !prof
// CHECK: call void @__rsan_calling(ptr {{.*}}@rsan.callee{{.*}}, ptr {{.*}}@foreign)
// CHECK: {{call|invoke}} void @foreign()
// CHECK: load i8, ptr @rsan.callee
// CHECK: call void @__rsan_called(ptr {{.*}}@rsan.callee{{.*}}, ptr {{.*}}@foreign)
// CHECK: ret void
void direct() {
  foreign();
}

// A definition that the linker may take from elsewhere.
// CHECK-LABEL: @replaceable(
// CHECK: call void @__rsan_calling(
// CHECK: {{call|invoke}} void @{{.*}}shared{{.*}}()
// CHECK: call void @__rsan_called(
void replaceable() {
  shared();
}

// CHECK-LABEL: @pointer(
// CHECK: select i1 {{.*}}, ptr @rsan.unmarked
// CHECK: %[[WORD:.*]] = load i32, {{.*}}!nosanitize
// CHECK: icmp ne i32 %[[WORD]], 1851872082
// CHECK: call void @__rsan_calling_pointer(ptr {{.*}}%function)
// CHECK: {{call|invoke}} void %function()
// CHECK: call void @__rsan_called_pointer(ptr {{.*}}%function)
void pointer(void (*function)()) {
  function();
}

// CHECK-LABEL: @thrown(
// CHECK: invoke void @foreign()
// CHECK: call void @__rsan_called(
// CHECK: landingpad
// CHECK: call void @__rsan_called(
int thrown() {
  try {
    foreign();
  } catch (...) {
    return 1;
  }
  return 0;
}

// CHECK-LABEL: @assembly(
// CHECK-NOT: __rsan
// CHECK: asm sideeffect "pause"
// CHECK-NOT: __rsan
// CHECK: asm sideeffect "lock; incl $0"
// CHECK: call void @__rsan_passed_assembly()
// CHECK: ret
void assembly(int *p) {
  asm volatile("pause" ::: "memory");
  asm volatile("lock; incl %0" : "+m"(*p));
}

// CHECK-LABEL: @not_watched(
// CHECK-NOT: __rsan_call
// CHECK: ret
int not_watched(void *p, int i) {
  own();
  std::free(p);
  rsan_happens_before(p);
  int n = pure(i);
  if (n == 7)
    ends();
  return n;
}

// CHECK-LABEL: @must_be_tail(
// CHECK-NOT: __rsan_call
// CHECK: ret
void must_be_tail() {
  __attribute__((musttail)) return foreign();
}
}
