// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on the processor that the code runs on, each in a header of its own. Nothing else in
// the core or in the runtime's own files asks which one it is. Each header has:
//
//   rsan_pause()              tells the processor that a loop waits for another one
//   rsan_real_fence(seq_cst)  executes the program's fence: a seq_cst one, or any weaker one
//   rsan_copy_bytes, rsan_fill_bytes   copy and fill some hundred bytes, without a call
//   RSAN_SYSTEM_CALLS         names the header of sanitizer_common that has the system calls
//   rsan_futex(word, op, value)   makes the system call without a time limit, and not through a
//                             function that the runtime intercepts (for tests); ignores errors, so
//                             its caller has to look again
//   RSAN_STACK_FUNCTIONS      is the assembly that defines __rsan_switch_stack, and the functions
//                             that RSAN_MARK and RSAN_LEAVE_TO need
//   void __rsan_switch_stack(uintptr_t *from, uintptr_t to)   saves the registers that a called
//                             function preserves, stores the stack pointer in *from, and continues
//                             on the stack whose stored pointer is `to`
//   rsan_begin_stack(end, function)   prepares a new stack, which ends at `end`, and returns the
//   `to`
//                             with which `function` begins there
//   RSAN_MARK, RSAN_LEAVE_TO  are setjmp and longjmp with a struct rsan_mark

#ifndef RSAN_PROCESSOR_H
#define RSAN_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "x86_64.h"
#elif defined(__aarch64__)
#include "aarch64.h"
#else
#error "RSan runs on x86-64 and aarch64"
#endif

#endif
