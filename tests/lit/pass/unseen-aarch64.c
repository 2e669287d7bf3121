// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same as unseen.c, of ARM's barriers, exclusive accesses and atomic instructions. Nobody told
// the compiler of memory: they are known by their names.
//
// RUN: %rsan_clang --target=aarch64-linux-gnu -march=armv8.3-a -fsanitize=robustness -O1 -S -emit-llvm -Rrsan %s -o %t.ll 2>%t.err
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: <%t.err
// CHECK: call void @__rsan_note_unseen(i32 40)
//
// Nothing of it where there is none.
// RUN: %rsan_clang --target=aarch64-linux-gnu -march=armv8.3-a -fsanitize=robustness -O1 -DNONE -S -emit-llvm -Rrsan %s -o - 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{rsan.module_ctor|__rsan_note_(unseen|plain|hidden)|remark}}

int word;

#ifndef NONE
#define UNSEEN(text) __asm__ volatile(text "\n" : : "r"(&word))

// REMARK: remark: RSan does not see inline assembly and 5 more such in this function:
void barriers(void) {
  UNSEEN("dmb ish");
  UNSEEN("dmb ishld // loads");
  UNSEEN("DMB ISHST");
  UNSEEN("dsb sy");
  UNSEEN("add x9, x9, #8; dmb ish");
  UNSEEN("add x9, x9, #-8\n\tdmb ish");
}

// REMARK: remark: RSan does not see inline assembly and 8 more such in this function:
void exclusive(void) {
  UNSEEN("ldxr w9, [%0]");
  UNSEEN("ldaxrb w9, [%0]");
  UNSEEN("ldxp x9, x10, [%0]");
  UNSEEN("ldaxp x9, x10, [%0]");
  UNSEEN("stxr w9, w10, [%0]");
  UNSEEN("stlxrh w9, w10, [%0]");
  UNSEEN("stxp w9, x10, x11, [%0]");
  UNSEEN("stlxp w9, x10, x11, [%0]");
  UNSEEN("1: ldxr w9, [%0]; cbnz w9, 1b");
}

// REMARK: remark: RSan does not see inline assembly and 4 more such in this function:
void half(void) {
  UNSEEN("ldar w9, [%0]");
  UNSEEN("ldaprb w9, [%0]");
  UNSEEN("stlr w9, [%0]");
  UNSEEN("ldlar w9, [%0]; stllrh w9, [%0]" /* of ARMv8.1's limited regions */);
  UNSEEN("stlrb wzr, [%0]");
}

// REMARK: remark: RSan does not see inline assembly and 18 more such in this function:
void large_system_extensions(void) {
  UNSEEN("cas w9, w10, [%0]");
  UNSEEN("casal w9, w10, [%0]");
  UNSEEN("casp x8, x9, x10, x11, [%0]");
  UNSEEN("swpalb w9, w10, [%0]");
  UNSEEN("ldaddal w9, w10, [%0]");
  UNSEEN("ldclr w9, w10, [%0]");
  UNSEEN("ldeorl w9, w10, [%0]");
  UNSEEN("ldseta w9, w10, [%0]");
  UNSEEN("ldsmax w9, w10, [%0]");
  UNSEEN("ldsminh w9, w10, [%0]");
  UNSEEN("ldumaxl w9, w10, [%0]");
  UNSEEN("ldumin w9, w10, [%0]");
  UNSEEN("stadd w9, [%0]");
  UNSEEN("stclrl w9, [%0]");
  UNSEEN("steor w9, [%0]");
  UNSEEN("stset w9, [%0]");
  UNSEEN("stsmax w9, [%0]; stsmin w9, [%0]");
  UNSEEN("stumaxb w9, [%0]");
  UNSEEN("stumin w9, [%0]");
}

// REMARK: remark: RSan does not see an atomic intrinsic:
int builtins(int *at) {
  return __builtin_arm_ldaex(at);
}
#endif

// A compiler barrier, delays, a computation, an ordinary access: nobody else notices.
void harmless(unsigned *n) {
  __asm__ volatile("" : "+r"(*n) : : "memory");
  __asm__ volatile("yield" ::: "memory");
  __asm__ volatile("isb" ::: "memory");
  __asm__ volatile("wfe // a moment; dmb ish" ::: "memory");
  __asm__("rbit %w0, %w0 // dmb ish" : "+r"(*n));
  __asm__("add %w0, %w0, #1" : "+r"(*n));
  __asm__ volatile("ldr w9, [%0]" : : "r"(n) : "w9");
  __builtin_arm_yield();
}
