// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// report_budget: when symbolizing has taken so many seconds, reports have modules and offsets, and
// rsan-symbolize puts functions and lines in. While a report is symbolized, other threads come and
// go. The symbolizer takes its time for each question: it is llvm-symbolizer behind a script.
//
// RUN: %build %s -o %t
// RUN: rm -rf %t.slow && mkdir %t.slow
// RUN: cp %S/Inputs/slow-symbolizer %t.slow/llvm-symbolizer
// RUN: chmod +x %t.slow/llvm-symbolizer
//
// What the first questions were about has a name. No report is lost.
// RUN: env SYMBOLIZER=%llvm_prefix/bin/llvm-symbolizer RSAN_OPTIONS=report_budget=1:stats=1:external_symbolizer_path=%t.slow/llvm-symbolizer %exits 66 %t 2>%t.raw | FileCheck %s --check-prefix=ALONG
// RUN: FileCheck %s --check-prefix=USED-UP <%t.raw
// USED-UP: WARNING: ThreadSanitizer: robustness violation
// USED-UP: WARNING: ThreadSanitizer: robustness violation
// USED-UP-NEXT: Atomic read of size 4 {{.*}} (memory_order_relaxed):
// USED-UP-NEXT: #0 {{.*}}report-budget.c.tmp+0x
// USED-UP: SUMMARY: ThreadSanitizer: robustness violation ({{.*}}report-budget.c.tmp+0x
// USED-UP: reported 2 warnings
// USED-UP: {{^  unsymbolized +2  }}
// USED-UP: ThreadSanitizer: 2 reports have modules and offsets in place of functions and lines, {{.*}} 1 s (report_budget); rsan-symbolize completes them
// RUN: %build_dir/bin/rsan-symbolize %t.raw | FileCheck %s --check-prefix=NAMED
//
// More time, or any: names, and no word about it.
// RUN: env RSAN_OPTIONS=report_budget=60:stats=1 %exits 66 %t 2>&1 | FileCheck %s --check-prefixes=NAMED,ENOUGH
// RUN: env SYMBOLIZER=%llvm_prefix/bin/llvm-symbolizer RSAN_OPTIONS=report_budget=0:stats=1:external_symbolizer_path=%t.slow/llvm-symbolizer %exits 66 %t 2>%t.raw | FileCheck %s --check-prefix=ALONG
// RUN: FileCheck %s --check-prefixes=NAMED,ENOUGH <%t.raw
// NAMED: WARNING: ThreadSanitizer: robustness violation
// NAMED: #0 look_first {{.*}}report-budget.c:[[#@LINE+36]]
// ALONG: threads came and went
// NAMED: SUMMARY: {{.*}}report-budget.c:[[#@LINE+34]]{{.*}} in look_first
// NAMED: WARNING: ThreadSanitizer: robustness violation
// NAMED: #0 look_again {{.*}}report-budget.c:[[#@LINE+36]]
// NAMED: SUMMARY: {{.*}}report-budget.c:[[#@LINE+35]]{{.*}} in look_again
// ENOUGH: {{^  unsymbolized +0  }}
// ENOUGH-NOT: report_budget
//
// RUN: env RSAN_OPTIONS=report_budget=-1 not %t 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: report_budget=-1 in RSAN_OPTIONS: must be 0 to 2147483647
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int x[2], y[2], reported;

UNSEEN static void note_reported(void) {
  __atomic_store_n(&reported, 1, __ATOMIC_RELAXED);
}

UNSEEN static int is_reported(void) {
  return __atomic_load_n(&reported, __ATOMIC_RELAXED);
}

static void one(void) {
  STORE(x[0], 1);
  LOAD(y[0]);
  STORE(x[1], 1);
  LOAD(y[1]);
}

__attribute__((noinline)) static void look_first(void) {
  LOAD(x[0]);
}

__attribute__((noinline)) static void look_again(void) {
  LOAD(x[1]);
}

static void *other(void *arg) {
  STORE(y[0], 1);
  pass_turn(2);
  look_first();
  note_reported();
  STORE(y[1], 1);
  look_again();
  return arg;
}

static void *come_and_go(void *arg) {
  one();
  return arg;
}

static void *nothing(void *arg) {
  return arg;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(void) {
  pthread_t first = start(come_and_go, NULL);
  sleep(1); // nothing orders the two
  pthread_t reporting = start(other, NULL);
  await_turn(2);
  double longest = 0;
  while (!is_reported()) {
    double begin = now();
    pthread_join(start(nothing, NULL), NULL);
    if (now() - begin > longest)
      longest = now() - begin;
    usleep(20000);
  }
  puts(longest < 2 ? "threads came and went" : "a thread had to wait");
  pthread_join(first, NULL);
  pthread_join(reporting, NULL);
  return 0;
}
