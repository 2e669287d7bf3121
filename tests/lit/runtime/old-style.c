// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronisation by volatile accesses and assembly for x86, in turns. Without the options they are
// plain accesses and unseen code; with them each is judged as what it is.
//
// DEFINE: %{run} = env RSAN_OPTIONS=races=0 %t
// RUN: %build %s -o %t
// RUN: %{run} message && %{run} buffering && %{run} locked && %{run} moved
//
// A message by relaxed accesses is none, by acquire loads and release stores it is.
// RUN: %build -fsanitize-robustness-volatile=relaxed -fsanitize-robustness-asm=x86 %s -o %t
// RUN: %exits 66 %t message 2>&1 | FileCheck %s --check-prefix=MESSAGE
// MESSAGE: WARNING: ThreadSanitizer: robustness violation
// MESSAGE-NEXT: Atomic read of size 4 {{.*}} (memory_order_relaxed)
// MESSAGE-NEXT: #0 take {{.*}}old-style.c:[[#]]
// A compiler barrier orders it on x86, and so does mov.
// RUN: %t message-barrier && %t moved
// Also in a loop that waits; a delay is none.
// RUN: %t message-wait && %t message-nested
// RUN: %exits 66 %t message-delay 2>&1 | FileCheck %s --check-prefix=DELAY
// DELAY: WARNING: ThreadSanitizer: robustness violation
// RUN: %build -fsanitize-robustness-volatile=acq_rel -fsanitize-robustness-asm=x86 %s -o %t
// RUN: %t message && %t message-barrier && %t moved
//
// What x86 does not keep in order by itself needs mfence or a locked instruction.
// RUN: %exits 66 %t buffering 2>&1 | FileCheck %s --check-prefix=BUFFERING
// BUFFERING: WARNING: ThreadSanitizer: robustness violation
// BUFFERING-NEXT: Atomic read of size 4 {{.*}} (memory_order_acquire)
// RUN: %t fenced && %t stacked && %t locked
// Without the option those may synchronise with anything (unseen_calls).
// RUN: %build -fsanitize-robustness-volatile=acq_rel %s -o %t
// RUN: %t fenced
// RUN: %exits 66 env RSAN_OPTIONS=unseen_calls=0 %t fenced 2>&1 | FileCheck %s --check-prefix=BUFFERING
//
// stats=1 says how many there are, and that there are none left.
// RUN: %build %s -o %t && env RSAN_OPTIONS=races=0:stats=1 %t message 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: volatile {{ *[1-9][0-9]*}} volatile accesses
// LEFT-NEXT: assembly {{ *[1-9][0-9]*}} pieces of assembly
// RUN: %build -fsanitize-robustness-volatile=acq_rel -fsanitize-robustness-asm=x86 %s -o %t && env RSAN_OPTIONS=stats=1 %t message 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: volatile 0 volatile accesses
// NONE-NEXT: assembly 0 pieces of assembly

#include "turns.h"

#include <string.h>

static volatile int x, y, ready;
static int data;
static const char *how;

static int is(const char *what) {
  return strcmp(how, what) == 0;
}

static void give(void) {
  x = 1;
  if (!is("message"))
    __asm__ volatile("" ::: "memory");
  ready = 1;
}

static void take(void) {
  for (int i = 0; i < 2 && is("message-nested"); i++) {
    while (!ready)
      __asm__ volatile("" ::: "memory");
    if (!x)
      abort();
  }
  while (is("message-wait") && !ready)
    __asm__ volatile("" ::: "memory");
  while (is("message-delay") && !ready)
    __asm__ volatile("pause");
  int seen = ready;
  if (is("message-barrier"))
    __asm__ volatile("" ::: "memory");
  if (!seen || !x)
    abort();
}

static void order(void) {
  int old = 1;
  if (is("fenced"))
    __asm__ volatile("mfence" ::: "memory");
  else if (is("stacked"))
    __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
  else if (is("locked"))
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(old), "+m"(data) : : "memory");
}

static void first(void) {
  x = 1;
  order();
  (void)y;
}

static void second(void) {
  y = 1;
  order();
  (void)x;
}

static int at[2];

static void give_moved(void) {
  __asm__ volatile("movl %1, %0" : "=m"(at[0]) : "r"(1) : "memory");
  __asm__ volatile("movl %1, %0" : "=m"(at[1]) : "r"(1) : "memory");
}

static void take_moved(void) {
  int one, other;
  __asm__ volatile("movl %1, %0" : "=r"(one) : "m"(at[1]) : "memory");
  __asm__ volatile("movl %1, %0" : "=r"(other) : "m"(at[0]) : "memory");
  if (!one || !other)
    abort();
}

int main(int argc, char **argv) {
  void (*const message[])(void) = {give, take};
  void (*const buffering[])(void) = {first, second};
  void (*const moved[])(void) = {give_moved, take_moved};
  how = argv[argc - 1];
  in_turn(2, strncmp(how, "message", 7) == 0 ? message : is("moved") ? moved : buffering);
}
