// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fsanitize-robustness-asm=x86: what is understood, by name, and what is left as it is.
//
// RUN: %rsan_clang -fsanitize=robustness -O1 -fsanitize-robustness-asm=x86 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O0 -fsanitize-robustness-asm=x86 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %rsan_clang -fsanitize=robustness -O1 -Rrsan -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// PLAIN-NOT: __tsan_atomic
// PLAIN: call void @__tsan_atomic_thread_fence(i32 5)
// PLAIN-NEXT: call void @llvm.x86.sse2.mfence()
// PLAIN-NOT: call {{.*}}@__tsan_atomic

#include <emmintrin.h>

// Barriers stay, with a fence before them (4: acq_rel, 5: seq_cst).
// CHECK-LABEL: void @barriers(
// CHECK: call void @__tsan_atomic_thread_fence(i32 4)
// CHECK-NEXT: call void asm sideeffect "", "~{memory}
// CHECK: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK-NEXT: call void asm sideeffect "mfence"
// CHECK: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK-NEXT: call void asm sideeffect "lock; orl $$0,-8(%rsp)"
// CHECK: call void @__tsan_atomic_thread_fence(i32 4)
// CHECK-NEXT: call void asm sideeffect "lfence"
// CHECK: call void @__tsan_atomic_thread_fence(i32 5)
// CHECK-NEXT: call void @llvm.x86.sse2.mfence()
// REMARK: assembly.c:[[#@LINE+2]]:{{[0-9]+}}: remark: RSan does not see a compiler barrier and 3 more such in this function in inline assembly: -fsanitize-robustness-asm=x86 makes it C's own
void barriers(void) {
  __asm__ volatile("" ::: "memory");
  __asm__ volatile("mfence" ::: "memory");
  __asm__ volatile("lock; orl $0,-8(%%rsp)" ::: "memory");
  __asm__ volatile("lfence" ::: "memory");
  _mm_mfence();
}

// CHECK-LABEL: i32 @fetch_add(
// CHECK: fence(i32 5)
// CHECK-NEXT: call i32 @__tsan_atomic32_fetch_add(ptr {{.*}}, i32 {{.*}}, i32 5)
// CHECK-NEXT: fence(i32 5)
// CHECK-NOT: asm
// CHECK: ret i32
// REMARK: remark: RSan does not see a fetch-and-add in inline
int fetch_add(int *p, int n) {
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(n), "+m"(*p) : : "memory");
  return n;
}

// CHECK-LABEL: i64 @exchange(
// CHECK: call i64 @__tsan_atomic64_exchange(ptr {{.*}}, i32 5)
// CHECK-NOT: asm
// CHECK: ret i64
// REMARK: remark: RSan does not see an exchange in inline
long exchange(long *p, long n) {
  __asm__ volatile("xchg %0, %1" : "+r"(n), "+m"(*p) : : "memory");
  return n;
}

// CHECK-LABEL: i32 @compare(
// CHECK: call i32 @__tsan_atomic32_compare_exchange_val(ptr {{.*}}, i32 5, i32 5)
// CHECK-NOT: asm
// CHECK: ret i32
// REMARK: remark: RSan does not see a compare-exchange in inline
int compare(int *p, int old, int new) {
  __asm__ volatile("lock cmpxchgl %2, %1" : "=a"(old), "+m"(*p) : "r"(new), "0"(old) : "memory");
  return old;
}

// CHECK-LABEL: i32 @move(
// CHECK: call void @__tsan_atomic32_store(ptr {{.*}}, i32 3)
// CHECK: call i32 @__tsan_atomic32_load(ptr {{.*}}, i32 2)
// CHECK-NOT: asm
// CHECK: ret i32
// REMARK: remark: RSan does not see a store and 1 more such
int move(int *p, int n) {
  __asm__ volatile("movl %1, %0" : "=m"(*p) : "ir"(n) : "memory");
  __asm__ volatile("movl %1, %0" : "=r"(n) : "m"(*p) : "memory");
  return n;
}

// Not volatile, so that the compiler may move or drop them; without the lock; to a register by
// name; with a result that nothing explains; of another object; two instructions; a size that is
// not the operand's; a number that is negated; another address; a delay.
// CHECK-LABEL: void @unknown(
// CHECK-NOT: __tsan_atomic
// CHECK: ret void
// REMARK: remark: RSan does not see inline assembly and 7 more such
void unknown(int *p, int *q, int n) {
  int other = 0;
  long wide = n;
  __asm__("movl %1, %0" : "=r"(other) : "m"(*p));
  __asm__ volatile("xaddl %0, %1" : "+r"(n), "+m"(*p) : : "memory");
  __asm__ volatile("lock; xaddl %%eax, %0" : "+m"(*p) : : "eax", "memory");
  __asm__ volatile("lock; addl $1, %0" : "+m"(*p), "+r"(other) : : "memory");
  __asm__ volatile("lock; addl $1, %0" : "+m"(*p), "+m"(*q) : : "memory");
  __asm__ volatile("lock; incl %0; lock; incl %0" : "+m"(*p) : : "memory");
  __asm__ volatile("lock; xaddl %k0, %1" : "+r"(wide), "+m"(*p) : :);
  __asm__ volatile("lock; subl $%n1, %0" : "+m"(*p) : "i"(5) : "memory");
  __asm__ volatile("lock; addl %1, 4%0" : "+m"(*p) : "r"(n) : "memory");
  __asm__ volatile("pause" :::);
}
