// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intrinsics that are barriers are fences beside what they are, at every level of optimisation and
// from functions of headers (3: release, 4: acq_rel, 5: seq_cst, 2: acquire).
//
// RUN: %rsan_clang -fsanitize=robustness -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -S -emit-llvm -Rrsan %s -o - 2>%t.err | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O1 -fsanitize-robustness-asm=x86 -S -emit-llvm %s -o - | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: <%t.err
// RUN: %rsan_clang -fsanitize=robustness -O0 -S -emit-llvm -x c++ %s -o - | FileCheck %s
// REMARK: remark: RSan does not see an atomic intrinsic:
//
// RUN: %rsan_clang -fsanitize=robustness --target=aarch64-linux-gnu -ffreestanding -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ARM
//
// Stock ThreadSanitizer has none of it.
// RUN: %rsan_clang -fsanitize=thread -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STOCK
// STOCK-LABEL: @full(
// STOCK-NOT: __tsan_atomic_thread_fence(

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __x86_64__
#include <immintrin.h>

// CHECK-LABEL: @full(
// CHECK: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK-NEXT: call void @llvm.x86.sse2.mfence()
void full(void) {
  _mm_mfence();
}

// CHECK-LABEL: @builtin(
// CHECK: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK-NEXT: call void @llvm.x86.sse2.mfence()
void builtin(void) {
  __builtin_ia32_mfence();
}

// CHECK-LABEL: @loads(
// CHECK: call void @__tsan_atomic_thread_fence(i32 4)
// CHECK-NEXT: call void @llvm.x86.sse2.lfence()
void loads(void) {
  _mm_lfence();
}

// CHECK-LABEL: @stores(
// CHECK: call void @__tsan_atomic_thread_fence(i32 4)
// CHECK-NEXT: call void @llvm.x86.sse.sfence()
void stores(void) {
  _mm_sfence();
}

// CHECK-LABEL: @serialized(
// CHECK: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK-NEXT: call void @llvm.x86.serialize()
__attribute__((target("serialize"))) void serialized(void) {
  _serialize();
}

static inline __attribute__((always_inline)) void of_a_header(void) {
  _mm_mfence();
}

// CHECK-LABEL: @inlined(
// CHECK: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK-NEXT: call void @llvm.x86.sse2.mfence()
void inlined(void) {
  of_a_header();
}

// What has no place in C11 may synchronise with anything.
// CHECK-LABEL: @unseen(
// CHECK: call void @llvm.x86.aadd32(
// CHECK: call void @__rsan_passed_assembly()
__attribute__((target("raoint"))) void unseen(int *p) {
  _aadd_i32(p, 1);
}

// CHECK-LABEL: @delay(
// CHECK-NOT: __tsan_atomic_thread_fence
// CHECK: ret void
void delay(void) {
  _mm_pause();
}

// CHECK-LABEL: @left_out(
// CHECK-NOT: __tsan_atomic_thread_fence
// CHECK: ret void
__attribute__((disable_sanitizer_instrumentation)) void left_out(void) {
  _mm_mfence();
}
#else
#include <arm_acle.h>

// ARM-LABEL: @full(
// ARM: call void @__tsan_atomic_thread_fence(i32 5)
// ARM-NEXT: call void @llvm.aarch64.dmb(i32 11)
// ARM: call void @__tsan_atomic_thread_fence(i32 5)
// ARM-NEXT: call void @llvm.aarch64.dmb(i32 15)
// ARM: call void @__tsan_atomic_thread_fence(i32 5)
// ARM-NEXT: call void @llvm.aarch64.dsb(i32 11)
void full(void) {
  __builtin_arm_dmb(11);
  __dmb(15);
  __dsb(11);
}

// ARM-LABEL: @halves(
// ARM: call void @__tsan_atomic_thread_fence(i32 2)
// ARM-NEXT: call void @llvm.aarch64.dmb(i32 9)
// ARM: call void @__tsan_atomic_thread_fence(i32 3)
// ARM-NEXT: call void @llvm.aarch64.dmb(i32 10)
void halves(void) {
  __dmb(9);
  __dmb(10);
}

// ARM-LABEL: @instructions(
// ARM-NOT: __tsan_atomic_thread_fence
// ARM: ret void
void instructions(void) {
  __isb(15);
}
#endif

#ifdef __cplusplus
}
#endif
