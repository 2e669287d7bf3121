// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a wait, a blocking and a strong compare-exchange are judged by: could an old version have
// satisfied it? One half of store buffering after the other; the second ends in the operation.
// Those that an old version could not satisfy are silent; their twins are reported, at the line
// that waits.
//
// RUN: %build %s -o %t
// RUN: %t wait 2>&1 | count 0
// RUN: %t until 2>&1 | count 0
// RUN: %t alone 2>&1 | count 0
// RUN: %t any-none 2>&1 | count 0
// RUN: %t any-none-blocked 2>&1 | count 0
// RUN: %t bcas 2>&1 | count 0
// RUN: %t strong 2>&1 | count 0
// RUN: %exits 66 %t load 2>&1 | FileCheck %s -DASKS=''
// RUN: %exits 66 %t wait-blocked 2>&1 | FileCheck %s -DASKS='waits for 0 and '
// RUN: %exits 66 %t until-blocked 2>&1 | FileCheck %s -DASKS='waits for 0 in the bits 0x1 and '
// RUN: %exits 66 %t value 2>&1 | FileCheck %s -DASKS='waits for a value other than 5 and '
// RUN: %exits 66 %t any 2>&1 | FileCheck %s -DASKS='waits for 0 and '
// RUN: %exits 66 %t any-blocked 2>&1 | FileCheck %s -DASKS='waits for 0 and '
// RUN: %exits 66 %t exchange 2>&1 | FileCheck %s -DASKS=''
// RUN: %exits 66 %t bcas-blocked 2>&1 | FileCheck %s -DASKS='expected 0 and '
// RUN: %exits 66 %t weak 2>&1 | FileCheck %s -DASKS='expected 0 and '
// RUN: %buildxx -x c++ %s -o %t.cxx
// RUN: %t.cxx any-none-blocked 2>&1 | count 0
// RUN: %exits 66 %t.cxx any-blocked 2>&1 | FileCheck %s -DASKS='waits for 0 and '
// RUN: %build -O0 %s -o %t.O0
// RUN: %t.O0 any-none-blocked 2>&1 | count 0
// RUN: %exits 66 %t.O0 any-blocked 2>&1 | FileCheck %s -DASKS='waits for 0 and '
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 {{meets|is_held_up}}{{.*}}wait.c:
// CHECK: may miss
// CHECK: #0 one
// CHECK: It [[ASKS]]would read 0 in place of 1.
// CHECK: reported 1 warnings
#include "access.h"
#include "turns.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rsan.h"

static int x, y, held_up;
static __thread int waits;
static const char *what;

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

// Called by a wait behind an attempt in vain, and by threads that await their turn.
UNSEEN int sched_yield(void) {
  if (waits)
    __atomic_store_n(&held_up, 1, __ATOMIC_RELAXED);
  return (int)syscall(SYS_sched_yield);
}

static void one(void) {
  if (is("strong") || is("weak"))
    ADD(x, 1);
  else
    STORE(x, 1);
  LOAD(y);
}

// With x == 1, which was 0.
static void meets(void) {
  static const int none[] = {2, 1}, one_of[] = {0, 1};
  int expected = 0;
  if (is("load"))
    LOAD(x);
  if (is("wait"))
    rsan_wait(&x, 1, __ATOMIC_RELAXED);
  if (is("until"))
    rsan_wait_until(&x, RSAN_GT_S, 0, 0, __ATOMIC_RELAXED);
  if (is("alone"))
    rsan_wait_until(&x, RSAN_NE, 0, 5, __ATOMIC_RELAXED);
  if (is("value"))
    rsan_wait_value(&x, RSAN_NE, 0, 5, __ATOMIC_RELAXED);
  if (is("any-none"))
    rsan_wait_any(&x, none, 2, __ATOMIC_RELAXED);
  if (is("any"))
    rsan_wait_any(&x, one_of, 2, __ATOMIC_RELAXED);
  if (is("bcas"))
    rsan_bcas(&x, 1, 7, __ATOMIC_RELAXED);
  if (is("exchange"))
    EXCHANGE(x, 7);
  if (is("strong"))
    rsan_strong_cas(&x, &expected, 7, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (is("weak"))
    __atomic_compare_exchange_n(&x, &expected, 7, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Until the third thread, which waits for the attempt in vain, makes it 0, 2 or 3.
static void is_held_up(void) {
  static const int never[] = {3, 2}, before[] = {2, 0};
  int found = 2;
  if (is("any-none-blocked"))
    found = rsan_wait_any(&x, never, 2, __ATOMIC_RELAXED);
  if (is("any-blocked"))
    found = rsan_wait_any(&x, before, 2, __ATOMIC_RELAXED);
  if (found != 2)
    abort();
  if (is("wait-blocked"))
    rsan_wait(&x, 0, __ATOMIC_RELAXED);
  if (is("until-blocked"))
    rsan_wait_until(&x, RSAN_EQ, 1, 0, __ATOMIC_RELAXED);
  if (is("bcas-blocked"))
    rsan_bcas(&x, 0, 7, __ATOMIC_RELAXED);
}

UNSEEN static void check_held_up(void) {
  if (!__atomic_load_n(&held_up, __ATOMIC_RELAXED))
    abort();
}

static void other(void) {
  STORE(y, 1);
  if (strstr(what, "blocked")) {
    waits = 1;
    is_held_up();
    waits = 0;
    check_held_up();
  } else {
    meets();
  }
}

UNSEEN static void await_attempt(void) {
  while (!__atomic_load_n(&held_up, __ATOMIC_RELAXED))
    sched_yield();
}

static void *let_go(void *unused) {
  await_attempt();
  STORE(x, is("wait-blocked") || is("bcas-blocked") ? 0 : 2);
  return unused;
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  LOAD(x);
  pthread_t thread = start(let_go, NULL);
  one_then_other(one, other);
  __atomic_store_n(&held_up, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
}
