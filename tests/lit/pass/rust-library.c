// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass knows Rust's standard library by the names of its files. It does not count the library's
// assembly as unseen code, and tells the runtime which function handles stack overflows. (The test
// needs no compiler of Rust.)
//
// RUN: %rsan_clang -fsanitize=robustness -g -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -g -O1 -DOTHER -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OTHER
// CHECK-DAG: call void @__rsan_note_fault_handler(ptr @signal_handler)
// CHECK-NOT: __rsan_note_unseen
// OTHER-NOT: __rsan_note_fault_handler
// OTHER: call void @__rsan_note_unseen(i32 1)
// OTHER-NOT: __rsan_note_fault_handler

#ifdef OTHER
#line 10 "/x/own/src/sys/pal/unix/stack_overflow.rs"
#else
#line 10 "/x/rust/library/std/src/sys/pal/unix/stack_overflow.rs"
#endif
void signal_handler(int signal) {
  (void)signal;
  __asm__ volatile("cpuid" : : : "memory", "rax", "rbx", "rcx", "rdx");
}
