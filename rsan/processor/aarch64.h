// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// aarch64 (see processor.h). Loads and stores are kept in order by barriers, and by dependencies,
// alone. -mgeneral-regs-only compiles the core, so no vector register is used here.

#ifndef RSAN_PROCESSOR_AARCH64_H
#define RSAN_PROCESSOR_AARCH64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSAN_SYSTEM_CALLS "sanitizer_common/sanitizer_syscall_linux_aarch64.inc"

// (yield is a no-operation on most processors; isb takes about as long as x86's pause.)
static inline void rsan_pause(void) {
  __asm__ volatile("isb" ::: "memory");
}

__attribute__((always_inline)) static inline void rsan_real_fence(bool seq_cst) {
  (void)seq_cst; // an acquire fence could be dmb ishld; fences are seldom
  __asm__ volatile("dmb ish" ::: "memory");
}

static inline void rsan_copy_bytes(void *to, const void *from, size_t size) {
  uint64_t first, second;
  for (; size >= 16; size -= 16)
    __asm__ volatile("ldp %2, %3, [%1], #16\n"
                     "stp %2, %3, [%0], #16"
                     : "+r"(to), "+r"(from), "=&r"(first), "=&r"(second)::"memory");
  for (; size; size--)
    __asm__ volatile("ldrb %w2, [%1], #1\n"
                     "strb %w2, [%0], #1"
                     : "+r"(to), "+r"(from), "=&r"(first)::"memory");
}

static inline void rsan_fill_bytes(void *to, int byte, size_t size) {
  const uint64_t word = (uint8_t)byte * UINT64_C(0x0101010101010101);
  for (; size >= 16; size -= 16)
    __asm__ volatile("stp %1, %1, [%0], #16" : "+r"(to) : "r"(word) : "memory");
  for (; size; size--)
    __asm__ volatile("strb %w1, [%0], #1" : "+r"(to) : "r"(word) : "memory");
}

static inline void rsan_futex(void *word, int op, unsigned value) {
  register uint64_t number __asm__("x8") = 98;
  register uint64_t first __asm__("x0") = (uint64_t)word; // and its result
  register uint64_t second __asm__("x1") = (uint64_t)op;
  register uint64_t third __asm__("x2") = value;
  register uint64_t timeout __asm__("x3") = 0;
  __asm__ volatile("svc #0"
                   : "+r"(first)
                   : "r"(number), "r"(second), "r"(third), "r"(timeout)
                   : "memory");
}

#define RSAN_STACK_FUNCTIONS                                                                       \
  ".text\n"                                                                                        \
  ".type __rsan_switch_stack, %function\n"                                                         \
  ".hidden __rsan_switch_stack\n"                                                                  \
  ".globl __rsan_switch_stack\n"                                                                   \
  "__rsan_switch_stack:\n"                                                                         \
  "  stp x29, x30, [sp, #-160]!\n"                                                                 \
  "  stp x19, x20, [sp, #16]\n"                                                                    \
  "  stp x21, x22, [sp, #32]\n"                                                                    \
  "  stp x23, x24, [sp, #48]\n"                                                                    \
  "  stp x25, x26, [sp, #64]\n"                                                                    \
  "  stp x27, x28, [sp, #80]\n"                                                                    \
  "  stp d8, d9, [sp, #96]\n"                                                                      \
  "  stp d10, d11, [sp, #112]\n"                                                                   \
  "  stp d12, d13, [sp, #128]\n"                                                                   \
  "  stp d14, d15, [sp, #144]\n"                                                                   \
  "  mov x9, sp\n"                                                                                 \
  "  str x9, [x0]\n"                                                                               \
  "  mov sp, x1\n"                                                                                 \
  "  ldp x19, x20, [sp, #16]\n"                                                                    \
  "  ldp x21, x22, [sp, #32]\n"                                                                    \
  "  ldp x23, x24, [sp, #48]\n"                                                                    \
  "  ldp x25, x26, [sp, #64]\n"                                                                    \
  "  ldp x27, x28, [sp, #80]\n"                                                                    \
  "  ldp d8, d9, [sp, #96]\n"                                                                      \
  "  ldp d10, d11, [sp, #112]\n"                                                                   \
  "  ldp d12, d13, [sp, #128]\n"                                                                   \
  "  ldp d14, d15, [sp, #144]\n"                                                                   \
  "  ldp x29, x30, [sp], #160\n"                                                                   \
  "  ret\n"                                                                                        \
  ".size __rsan_switch_stack, .-__rsan_switch_stack\n"                                             \
  ".type __rsan_mark, %function\n"                                                                 \
  ".hidden __rsan_mark\n"                                                                          \
  ".globl __rsan_mark\n"                                                                           \
  "__rsan_mark:\n"                                                                                 \
  "  stp x29, x30, [x0]\n"                                                                         \
  "  stp x19, x20, [x0, #16]\n"                                                                    \
  "  stp x21, x22, [x0, #32]\n"                                                                    \
  "  stp x23, x24, [x0, #48]\n"                                                                    \
  "  stp x25, x26, [x0, #64]\n"                                                                    \
  "  stp x27, x28, [x0, #80]\n"                                                                    \
  "  stp d8, d9, [x0, #96]\n"                                                                      \
  "  stp d10, d11, [x0, #112]\n"                                                                   \
  "  stp d12, d13, [x0, #128]\n"                                                                   \
  "  stp d14, d15, [x0, #144]\n"                                                                   \
  "  mov x9, sp\n"                                                                                 \
  "  str x9, [x0, #160]\n"                                                                         \
  "  mov w0, #0\n"                                                                                 \
  "  ret\n"                                                                                        \
  ".size __rsan_mark, .-__rsan_mark\n"                                                             \
  ".type __rsan_leave_to, %function\n"                                                             \
  ".hidden __rsan_leave_to\n"                                                                      \
  ".globl __rsan_leave_to\n"                                                                       \
  "__rsan_leave_to:\n"                                                                             \
  "  ldp x29, x30, [x0]\n"                                                                         \
  "  ldp x19, x20, [x0, #16]\n"                                                                    \
  "  ldp x21, x22, [x0, #32]\n"                                                                    \
  "  ldp x23, x24, [x0, #48]\n"                                                                    \
  "  ldp x25, x26, [x0, #64]\n"                                                                    \
  "  ldp x27, x28, [x0, #80]\n"                                                                    \
  "  ldp d8, d9, [x0, #96]\n"                                                                      \
  "  ldp d10, d11, [x0, #112]\n"                                                                   \
  "  ldp d12, d13, [x0, #128]\n"                                                                   \
  "  ldp d14, d15, [x0, #144]\n"                                                                   \
  "  ldr x9, [x0, #160]\n"                                                                         \
  "  mov sp, x9\n"                                                                                 \
  "  mov w0, #1\n"                                                                                 \
  "  ret\n"                                                                                        \
  ".size __rsan_leave_to, .-__rsan_leave_to\n"

static inline uintptr_t rsan_begin_stack(uintptr_t end, uintptr_t function) {
  uintptr_t *frame = (uintptr_t *)(end - 160);
  for (int i = 0; i < 20; i++)
    frame[i] = 0;
  frame[1] = function; // x30, where the switch returns to
  return (uintptr_t)frame;
}

// (clang has no __builtin_setjmp for aarch64.)
struct rsan_mark {
  uint64_t words[21]; // x29, x30, x19..x28, d8..d15, sp
};
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((returns_twice)) int __rsan_mark(struct rsan_mark *mark);
__attribute__((noreturn)) void __rsan_leave_to(const struct rsan_mark *mark);
#ifdef __cplusplus
}
#endif
#define RSAN_MARK(mark)     __rsan_mark(mark)
#define RSAN_LEAVE_TO(mark) __rsan_leave_to(mark)

#endif
