// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a seq_cst access is, by seq_cst=exact, fence and acq_rel: each program in one interleaving.
//
// RUN: %build %s -o %t
// RUN: %build -DREPAIRED %s -o %t.repaired
//
// A relaxed store, then a seq_cst load, in both threads: no order of the two loads forbids that
// both miss the other's store. A fence before each would.
// RUN: env RSAN_OPTIONS=seq_cst=exact %exits 66 %t loads 2>&1 | FileCheck %s --check-prefix=LOADS
// RUN: env RSAN_OPTIONS=seq_cst=exact:clocks=explicit %exits 66 %t loads 2>&1 | FileCheck %s --check-prefix=LOADS
// RUN: env RSAN_OPTIONS=seq_cst=exact:history=exact %exits 66 %t loads 2>&1 | FileCheck %s --check-prefix=LOADS
// RUN: env RSAN_OPTIONS=seq_cst=acq_rel %exits 66 %t loads 2>&1 | FileCheck %s --check-prefix=LOADS
// RUN: env RSAN_OPTIONS=seq_cst=fence %t loads 2>&1 | count 0
// LOADS: Atomic read of size 4 at {{.*}} (memory_order_seq_cst):
// LOADS: may miss the atomic write of size 4 {{.*}} (memory_order_relaxed):
// LOADS: #0 loads_one {{.*}}:[[#ONE:]]:3
// LOADS: It would read 0 in place of 1.
// LOADS: Suggested repair: atomic_thread_fence(memory_order_seq_cst) after {{.*}}:[[#ONE]]:3 and after {{.*}}:[[#ONE+5]]:3
// RUN: env RSAN_OPTIONS=seq_cst=exact %t.repaired loads 2>&1 | count 0
//
// All of it seq_cst: robust, and not by acquire and release.
// RUN: env RSAN_OPTIONS=seq_cst=exact %t all 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=fence %t all 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=acq_rel %exits 66 %t all 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: robustness violation
//
// One relaxed load: not robust. (With fences this shows if the other thread is the first one.)
// RUN: env RSAN_OPTIONS=seq_cst=exact %exits 66 %t one-relaxed 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: env RSAN_OPTIONS=seq_cst=fence %t one-relaxed 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=fence %exits 66 %t relaxed-first 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: env RSAN_OPTIONS=seq_cst=exact %exits 66 %t relaxed-first 2>&1 | FileCheck %s --check-prefix=REPORT
//
// seq_cst accesses of different objects order nothing: the relaxed load at the end misses what no
// conflict has brought there either.
// RUN: env RSAN_OPTIONS=seq_cst=exact %t apart 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=fence %t apart 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=acq_rel %t apart 2>&1 | count 0
//
// A seq_cst load that is repeated, after the thread has read something else by a seq_cst load; and
// one that was relaxed before. What it has read may be missed by the reader, and not by the last.
// RUN: env RSAN_OPTIONS=seq_cst=exact %exits 66 %t repeated 2>&1 | FileCheck %s --check-prefix=READER
// RUN: env RSAN_OPTIONS=seq_cst=exact %exits 66 %t stronger 2>&1 | FileCheck %s --check-prefix=READER
// READER: (memory_order_seq_cst):
// READER-NEXT: #0 {{repeated|stronger}}_reader
// READER-NOT: #0 repeated_last
// READER: reported 1 warnings
// RUN: env RSAN_OPTIONS=seq_cst=acq_rel %exits 66 %t repeated 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: env RSAN_OPTIONS=seq_cst=acq_rel %exits 66 %t stronger 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: Atomic read {{.*}} by thread T3 (memory_order_seq_cst):
// LAST-NEXT: #0 repeated_last
// LAST: reported 2 warnings
//
// A fence that was passed before the first seq_cst access orders as well.
// RUN: env RSAN_OPTIONS=seq_cst=exact %t early 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=exact:history=exact %t early 2>&1 | count 0
// RUN: env RSAN_OPTIONS=seq_cst=acq_rel %exits 66 %t early 2>&1 | FileCheck %s --check-prefix=REPORT
//
// RUN: env RSAN_OPTIONS=seq_cst=strict not %t loads 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: ThreadSanitizer: seq_cst=strict in {{.*}}: must be exact, fence or acq_rel
// BAD-NOT: {{.}}
// RUN: env RSAN_OPTIONS=help=1 %t all 2>&1 | FileCheck %s --check-prefix=HELP
// HELP: What a seq_cst access is{{.*}} exact: part of C++20's single total order.
#include <string.h>

#include "access.h"
#include "turns.h"

#define SC_LOAD(x)     __atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define SC_STORE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_SEQ_CST)

#ifdef REPAIRED
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCE()
#endif

static int x, y, z, v, w;

// clang-format off
static void loads_one(void) {
  STORE(x, 1); FENCE();
  SC_LOAD(y);
}
static void loads_other(void) {
  // (five lines on)
  STORE(y, 1); FENCE();
  SC_LOAD(x);
}
// clang-format on

static void all_one(void) {
  SC_STORE(x, 1);
  SC_LOAD(y);
}
static void all_other(void) {
  SC_STORE(y, 1);
  SC_LOAD(x);
}
static void relaxed_other(void) {
  SC_STORE(y, 1);
  LOAD(x);
}

static void apart_writer(void) {
  STORE(y, 1);
  STORE(z, 1);
}
static void apart_reader(void) {
  LOAD(z);
  SC_LOAD(w);
}
static void apart_last(void) {
  SC_LOAD(v);
  LOAD(y);
}

// The reader knows by the relaxed w what comes before it in every SC run, so that its own seq_cst
// load of z brings nothing new but in the order of seq_cst accesses.
static void repeated_writer(void) {
  SC_STORE(z, 1);
  STORE(w, 1);
}
static void repeated_reader(void) {
  LOAD(w);
  SC_LOAD(x);
  SC_LOAD(z);
  SC_LOAD(x);
}
static void stronger_reader(void) {
  LOAD(w);
  SC_LOAD(z);
  LOAD(x);
  SC_LOAD(x);
}
static void repeated_last(void) {
  SC_STORE(x, 1);
  SC_LOAD(z);
}

static void early_one(void) {
  STORE(x, 1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  LOAD(y);
}

static void run(const char *name, const char *wanted, void (*one)(void), void (*two)(void),
                void (*three)(void)) {
  void (*const acts[])(void) = {one, two, three};
  if (strcmp(name, wanted) == 0)
    in_turn(three ? 3 : 2, acts);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  run(argv[1], "loads", loads_one, loads_other, NULL);
  run(argv[1], "all", all_one, all_other, NULL);
  run(argv[1], "one-relaxed", all_one, relaxed_other, NULL);
  run(argv[1], "relaxed-first", relaxed_other, all_one, NULL);
  run(argv[1], "apart", apart_writer, apart_reader, apart_last);
  run(argv[1], "repeated", repeated_writer, repeated_reader, repeated_last);
  run(argv[1], "stronger", repeated_writer, stronger_reader, repeated_last);
  run(argv[1], "early", early_one, all_other, NULL);
}
