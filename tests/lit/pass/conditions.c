// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The condition that the runtime is told is the one that the loop has: each loop gets the values of
// a script, and must end on exactly those that the condition holds for.
//
// RUN: %stock_clang -c -O1 %S/Inputs/script.c -o %t.script.o
// RUN: %rsan_clang -fsanitize=robustness -O0 -Rrsan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WAIT --implicit-check-not="no wait"
// RUN: %stock_clang -fsanitize=thread %t.o %t.script.o -o %t && %t | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -Rrsan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WAIT --implicit-check-not="no wait"
// RUN: %stock_clang -fsanitize=thread %t.o %t.script.o -o %t && %t | FileCheck %s
// WAIT-COUNT-26: is a wait
// CHECK: 26 loops, all waited, 0 wrong

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

extern unsigned script_position, script_wrong;
extern bool script_ended;

const uint64_t script[] = {0,           1,           2,
                           3,           4,           5,
                           6,           7,           8,
                           9,           15,          16,
                           17,          0x7f,        0x80,
                           0xff,        0x100,       0x7fff,
                           0x8000,      0xffff,      0x10000,
                           0x10005,     0x50000,     0x50007,
                           0xfffa,      0xf0005,     0x40fff,
                           0x7fffffff,  0x80000000,  0x80000005,
                           0xfffffffe,  0xffffffff,  0xf5,
                           0xfa,        0xffffffd,   0xffffffd2,
                           0x100000003, 0x180000003, 0x8000000000000000,
                           UINT64_MAX};
const unsigned script_length = sizeof script / sizeof *script;

static atomic_uint u;
static atomic_int s;
static _Atomic unsigned long wide;
static _Atomic signed char tiny;
static _Atomic unsigned short half;

#define LOOP(name, object, condition)                                                              \
  static void name(unsigned a, unsigned b) {                                                       \
    (void)a, (void)b;                                                                              \
    for (;;) {                                                                                     \
      __typeof__(object + 0) v = atomic_load_explicit(&object, memory_order_acquire);              \
      if (condition)                                                                               \
        return;                                                                                    \
      __builtin_ia32_pause();                                                                      \
    }                                                                                              \
  }

LOOP(eq, u, v == 5)
LOOP(ne, u, v != 5)
LOOP(below, u, v < 5)
LOOP(at_most, u, v <= a)
LOOP(above, u, v > a)
LOOP(at_least, u, v >= 0x8000)
LOOP(signed_below, s, v < 5)
LOOP(signed_at_most, s, v <= (int)a)
LOOP(signed_above, s, v > -1)
LOOP(signed_at_least, s, v >= -(int)a)
LOOP(masked, u, (v & 0xff) == 5)
LOOP(masked_by, u, (v & a) == b)
LOOP(masked_by_none, u, !(v & (a - 10))) // a is 10
LOOP(any_of, u, v & 6)
LOOP(none_of, u, !(v & 6))
LOOP(two_of, u, v == 5 || v == 7)
LOOP(shifted, u, v >> 16 == 5)
LOOP(shifted_to, u, v >> 16 == a >> 16)
LOOP(shifted_below, u, v >> 16 < 5)
LOOP(truncated, wide, (unsigned char)v == 5)
LOOP(truncated_sign, wide, (int)v < 0)
LOOP(distance, u, a - v == 3)
LOOP(flipped, u, (v ^ 0xff) == a)
LOOP(doubled, u, v << 1 == 10)
LOOP(sign_of_tiny, tiny, v < 0)
LOOP(half_at_most, half, v <= 0x7fff)

static void (*const loops[])(unsigned, unsigned) = {eq,
                                                    ne,
                                                    below,
                                                    at_most,
                                                    above,
                                                    at_least,
                                                    signed_below,
                                                    signed_at_most,
                                                    signed_above,
                                                    signed_at_least,
                                                    masked,
                                                    masked_by,
                                                    masked_by_none,
                                                    any_of,
                                                    none_of,
                                                    two_of,
                                                    shifted,
                                                    shifted_to,
                                                    shifted_below,
                                                    truncated,
                                                    truncated_sign,
                                                    distance,
                                                    flipped,
                                                    doubled,
                                                    sign_of_tiny,
                                                    half_at_most};

int main(void) {
  unsigned count = sizeof loops / sizeof *loops, waited = 0;
  for (unsigned n = 0; n < count; n++) {
    for (script_position = 0; script_position < script_length;) {
      loops[n](10, 2);
      script_wrong += !script_ended;
      script_ended = false;
    }
    waited += script_position >= script_length;
  }
  printf("%u loops, %s waited, %u wrong\n", count, waited == count ? "all" : "not all",
         script_wrong);
}
