// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 (see processor.h). It keeps stores in order, and loads; a locked instruction is a full
// fence.

#ifndef RSAN_PROCESSOR_X86_64_H
#define RSAN_PROCESSOR_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSAN_SYSTEM_CALLS "sanitizer_common/sanitizer_syscall_linux_x86_64.inc"

static inline void rsan_pause(void) {
  __builtin_ia32_pause();
}

// A locked instruction orders as much as mfence, in half the time, and weaker fences are the
// compiler's alone.
__attribute__((always_inline)) static inline void rsan_real_fence(bool seq_cst) {
  if (seq_cst)
    __asm__ volatile("lock; orq $0, (%%rsp)" ::: "memory", "cc");
  else
    __asm__ volatile("" ::: "memory");
}

static inline void rsan_copy_bytes(void *to, const void *from, size_t size) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory");
}

static inline void rsan_fill_bytes(void *to, int byte, size_t size) {
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
}

static inline void rsan_futex(void *word, int op, unsigned value) {
  register void *timeout __asm__("r10") = 0;
  long number = 202; // and its result
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(word), "S"((long)op), "d"((unsigned long)value), "r"(timeout)
                   : "rcx", "r11", "memory");
}

#define RSAN_STACK_FUNCTIONS                                                                       \
  ".text\n"                                                                                        \
  ".type __rsan_switch_stack, @function\n"                                                         \
  ".hidden __rsan_switch_stack\n"                                                                  \
  ".globl __rsan_switch_stack\n"                                                                   \
  "__rsan_switch_stack:\n"                                                                         \
  "  pushq %rbp\n"                                                                                 \
  "  pushq %rbx\n"                                                                                 \
  "  pushq %r12\n"                                                                                 \
  "  pushq %r13\n"                                                                                 \
  "  pushq %r14\n"                                                                                 \
  "  pushq %r15\n"                                                                                 \
  "  movq %rsp, (%rdi)\n"                                                                          \
  "  movq %rsi, %rsp\n"                                                                            \
  "  popq %r15\n"                                                                                  \
  "  popq %r14\n"                                                                                  \
  "  popq %r13\n"                                                                                  \
  "  popq %r12\n"                                                                                  \
  "  popq %rbx\n"                                                                                  \
  "  popq %rbp\n"                                                                                  \
  "  ret\n"                                                                                        \
  ".size __rsan_switch_stack, .-__rsan_switch_stack\n"

static inline uintptr_t rsan_begin_stack(uintptr_t end, uintptr_t function) {
  uintptr_t *top = (uintptr_t *)end;
  *--top = 0; // where the function would return to; a call leaves the stack so aligned
  *--top = function;
  for (int i = 0; i < 6; i++) // registers
    *--top = 0;
  return (uintptr_t)top;
}

struct rsan_mark {
  void *words[5];
};
#define RSAN_MARK(mark)     __builtin_setjmp((mark)->words)
#define RSAN_LEAVE_TO(mark) __builtin_longjmp((mark)->words, 1)

#endif
