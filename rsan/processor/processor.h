// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on the processor that the code runs on, each in a header of its own. Nothing else in
// the core or in the runtime's own files asks which one it is. Each header has:
//
//   rsan_pause()              of a loop that waits for another processor
//   rsan_real_fence(seq_cst)  the fence that a program asks for: seq_cst, or any weaker one
//   rsan_copy_bytes, rsan_fill_bytes   of some hundred bytes at a time, without a call
//   RSAN_SYSTEM_CALLS         the header of sanitizer_common with its system calls
//   rsan_futex(word, op, value)   the system call, without a limit of time, by no function that a
//                             runtime intercepts (tests); errors are ignored: callers look again
//   RSAN_STACK_FUNCTIONS      text of assembly that defines the functions of stacks below
//   void __rsan_switch_stack(uintptr_t *from, uintptr_t to)   keeps what a call keeps
//   rsan_begin_stack          what `to` is for a new stack on which `function` is to begin
//   RSAN_MARK, RSAN_LEAVE_TO  as setjmp and longjmp, of a struct rsan_mark

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
