// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// repair_as_you_go=1: after a violation the program goes on as if it had been repaired there, by
// the points of code. Three rounds of store buffering, on other variables each time; in the third
// at other points.
//
// RUN: %build %s -o %t
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0:exitcode=0 %t 2>&1 | FileCheck %s --check-prefixes=CHECK,FIRST,SECOND,THIRD
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0:exitcode=0:repair_as_you_go=1:stats=1 %t 2>&1 | FileCheck %s --check-prefixes=CHECK,FIRST,REPAIRED,THIRD,STATS
//
// At exit they are printed as a list; with that list the next run is silent.
// RUN: env RSAN_OPTIONS=exitcode=0:repair_as_you_go=1 %t 2>&1 | sed -n '/^ThreadSanitizer: repairs/,$p' > %t.found
// RUN: FileCheck %s --check-prefix=FOUND --input-file=%t.found
// FOUND: ThreadSanitizer: repairs that were switched on (pid={{[0-9]+}}), as lines for simulate=FILE:
// FOUND-NEXT: fence-after {{/.*}}simulate-as-you-go.c.tmp+0x{{[0-9a-f]+$}}
// FOUND-NEXT: fence-after {{/.*}}simulate-as-you-go.c.tmp+0x{{[0-9a-f]+$}}
// FOUND-NOT: {{.}}
// RUN: sed 1d %t.found > %t.next && env RSAN_OPTIONS=simulate=%t.next %t 2>&1 | FileCheck %s --check-prefix=LIST
//
// Without an explanation: a fence after the one and one before the other.
// RUN: env RSAN_OPTIONS=explain=0:exitcode=0:repair_as_you_go=1 %t 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: repairs that were switched on
// PLAIN-NEXT: fence-after
// PLAIN-NEXT: fence-before
// PLAIN-NEXT: fence-after
// PLAIN-NEXT: fence-before
//
// What is suppressed is not repaired.
// RUN: echo 'robustness:first_look' > %t.suppressions
// RUN: env RSAN_OPTIONS=suppressions=%t.suppressions:exitcode=0:repair_as_you_go=1:stats=1 %t 2>&1 | FileCheck %s --check-prefixes=CHECK,SUPPRESSED
//
// In addition to a list.
// RUN: grep -n 'return LOAD.*first' %s | sed 's/:.*//;s/^/fence-before simulate-as-you-go.c:/' > %t.list
// RUN: grep -n '  STORE' %s | sed 's/:.*//;s/^/fence-after simulate-as-you-go.c:/' >> %t.list
// RUN: env RSAN_OPTIONS=suppress_equal_stacks=0:exitcode=0:repair_as_you_go=1:simulate=%t.list:stats=1 %t 2>&1 | FileCheck %s --check-prefix=LIST
//
// CHECK: round 0
// FIRST: robustness violation
// FIRST: #0 first_look
// CHECK: round 1
// SECOND: robustness violation
// SECOND: #0 first_look
// REPAIRED-NOT: robustness violation
// SUPPRESSED-NOT: robustness violation
// CHECK: round 2
// THIRD: robustness violation
// THIRD: #0 second_look
// SUPPRESSED: robustness violation
// SUPPRESSED: #0 second_look
// STATS: repairs 2 {{[a-z]+ .*}}
// SUPPRESSED: repairs 1 {{[a-z]+ .*}}
// LIST-NOT: robustness violation

#include "access.h"
#include "turns.h"

#include <stdio.h>

static struct {
  int x, y;
} rounds[3];
static int now;

UNSEEN static int round_now(void) {
  return now;
}

UNSEEN static void next_round(void) {
  fprintf(stderr, "round %d\n", now);
}

__attribute__((noinline)) static int first_look(const int *at) {
  return LOAD(*at); // first
}

__attribute__((noinline)) static int second_look(const int *at) {
  return LOAD(*at); // second
}

__attribute__((noinline)) static void first_raise(int *at) {
  STORE(*at, 1);
}

__attribute__((noinline)) static void second_raise(int *at) {
  STORE(*at, 1);
}

static void half(int *mine, const int *other) {
  if (round_now() < 2) {
    first_raise(mine);
    first_look(other);
  } else {
    second_raise(mine);
    second_look(other);
  }
}

static void one(void) {
  half(&rounds[round_now()].x, &rounds[round_now()].y);
}

static void other(void) {
  half(&rounds[round_now()].y, &rounds[round_now()].x);
}

int main(void) {
  for (now = 0; now < 3; now++) {
    next_round();
    one_then_other(one, other);
  }
}
