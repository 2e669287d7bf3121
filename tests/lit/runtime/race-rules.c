// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data races by RC20: fences, release sequences, relaxed writes that end them. One thread writes
// plain data and publishes, a second may do something to the flag, a third looks at the flag and
// writes the data, in this order. Each rule with the twin that differs in one order or fence.
//
// RUN: %build %s -o %t
// RUN: %t release-acquire 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t release-fence 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t acquire-fence 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t both-fences 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t sc-fences 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t rmw 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t failed-read 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t annotated 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: {{^}}end{{$}}
// NONE-NOT: WARNING
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t relaxed-read 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t relaxed-write 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t late-release-fence 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t early-acquire-fence 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t acquire-fence-alone 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t overwritten 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %exits 66 %t failed-write 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK-NEXT: Write of size 4
// CHECK-NEXT: #0 consume
// CHECK: Previous write of size 4
// CHECK-NEXT: #0 publish
// CHECK: {{^}}end{{$}}
//
// races=0 leaves them out.
// RUN: env RSAN_OPTIONS=races=0:robustness=0 %t overwritten 2>&1 | FileCheck %s --check-prefix=NONE
//
// ThreadSanitizer sees neither the fences nor the end of the release sequence.
// RUN: %stock_clang -fsanitize=thread -w -g -O1 -I%S/Inputs %s -o %t.stock
// RUN: env TSAN_OPTIONS=atexit_sleep_ms=0 %exits 66 %t.stock release-fence 2>&1 | FileCheck %s
// RUN: env TSAN_OPTIONS=atexit_sleep_ms=0 %exits 66 %t.stock acquire-fence 2>&1 | FileCheck %s
// RUN: env TSAN_OPTIONS=atexit_sleep_ms=0 %t.stock overwritten 2>&1 | FileCheck %s --check-prefix=NONE
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <string.h>

#define FENCE(order) __atomic_thread_fence(__ATOMIC_##order)

void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);

static const char *rule;
static int flag, other_flag;
int data; // not static: the compiler would drop what nobody reads

static int is(const char *name) {
  return strcmp(rule, name) == 0;
}

static void publish(void) {
  data = 1;
  if (is("annotated"))
    AnnotateHappensBefore(__FILE__, __LINE__, &flag);
  if (is("release-fence") || is("both-fences"))
    FENCE(RELEASE);
  if (is("sc-fences"))
    FENCE(SEQ_CST);
  if (is("release-fence") || is("both-fences") || is("relaxed-write") || is("late-release-fence") ||
      is("annotated"))
    STORE(flag, 1);
  else if (!is("sc-fences"))
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  if (is("late-release-fence"))
    FENCE(RELEASE);
}

static void between(void) {
  int expected = 1;
  if (is("rmw") || is("failed-read"))
    ADD(flag, 1);
  if (is("overwritten"))
    STORE(flag, 2);
  if (is("failed-read")) // fails: a read goes on with the sequence
    __atomic_compare_exchange_n(&flag, &expected, 5, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (is("failed-write")) // succeeds in writing what is no read-modify-write's
    STORE(flag, LOAD(flag));
}

static void consume(void) {
  if (is("early-acquire-fence"))
    FENCE(ACQUIRE);
  if (is("acquire-fence-alone"))
    LOAD(other_flag);
  else if (is("acquire-fence") || is("both-fences") || is("relaxed-read") ||
           is("early-acquire-fence") || is("sc-fences") || is("annotated"))
    LOAD(flag);
  else
    __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
  if (is("acquire-fence") || is("both-fences") || is("acquire-fence-alone"))
    FENCE(ACQUIRE);
  if (is("sc-fences"))
    FENCE(SEQ_CST);
  if (is("annotated"))
    AnnotateHappensAfter(__FILE__, __LINE__, &flag);
  data = 2;
}

int main(int argc, char **argv) {
  void (*const acts[])(void) = {publish, between, consume};
  rule = argc > 1 ? argv[1] : "";
  in_turn(3, acts);
  fputs("end\n", stderr);
}
