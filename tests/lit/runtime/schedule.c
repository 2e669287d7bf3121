// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that are chosen: a seed makes the same run each time, wherever the program is loaded; a
// record repeats it, with its report, and the line of the report that repeats it does.
//
// RUN: %build %s -o %t && rm -rf %t.dir && mkdir %t.dir && cd %t.dir
//
// The same seed, the same schedule; another seed, another schedule.
// RUN: env RSAN_OPTIONS=schedule=random:seed=4:schedule_file=a %t || true
// RUN: env RSAN_OPTIONS=schedule=random:seed=4:schedule_file=b %t || true
// RUN: env RSAN_OPTIONS=schedule=random:seed=5:schedule_file=c %t || true
// RUN: cmp a b
// RUN: not cmp a c
// RUN: FileCheck %s --check-prefix=FILE < a
// FILE: rsan-schedule 1
// FILE-NEXT: build {{[0-9a-f]+$}}
// FILE-NEXT: arguments {{.*}}schedule.c
// FILE-NEXT: options schedule=random:seed=4:switch=100:depth=3
// FILE-NEXT: steps
// FILE: {{^}}end {{[1-9][0-9]+$}}
//
// The report says how to repeat it.
// RUN: env RSAN_OPTIONS=schedule=random:seed=1:schedule_file=record %exits 66 %t > first 2>&1
// RUN: FileCheck %s < first
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: To repeat this run: RSAN_OPTIONS={{.*}}schedule_file=:replay=record {{.*}}schedule.c
//
// RUN: grep -o 'RSAN_OPTIONS=.*' first > line && sh -e line > second 2>&1 || true
// RUN: grep DEDUP_TOKEN first > tokens && grep DEDUP_TOKEN second | cmp tokens -
// RUN: not grep differs second
// RUN: env RSAN_OPTIONS=replay=record:schedule_file=again %t || true
// RUN: grep -v ^options record > expected && grep -v ^options again | cmp expected -
//
// As JSON, and nothing of it without a schedule.
// RUN: env RSAN_OPTIONS=schedule=random:seed=1:report_format=json %exits 66 %t 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "schedule":{"options":"schedule=random:seed=1:switch=100:depth=3","step":{{[0-9]+}},"blocked":0,"repeat":"{{.*}}RSAN_OPTIONS=schedule=random:seed=1:report_format=json {{.*}}"}
// RUN: %t > off 2>&1 || true
// RUN: FileCheck %s --check-prefix=OFF < off
// OFF-NOT: repeat
// OFF: end
//
// With pauses there is no schedule to repeat, and all is as without.
// RUN: env RSAN_OPTIONS=schedule=delay:stats=1 %t > delay 2>&1 || true
// RUN: FileCheck %s --check-prefix=DELAY < delay
// DELAY-NOT: repeat
// DELAY: schedule_delays {{ *[1-9]}}
// Where there are no atomic accesses calls have pauses.
// RUN: env RSAN_OPTIONS=schedule=delay:stats=1 %t locks 2>&1 | FileCheck %s --check-prefix=DELAY

#include <stdatomic.h>
#include <stdio.h>

#include "two-threads.h"

static atomic_int x[100], y[100];

static void *one(void *unused) {
  for (int i = 0; i < 100; i++) {
    atomic_store_explicit(&x[i], 1, memory_order_relaxed);
    (void)atomic_load_explicit(&y[i], memory_order_relaxed);
  }
  return unused;
}

static void *two(void *unused) {
  for (int i = 0; i < 100; i++) {
    atomic_store_explicit(&y[i], 1, memory_order_relaxed);
    (void)atomic_load_explicit(&x[i], memory_order_relaxed);
  }
  return unused;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock(void *unused) {
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    run(lock, lock, NULL);
  else
    run(one, two, NULL);
  fprintf(stderr, "end\n");
}
