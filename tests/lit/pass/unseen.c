// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What RSan cannot see: one remark for each function, and the module's count at its start.
//
// RUN: %rsan_clang -fsanitize=robustness -Wno-atomic-alignment -mcx16 -O1 -S -emit-llvm -Rrsan %s -o %t.ll 2>%t.err
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: <%t.err
// RUN: %rsan_clang -fsanitize=robustness -Wno-atomic-alignment -mcx16 -O0 -S -emit-llvm %s -o - | FileCheck %s
// CHECK-DAG: @llvm.global_ctors = {{.*}}@rsan.module_ctor
// CHECK-LABEL: define internal void @rsan.module_ctor(
// CHECK: call void @__rsan_note_unseen(i32 5)
//
// Nothing of it where there is none, and no words without -Rrsan.
// RUN: %rsan_clang -fsanitize=robustness -Wno-atomic-alignment -mcx16 -O1 -DNONE -S -emit-llvm %s -o - 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{rsan.module_ctor|__rsan_note_(unseen|plain|hidden)|remark}}
// RUN: %rsan_clang -fsanitize=robustness -Wno-atomic-alignment -mcx16 -O1 -S %s -o /dev/null 2>&1 | count 0

#include <emmintrin.h>
#include <stdatomic.h>

int word;
typedef struct {
  char bytes[24];
} odd;

#ifndef NONE
// What -fsanitize-robustness-asm=x86 understands has a remark of its own (assembly.c).
// REMARK: remark: RSan does not see inline assembly:
// REMARK: remark: RSan does not see a barrier in inline assembly:
void assembly(void) {
  __asm__ volatile("mfence" ::: "memory");
  __asm__ volatile("lock; xaddl %%eax, %0" : "+m"(word) : : "eax", "memory");
}

// Nobody told the compiler, but it is a barrier.
// REMARK: remark: RSan does not see inline assembly:
void no_clobber(void) {
  __asm__ volatile("lock; addl $0, (%rsp)");
}

// Whatever it does, it does it to memory.
// REMARK: remark: RSan does not see a store in inline assembly:
void clobber(void) {
  __asm__ volatile("movl $1, %0" : "=m"(word) : : "memory");
}

// These are seen (intrinsics.c).
void intrinsics(void) {
  _mm_mfence();
  _mm_sfence();
}

// REMARK: remark: RSan does not see a call of libatomic:
odd libatomic(_Atomic odd *p) {
  return atomic_load(p);
}
#endif

// A compiler barrier, a delay, a computation, a question: nobody else notices.
void harmless(unsigned *n) {
  __asm__ volatile("" : "+r"(*n) : : "memory");
  __asm__ volatile("pause" ::: "memory");
  __asm__ volatile("rep; nop" ::: "memory");
  __asm__ volatile("rep nop # wait" ::: "memory");
  __asm__("bswapl %0" : "+r"(*n));
  _mm_pause();
}
_Bool question(_Atomic odd *p) {
  return atomic_is_lock_free(p);
}
__attribute__((no_sanitize("thread"))) void unsanitized(void) {
  _mm_mfence();
}
