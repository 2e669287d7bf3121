; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Weak and strong compare-exchange part; what ThreadSanitizer's pass does not know becomes one
; read-modify-write; the rest is left to that pass.
;
; RUN: %opt -passes=rsan-late,verify -S %s | FileCheck %s
; RUN: %opt -passes='rsan-late,tsan-module,function(tsan),verify' -S %s | FileCheck %s --check-prefix=TSAN

; CHECK-LABEL: @weak(
; CHECK: %[[OLD:.*]] = call i32 @__rsan_atomic32_compare_exchange_weak_val(ptr %p, i32 %e, i32 %d, i32 4, i32 2)
; CHECK-NEXT: %[[FAILED:.*]] = load i8, ptr @__rsan_failed, {{.*}}!nosanitize
; CHECK-NEXT: %[[NOT:.*]] = icmp ne i8 %[[FAILED]], 0
; CHECK-NEXT: %[[SAME:.*]] = icmp eq i32 %[[OLD]], %e
; CHECK-NEXT: %[[SUCCEEDED:.*]] = xor i1 %[[NOT]], true
; CHECK-NEXT: and i1 %[[SAME]], %[[SUCCEEDED]]
; CHECK-NOT: cmpxchg
define i1 @weak(ptr %p, i32 %e, i32 %d) sanitize_thread {
  %r = cmpxchg weak ptr %p, i32 %e, i32 %d acq_rel acquire
  %old = extractvalue { i32, i1 } %r, 0
  %ok = extractvalue { i32, i1 } %r, 1
  ret i1 %ok
}

; CHECK-LABEL: @strong(
; CHECK: cmpxchg ptr %p, i32 %e, i32 %d release monotonic
; TSAN-LABEL: @strong(
; TSAN: call i32 @__tsan_atomic32_compare_exchange_val(ptr %p, i32 %e, i32 %d, i32 3, i32 0)
define i1 @strong(ptr %p, i32 %e, i32 %d) sanitize_thread {
  %r = cmpxchg ptr %p, i32 %e, i32 %d release monotonic
  %ok = extractvalue { i32, i1 } %r, 1
  ret i1 %ok
}

; CHECK-LABEL: @weak8(
; CHECK: call zeroext i8 @__rsan_atomic8_compare_exchange_weak_val(ptr %p, i8 zeroext 0, i8 zeroext 1, i32 5, i32 5)
define i1 @weak8(ptr %p) sanitize_thread {
  %r = cmpxchg weak ptr %p, i8 0, i8 1 seq_cst seq_cst
  %ok = extractvalue { i8, i1 } %r, 1
  ret i1 %ok
}

; CHECK-LABEL: @weak16(
; CHECK: call zeroext i16 @__rsan_atomic16_compare_exchange_weak_val(
define i1 @weak16(ptr %p) sanitize_thread {
  %r = cmpxchg weak ptr %p, i16 0, i16 1 monotonic monotonic
  %ok = extractvalue { i16, i1 } %r, 1
  ret i1 %ok
}

; CHECK-LABEL: @weak128(
; CHECK: call i128 @__rsan_atomic128_compare_exchange_weak_val(
define i1 @weak128(ptr %p, i128 %e) sanitize_thread {
  %r = cmpxchg weak ptr %p, i128 %e, i128 1 acquire monotonic, align 16
  %ok = extractvalue { i128, i1 } %r, 1
  ret i1 %ok
}

; CHECK-LABEL: @pointer(
; CHECK: %[[E:.*]] = ptrtoint ptr %e to i64
; CHECK: %[[OLD:.*]] = call i64 @__rsan_atomic64_compare_exchange_weak_val(ptr %p, i64 %[[E]], i64 0, i32 2, i32 0)
; CHECK: inttoptr i64 %[[OLD]] to ptr
define ptr @pointer(ptr %p, ptr %e) sanitize_thread {
  %r = cmpxchg weak ptr %p, ptr %e, ptr null acquire monotonic
  %old = extractvalue { ptr, i1 } %r, 0
  ret ptr %old
}

; CHECK-LABEL: @max(
; CHECK: %[[FIRST:.*]] = call i32 @__rsan_atomic32_peek(ptr %p)
; CHECK-NEXT: br label %[[LOOP:.*]]
; CHECK: [[LOOP]]:
; CHECK: %[[EXPECTED:.*]] = phi i32 [ %[[FIRST]], %0 ], [ %old, %[[LOOP]] ]
; CHECK: %[[DESIRED:.*]] = select i1 %{{.*}}, i32 %[[EXPECTED]], i32 %v
; CHECK: %old = call i32 @__rsan_atomic32_fetch_op_val(ptr %p, i32 %[[EXPECTED]], i32 %[[DESIRED]], i32 3)
; CHECK: icmp eq i32 %old, %[[EXPECTED]]
; CHECK-NOT: atomicrmw
; CHECK: ret i32 %old
define i32 @max(ptr %p, i32 %v) sanitize_thread {
  %old = atomicrmw max ptr %p, i32 %v release
  ret i32 %old
}

; CHECK-LABEL: @others(
; CHECK: call zeroext i8 @__rsan_atomic8_fetch_op_val(
; CHECK: call zeroext i16 @__rsan_atomic16_fetch_op_val(
; CHECK: call i32 @__rsan_atomic32_fetch_op_val(
; CHECK: call i64 @__rsan_atomic64_fetch_op_val(
; CHECK: fadd double
; CHECK: call i64 @__rsan_atomic64_fetch_op_val(
; CHECK: fsub float
; CHECK: call i32 @__rsan_atomic32_fetch_op_val(
; CHECK: call float @llvm.maxnum.f32
; CHECK: call i32 @__rsan_atomic32_fetch_op_val(
; CHECK: call i32 @__rsan_atomic32_fetch_op_val(
; CHECK: call i128 @__rsan_atomic128_fetch_op_val(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @others(ptr %p) sanitize_thread {
  %a = atomicrmw min ptr %p, i8 1 monotonic
  %b = atomicrmw umax ptr %p, i16 1 acquire
  %c = atomicrmw uinc_wrap ptr %p, i32 9 acq_rel
  %d = atomicrmw udec_wrap ptr %p, i64 9 seq_cst
  %e = atomicrmw fadd ptr %p, double 1.0 seq_cst
  %f = atomicrmw fsub ptr %p, float 1.0 seq_cst
  %g = atomicrmw fmax ptr %p, float 1.0 seq_cst
  %h = atomicrmw volatile fmin ptr %p, float 1.0 seq_cst
  %i = atomicrmw umin ptr %p, i128 1 seq_cst, align 16
  ret void
}

; What ThreadSanitizer's pass knows stays, and is seen by it.
; CHECK-LABEL: @known(
; CHECK-COUNT-7: atomicrmw
; TSAN-LABEL: @known(
; TSAN: call i32 @__tsan_atomic32_exchange(
; TSAN: call i32 @__tsan_atomic32_fetch_add(
; TSAN: call i32 @__tsan_atomic32_fetch_sub(
; TSAN: call i32 @__tsan_atomic32_fetch_and(
; TSAN: call i32 @__tsan_atomic32_fetch_nand(
; TSAN: call i32 @__tsan_atomic32_fetch_or(
; TSAN: call i32 @__tsan_atomic32_fetch_xor(
define void @known(ptr %p) sanitize_thread {
  %a = atomicrmw xchg ptr %p, i32 1 monotonic
  %b = atomicrmw add ptr %p, i32 1 monotonic
  %c = atomicrmw sub ptr %p, i32 1 monotonic
  %d = atomicrmw and ptr %p, i32 1 monotonic
  %e = atomicrmw nand ptr %p, i32 1 monotonic
  %f = atomicrmw or ptr %p, i32 1 monotonic
  %g = atomicrmw xor ptr %p, i32 1 monotonic
  ret void
}

; Not instrumented: left alone.
; CHECK-LABEL: @plain(
; CHECK: cmpxchg weak
; CHECK: atomicrmw max
define void @plain(ptr %p) {
  %a = cmpxchg weak ptr %p, i32 0, i32 1 monotonic monotonic
  %b = atomicrmw max ptr %p, i32 1 monotonic
  ret void
}
