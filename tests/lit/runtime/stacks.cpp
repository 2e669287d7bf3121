// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of the write that is missed is that of the calls at the write, whatever has been on the
// shadow stack before: at the same depth another function has written, and has been left by
// longjmp, by an exception, by a return from a callback of code that is not instrumented, from a
// signal handler, or by a switch to another fiber.
//
// RUN: %buildxx %s -o %t
// RUN: %exits 66 %t calls    2>&1 | FileCheck %s --check-prefixes=CHECK,CALLS
// RUN: %exits 66 %t jump     2>&1 | FileCheck %s --check-prefixes=CHECK,JUMP
// RUN: %exits 66 %t throw    2>&1 | FileCheck %s --check-prefixes=CHECK,THROW
// RUN: %exits 66 %t callback 2>&1 | FileCheck %s --check-prefixes=CHECK,CALLBACK
// RUN: %exits 66 %t unseen   2>&1 | FileCheck %s --check-prefixes=CHECK,UNSEEN
// RUN: %exits 66 %t signal   2>&1 | FileCheck %s --check-prefixes=CHECK,SIGNAL
// RUN: %exits 66 %t fiber    2>&1 | FileCheck %s --check-prefixes=CHECK,FIBER
// RUN: %exits 66 %t deep     2>&1 | FileCheck %s --check-prefixes=CHECK,DEEP
//
// CHECK: robustness violation
// CHECK: may miss the atomic write of size 4 by thread T1
// CHECK-NEXT: #0 set(int*, int) {{.*}}stacks.cpp:
// CALLS-NEXT: #1 second
// CALLS-NEXT: #2 calls
// JUMP-NEXT: #1 second
// JUMP-NEXT: #2 jump
// THROW-NEXT: #1 second
// THROW-NEXT: #2 throws
// CALLBACK-NEXT: #1 second
// CALLBACK-NEXT: #2 order
// CALLBACK: {{qsort.*}}
// CALLBACK: #{{[0-9]+}} callback
// UNSEEN-NEXT: #1 second
// UNSEEN-NEXT: #2 unseen
// SIGNAL-NEXT: #1 second
// SIGNAL-NEXT: #2 signal_handled
// FIBER-NEXT: #1 second
// FIBER-NEXT: #2 on_fiber
// DEEP-NEXT: #1 second
// DEEP-NEXT: #2 deeper
// DEEP-NEXT: #3 deeper
// DEEP-NEXT: #4 deeper
// The innermost 255 frames of a stack are kept.
// DEEP: #254 deeper
// DEEP-NOT: #255
//
// Without the write nothing is reported.
// RUN: %t none 2>&1 | count 0
#include "access.h"
#include "turns.h"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sanitizer/tsan_interface.h>

#define NOINLINE __attribute__((noinline))

static int x, y, scratch;

NOINLINE static void set(int *object, int value) {
  STORE(*object, value);
}

NOINLINE static void first(int depth) {
  ADD(scratch, 1);
  if (depth > 0)
    first(depth - 1);
  ADD(scratch, 1);
}

NOINLINE static void second() {
  set(&scratch, 1);
  set(&x, 1);
  STORE(scratch, 2);
}

NOINLINE static void calls() {
  first(2);
  second();
}

static jmp_buf back;

NOINLINE static void leave() {
  first(2);
  longjmp(back, 1);
}

NOINLINE static void jump() {
  if (!setjmp(back))
    leave();
  second();
}

NOINLINE static void raise_exception() {
  first(2);
  throw 1;
}

NOINLINE static void throws() {
  try {
    raise_exception();
  } catch (int) {
  }
  second();
}

NOINLINE static int order(const void *a, const void *b) {
  static int times;
  if (times++ == 0)
    first(1);
  else
    second();
  return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

NOINLINE static void callback() {
  int numbers[] = {3, 2, 1};
  qsort(numbers, 3, sizeof numbers[0], order);
  STORE(scratch, 3);
}

UNSEEN static void call(void (*function)()) {
  function();
}

NOINLINE static void write_first() {
  first(1);
}

NOINLINE static void unseen() {
  call(write_first);
  call(second);
  STORE(scratch, 3);
}

NOINLINE static void handle(int) {
  first(2);
}

NOINLINE static void signal_handled() {
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  second();
}

NOINLINE static void on_fiber() {
  void *self = __tsan_get_current_fiber(), *other = __tsan_create_fiber(0);
  STORE(scratch, 3);
  __tsan_switch_to_fiber(other, 0);
  first(2);
  __tsan_switch_to_fiber(self, 0);
  second();
  __tsan_destroy_fiber(other);
}

NOINLINE static void deeper(int depth) {
  if (depth % 50 == 0)
    first(3);
  if (depth > 0)
    deeper(depth - 1);
  else
    second();
  STORE(scratch, 3);
}

NOINLINE static void deep() {
  deeper(400);
}

NOINLINE static void none() {
  first(2);
}

static const struct {
  const char *name;
  void (*run)();
} ways[] = {{"calls", calls},    {"jump", jump}, {"throw", throws},
            {"unseen", unseen},  {"deep", deep}, {"signal", signal_handled},
            {"fiber", on_fiber}, {"none", none}, {"callback", callback}};

static void (*way)();

static void one() {
  way();
  (void)LOAD(y);
}

static void other() {
  STORE(y, 1);
  (void)LOAD(x);
}

int main(int, char **argv) {
  for (auto &each : ways)
    if (!strcmp(argv[1], each.name))
      way = each.run;
  void (*const acts[])() = {one, other};
  in_turn(2, acts);
}
