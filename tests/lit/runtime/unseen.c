// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronisation of which one half is in code that is not instrumented: a release store there,
// acquired here. A thread that acquires the value knows what came before. The same store where it
// is instrumented and relaxed, or a plain one, says nothing.
//
// RUN: %build %s -o %t
// RUN: %build -O0 %s -o %t.O0
// RUN: %build -O2 %s -o %t.O2
// RUN: %t quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t.O0 quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t.O2 quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=races=0 %t quiet 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=target=x86+armv8 %t quiet 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: 5 ways
//
// RUN: %exits 66 %t acquire seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t fence seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t exchange seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t lock seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t late seen 2>&1 | FileCheck %s
// RUN: %exits 66 %t relaxed 2>&1 | FileCheck %s
// RUN: %exits 66 %t constructor 2>&1 | FileCheck %s
// RUN: %exits 66 %t constructor-late 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 look
// CHECK: may miss
// CHECK-NEXT: #0 {{work|lock}}
//
// RUN: env RSAN_OPTIONS=stats=1 %t acquire 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: foreign_writes 1
// STATS-NEXT: unseen_writes 1
#include "access.h"
#include "turns.h"

#include <stdio.h>
#include <string.h>

static int x, y, flags[16], fresh = 1;
static int seen, way;
#define flag (flags[way])

UNSEEN static void set(int value) {
  __atomic_store_n(&flag, value, __ATOMIC_RELEASE);
}

static void work(void) {
  STORE(x, 1);
  STORE(y, 1);
}

static void look(void) {
  if (LOAD(y) != 1 || LOAD(x) != 1)
    abort();
}

static void publish(void) {
  work();
  if (seen)
    STORE(flag, 5);
  else
    set(5);
}

// The location is known before the write.
static void begin(void) {
  LOAD(flag);
}

static void acquire(void) {
  while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != 5)
    ;
  look();
}

static void fence(void) {
  LOAD(flag);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  look();
}

static void relaxed(void) {
  LOAD(flag);
  look();
}

static void exchange(void) {
  __atomic_exchange_n(&flag, 6, __ATOMIC_ACQUIRE);
  look();
}

// A lock that is taken here and released there.
static void lock(void) {
  int expected = 0;
  __atomic_compare_exchange_n(&flag, &expected, 5, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  STORE(x, 1);
  STORE(y, 1);
  if (seen)
    STORE(flag, 0);
  else
    set(0);
}

static void lock_again(void) {
  int expected = 0;
  if (!__atomic_compare_exchange_n(&flag, &expected, 5, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    abort();
  look();
}

// Not by an atomic access, but instrumented.
static void construct(int *object) {
  *(volatile int *)object = 7;
}

static void constructor(void) {
  LOAD(flag);
  construct(&flag);
  __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
  look();
}

static void constructor_late(void) {
  construct(&fresh);
  __atomic_load_n(&fresh, __ATOMIC_ACQUIRE);
  look();
}

static const struct way {
  const char *name;
  void (*acts[3])(void); // in turn, each in a thread of its own
} ways[] = {
    {"acquire", {begin, publish, acquire}},   {"fence", {begin, publish, fence}},
    {"exchange", {begin, publish, exchange}}, {"lock", {begin, lock, lock_again}},
    {"late", {publish, acquire, 0}},        // the location is not known before
    {"relaxed", {begin, publish, relaxed}}, // from here on each is a violation
    {"constructor", {work, constructor, 0}},  {"constructor-late", {work, constructor_late, 0}},
};
enum { QUIET = 5 };

int main(int argc, char **argv) {
  int run = 0, quiet = strcmp(argv[1], "quiet") == 0;
  seen = argc > 2;
  for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++) {
    if (quiet ? i >= QUIET : strcmp(argv[1], ways[i].name) != 0)
      continue;
    x = y = 0;
    way = i;
    in_turn(ways[i].acts[2] ? 3 : 2, ways[i].acts);
    run++;
  }
  fprintf(stderr, "%d ways\n", run);
}
