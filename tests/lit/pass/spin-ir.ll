; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Shapes that C compilers seldom make, and what must never happen to them.
;
; RUN: %opt -passes=rsan-early,verify -S %s | FileCheck %s
; RUN: %opt -rsan-spin-loops=0 -passes=rsan-early,verify -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: __rsan_atomic

declare void @unknown()
declare i32 @sched_yield()

; The value may come from a call or an earlier access.
; CHECK-LABEL: @value(
; CHECK: call i32 @__rsan_atomic32_wait_load(ptr %p, i32 2, i32 16, i32 -1, i32 %mine)
define void @value(ptr %p, ptr %q) sanitize_thread {
  %mine = atomicrmw add ptr %q, i32 1 monotonic
  br label %loop
loop:
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, %mine
  br i1 %c, label %done, label %loop
done:
  ret void
}

; The sign of a part is a bit of the whole.
; CHECK-LABEL: @sign(
; CHECK: call i32 @__rsan_atomic32_wait_load(ptr %p, i32 2, i32 17, i32 128, i32 0)
define void @sign(ptr %p) sanitize_thread {
  br label %loop
loop:
  %v = load atomic i32, ptr %p acquire, align 4
  %t = trunc i32 %v to i8
  %c = icmp slt i8 %t, 0
  br i1 %c, label %done, label %loop
done:
  ret void
}

; What is computed from it is computed again.
; CHECK-LABEL: @computed(
; CHECK: %[[SUM:.*]] = add i32 %n, 3
; CHECK: call i32 @__rsan_atomic32_wait_load(ptr %p, i32 2, i32 16, i32 -1, i32 %[[SUM]])
define void @computed(ptr %p, i32 %n) sanitize_thread {
  br label %loop
loop:
  %v = load atomic i32, ptr %p acquire, align 4
  %sum = add i32 %n, 3
  %c = icmp eq i32 %v, %sum
  br i1 %c, label %done, label %loop
done:
  ret void
}

; A wait for what another wait found.
; CHECK-LABEL: @chain(
; CHECK: %v = call i32 @__rsan_atomic32_wait_load(ptr %p, i32 2, i32 1, i32 -1, i32 0)
; CHECK: call i32 @__rsan_atomic32_wait_load(ptr %q, i32 2, i32 16, i32 -1, i32 %v)
define void @chain(ptr %p, ptr %q) sanitize_thread {
  br label %first
first:
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp ne i32 %v, 0
  br i1 %c, label %second, label %first
second:
  %w = load atomic i32, ptr %q acquire, align 4
  %d = icmp eq i32 %w, %v
  br i1 %d, label %done, label %second
done:
  ret void
}

; A number that only says how long to wait is fine; one that lives on is not.
; CHECK-LABEL: @pauses(
; CHECK: call i32 @__rsan_atomic32_wait_load(
define void @pauses(ptr %p) sanitize_thread {
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %m, %next ]
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 1
  br i1 %c, label %done, label %next
next:
  %m = add i32 %n, 1
  %y = call i32 @sched_yield()
  br label %loop
done:
  ret void
}
; CHECK-LABEL: @counts(
; CHECK-NOT: __rsan_
; CHECK: ret
define i32 @counts(ptr %p) sanitize_thread {
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %m, %next ]
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 1
  br i1 %c, label %done, label %next
next:
  %m = add i32 %n, 1
  br label %loop
done:
  ret i32 %n
}

; The attempt before the last one lives on.
; CHECK-LABEL: @previous(
; CHECK-NOT: __rsan_
; CHECK: ret
define i32 @previous(ptr %p) sanitize_thread {
  br label %loop
loop:
  %old = phi i32 [ 0, %0 ], [ %v, %loop ]
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 1
  br i1 %c, label %done, label %loop
done:
  ret i32 %old
}

; The exit does not look at this round's value.
; CHECK-LABEL: @late(
; CHECK-NOT: __rsan_
; CHECK: ret
define void @late(ptr %p) sanitize_thread {
  br label %loop
loop:
  %old = phi i32 [ 0, %0 ], [ %v, %loop ]
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %old, 1
  br i1 %c, label %done, label %loop
done:
  ret void
}

; An exception is another way out.
; CHECK-LABEL: @throws(
; CHECK-NOT: __rsan_
; CHECK: ret
define void @throws(ptr %p) sanitize_thread personality ptr @unknown {
  br label %loop
loop:
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 1
  br i1 %c, label %done, label %next
next:
  invoke void @unknown() to label %loop unwind label %pad
pad:
  %x = landingpad { ptr, i32 } cleanup
  ret void
done:
  ret void
}

; An order within one thread only: nothing for anybody else.
; CHECK-LABEL: @singlethread(
; CHECK-NOT: __rsan_
; CHECK: ret
define void @singlethread(ptr %p) sanitize_thread {
  br label %loop
loop:
  %v = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4
  %c = icmp eq i32 %v, 1
  br i1 %c, label %done, label %loop
done:
  ret void
}

; Of a weak one, an equal old value does not say that it succeeded.
; CHECK-LABEL: @weak_by_value(
; CHECK-NOT: __rsan_
; CHECK: ret
define void @weak_by_value(ptr %p) sanitize_thread {
  br label %loop
loop:
  %r = cmpxchg weak ptr %p, i32 0, i32 1 acquire monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %c = icmp eq i32 %old, 0
  br i1 %c, label %done, label %loop
done:
  ret void
}
; CHECK-LABEL: @strong_by_value(
; CHECK: @__rsan_atomic32_wait_compare_exchange(ptr %p, i32 0, i32 1, i32 2, i32 0)
define void @strong_by_value(ptr %p) sanitize_thread {
  br label %loop
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 acquire monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %c = icmp eq i32 %old, 0
  br i1 %c, label %done, label %loop
done:
  ret void
}

; The read after an attempt in vain is one of the loop's, not one that may come at any time.
; CHECK-LABEL: @sometimes(
; CHECK-NOT: wait_exchange
; CHECK: ret
define void @sometimes(ptr %p, i1 %early) sanitize_thread {
  br label %outer
outer:
  br i1 %early, label %inner, label %try
inner:
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %try, label %inner
try:
  %w = atomicrmw xchg ptr %p, i32 1 monotonic
  %d = icmp eq i32 %w, 0
  br i1 %d, label %done, label %outer
done:
  ret void
}

; Another sanitizer's business.
; CHECK-LABEL: @uninstrumented(
; CHECK-NOT: __rsan_atomic
; CHECK: ret
define void @uninstrumented(ptr %p) {
  br label %loop
loop:
  %v = load atomic i32, ptr %p acquire, align 4
  %c = icmp eq i32 %v, 1
  br i1 %c, label %done, label %loop
done:
  ret void
}
