// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of access departs: it gets the value that weak_file= asks for, memory keeps the newest
// one, and the log says so. What a read that departs synchronises with is what its own version
// released. Twins: an access that knows the newest version, and one behind a repair, do not depart.
//
// RUN: %build -mcx16 %S/../runtime/departures.c -o %t && rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: printf 'env RSAN_OPTIONS=report_bugs=0:weak=random:weak_percent=100:weak_departures=1:weak_log=log %%s $1 > out 2>&1; cat out; cut -d, -f4-12 log; wc -l < log\n' %t > depart
// RUN: sh depart load | FileCheck %s --check-prefix=LOAD
// LOAD: got 0, memory has 1
// LOAD-NEXT: "kind":"read","order":"acquire","address":"0x{{[0-9a-f]+}}","size":4,"given":"0x0","newest":"0x1","version":0,"newest_version":1
// LOAD-NEXT: 1
// RUN: sh depart store | FileCheck %s --check-prefix=STORE
// STORE: got 0, memory has 1
// STORE-NEXT: "kind":"write","order":"release",{{.*}},"given":"0x0","newest":"0x1","version":0,"newest_version":1
// RUN: sh depart update | FileCheck %s --check-prefix=UPDATE
// UPDATE: got 0, memory has 1
// UPDATE-NEXT: "kind":"read-modify-write","order":"acq_rel",{{.*}},"given":"0x0","newest":"0x1"
// RUN: sh depart succeed | FileCheck %s --check-prefix=SUCCEED
// SUCCEED: got 1, memory has 1
// SUCCEED-NEXT: "kind":"compare-exchange","order":"acq_rel",{{.*}},"given":"0x0","newest":"0x1"
// RUN: sh depart fail | FileCheck %s --check-prefix=FAIL
// FAIL: got 0, memory has 1
// FAIL-NEXT: "kind":"failed compare-exchange","order":"acquire",{{.*}},"given":"0x0","newest":"0x1"
// RUN: sh depart weak | FileCheck %s --check-prefix=WEAK
// WEAK: got 0, memory has 1
// WEAK-NEXT: "given":"0x0","newest":"0x1"
// RUN: sh depart wait | FileCheck %s --check-prefix=WAIT
// WAIT: got 0, memory has 1
// WAIT-NEXT: "kind":"wait","order":"acquire",{{.*}},"given":"0x0","newest":"0x1"
// RUN: sh depart lock | FileCheck %s --check-prefix=LOCK
// LOCK: got 0, memory has 1
// LOCK-NEXT: "kind":"blocking read-modify-write","order":"acquire",{{.*}},"given":"0x0","newest":"0x1"
// RUN: sh depart known | FileCheck %s --check-prefix=NONE
// RUN: sh depart repaired | FileCheck %s --check-prefix=NONE
// RUN: sh depart wide | FileCheck %s --check-prefix=NONE
// NONE: got 1, memory has {{[01]}}
// NONE-NEXT: {{^}}0{{$}}
//
// weak_file=: at this place and no other; which candidate; how often. The place is that of the
// first departure in the log of a run in which every access that can departs.
// RUN: env RSAN_OPTIONS=report_bugs=0:weak=random:weak_percent=100:weak_log=log %t released 2>&1; head -1 log | sed 's/.*"stack":.{"pc":"[^"]*","module":"\([^"]*\)","offset":"\([^"]*\)".*/\1+\2/; s/ /%%20/g' > at
// RUN: printf 'echo "$(cat at) $1" > file; env RSAN_OPTIONS=weak=flagged:weak_file=file:weak_log=log %%s $2 2>&1; cut -d, -f8-12 log\n' %t > by-file
// RUN: sh by-file newest released | FileCheck %s --check-prefix=NEWEST
// A read of version 1, which released, has no race with what came before it, although W was reset.
// NEWEST-NOT: data race
// NEWEST: got 1, memory has 2
// NEWEST: "given":"0x1","newest":"0x2","version":1,"newest_version":2
// RUN: sh by-file oldest released | FileCheck %s --check-prefix=OLDEST
// A read of version 0 has.
// OLDEST: WARNING: ThreadSanitizer: data race
// OLDEST: After 1 departure from sequential consistency:
// OLDEST-NEXT: thread T2 read 0 in place of 2 at second_load {{.*}}departures.c:{{[0-9]+}}:{{[0-9]+}} (version 1 of 3)
// OLDEST: got 0, memory has 2
// OLDEST: "given":"0x0","newest":"0x2","version":0,"newest_version":2
// The next look at the object gets the same version, at a place that the file does not name.
// RUN: sh by-file 'follow 1' released | FileCheck %s --check-prefix=FOLLOW
// RUN: sh by-file oldest released
// FOLLOW: got 1, memory has 1
// FOLLOW: "given":"0x1","newest":"0x2","version":1,"newest_version":2
// FOLLOW-NEXT: "given":"0x1","newest":"0x2","version":1,"newest_version":2
// RUN: env RSAN_OPTIONS=exitcode=0:report_format=json:weak=flagged:weak_file=file %t released 2>&1 | sed 's/.*"departures"//' | FileCheck %s --check-prefix=JSON --implicit-check-not=/../
// JSON: "count":1,"list":[{"rsan_departure":1,
// JSON-SAME: runtime/departures.c"
// RUN: sh by-file 'skip 1' released | FileCheck %s --check-prefix=SKIP
// RUN: sh by-file 'times 0' released | FileCheck %s --check-prefix=SKIP
// RUN: sh by-file "missing other+0x12" released | FileCheck %s --check-prefix=SKIP
// RUN: sh by-file "from other+0x12" released | FileCheck %s --check-prefix=SKIP
// SKIP-NOT: data race
// SKIP: got 2, memory has 2
// SKIP-NOT: given
//
// RUN: echo 'x+0x1 sometimes' > bad && env RSAN_OPTIONS=weak=flagged:weak_file=bad %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: ThreadSanitizer: bad:1: 'sometimes' is none of from, missing, skip, times, follow, newest, oldest and random
// RUN: echo 'here' > bad && env RSAN_OPTIONS=weak=flagged:weak_file=bad %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=POINT
// POINT: ThreadSanitizer: bad:1: 'here' is no program point: MODULE+0xOFFSET
// RUN: env RSAN_OPTIONS=weak=flagged %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: ThreadSanitizer: weak=flagged in the options: must be random, or weak_file= be given as well
// RUN: env RSAN_OPTIONS=weak=flagged:weak_file=none %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: ThreadSanitizer: weak_file=none in RSAN_OPTIONS: the file cannot be read
// RUN: env RSAN_OPTIONS=weak=random:weak_log=a/b %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=LOG
// LOG: ThreadSanitizer: weak_log=a/b in RSAN_OPTIONS: the file cannot be written
// RUN: env RSAN_OPTIONS=weak=maybe %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: ThreadSanitizer: weak=maybe in the options: must be off, flagged or random
// RUN: env RSAN_OPTIONS=weak=random:clocks=explicit %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=CLOCKS
// CLOCKS: ThreadSanitizer: weak=random in the options: must be off, with clocks=explicit
// RUN: env RSAN_OPTIONS=weak=random:seq_cst=fence %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=SEQ
// SEQ: ThreadSanitizer: weak=random in the options: must be off, with seq_cst= other than exact
// RUN: env RSAN_OPTIONS=weak=random:weak_percent=0 %exits 66 %t load 2>&1 | FileCheck %s --check-prefix=PERCENT
// PERCENT: ThreadSanitizer: weak_percent=0 in RSAN_OPTIONS: must be 1 to 100
//
// A recorded schedule repeats its departures, and a seed does.
// RUN: %build -mcx16 -DSTAGE_OFF %s -o %t.free
// RUN: printf 'for seed in 1 2 3 4 5 6 7 8 9 10; do env RSAN_OPTIONS=report_bugs=0:schedule=random:seed=$seed:weak=random$1 %%s load; done 2>&1\n' %t.free > seeds
// RUN: sh seeds > first && sh seeds > second && cmp first second && grep 'got 0, memory has 1' first
// RUN: printf 'for seed in 1 2 3 4 5 6 7 8 9 10; do env RSAN_OPTIONS=report_bugs=0:schedule=random:seed=$seed:weak=random:schedule_file=record.$seed %%s load; done 2> recorded\n' %t.free > record
// RUN: printf 'for seed in 1 2 3 4 5 6 7 8 9 10; do env RSAN_OPTIONS=report_bugs=0:weak=random:weak_percent=1:replay=record.$seed %%s load; done 2> replayed\n' %t.free > replay
// RUN: sh record && sh replay && cmp recorded replayed && grep 'got 0, memory has 1' replayed
// So does `rsan replay', which knows from the record that the run departs.
// RUN: printf 'for seed in 1 2 3 4 5 6 7 8 9 10; do env RSAN_OPTIONS=report_bugs=0 %%s replay --trust record.$seed; done 2> by-tool\n' %build_dir/bin/rsan > by-tool.sh
// RUN: sh by-tool.sh && cmp recorded by-tool

#include "../../../examples/stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static atomic_int x, y;
static _Atomic __int128 wide;
static int data;
static const char *kind;

static bool is(const char *name) {
  return strcmp(kind, name) == 0;
}

// y is written after x, and whoever reads y does not synchronise with that.
static void *first(void *argument) {
  if (is("released")) {
    data = 1;
    atomic_store_explicit(&x, 1, memory_order_release);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
  } else if (is("wide")) {
    atomic_store_explicit(&wide, 1, memory_order_relaxed);
  } else {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
  }
  atomic_store_explicit(&y, 1, is("repaired") ? memory_order_release : memory_order_relaxed);
  stage_reach(1);
  return argument;
}

__attribute__((noinline)) static int second_load(void) {
  int got = atomic_load_explicit(&x, memory_order_acquire);
  if (is("released") && got != 2)
    (void)*(volatile int *)&data;
  return got;
}

static int access_x(void) {
  int expected = 0;
  if (is("store")) {
    atomic_store_explicit(&x, 5, memory_order_release);
    return 0;
  }
  if (is("update"))
    return atomic_fetch_add_explicit(&x, 3, memory_order_acq_rel);
  if (is("succeed"))
    return atomic_compare_exchange_strong_explicit(&x, &expected, 4, memory_order_acq_rel,
                                                   memory_order_acquire);
  if (is("fail")) {
    expected = 1;
    bool done = atomic_compare_exchange_strong_explicit(&x, &expected, 7, memory_order_acq_rel,
                                                        memory_order_acquire);
    return done ? 1 : expected;
  }
  if (is("weak")) {
    expected = 1;
    bool done = atomic_compare_exchange_weak_explicit(&x, &expected, 7, memory_order_acq_rel,
                                                      memory_order_acquire);
    return done ? 1 : expected;
  }
  if (is("wait")) {
    while (atomic_load_explicit(&x, memory_order_acquire) > 1)
      ;
    return 0;
  }
  if (is("lock")) {
    while (atomic_exchange_explicit(&x, 1, memory_order_acquire))
      ;
    return 0;
  }
  if (is("wide"))
    return (int)atomic_load_explicit(&wide, memory_order_relaxed);
  return second_load();
}

static void *second(void *argument) {
  stage_await(1);
  if (is("known"))
    atomic_load_explicit(&x, memory_order_relaxed);
  if (atomic_load_explicit(&y, memory_order_acquire) != 1)
    return argument;
  int got = access_x();
  fprintf(stderr, "got %d, memory has %d\n", got, atomic_load_explicit(&x, memory_order_relaxed));
  return argument;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  kind = argc > 1 ? argv[1] : "";
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}
