// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// simulate= in RSAN_OPTIONS: what a program point may look like. Both fences of store buffering,
// simulated, make it silent; one alone does not.
//
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %build %s -o %t
//
// Module and offset, as the report has them: each offset of a call, and those of other code.
// RUN: %exits 66 %t 2> report
// RUN: FileCheck %s --check-prefix=REPORT --input-file=report
// REPORT: Atomic read of size 4
// REPORT: may miss the atomic write
// RUN: sed -n 's|.*#0 .*(\(simulate[^)]*+0x[0-9a-f]*\)).*|\1|p' report > points
// RUN: sed -n '1s/^/fence-before /p;2s/^/fence-after /p' points > module
// RUN: env RSAN_OPTIONS=simulate=module:stats=1 %t 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sed 's|simulate.c.tmp+|%t+|' module > full
// RUN: env RSAN_OPTIONS=simulate=full %t 2>&1 | count 0
// RUN: sed 's|simulate.c.tmp+|tmp+|' module > part
// RUN: env RSAN_OPTIONS=simulate=part %exits 66 %t 2>&1 | FileCheck %s --check-prefixes=REPORT,NONE
// RUN: head -n 1 module > one
// RUN: env RSAN_OPTIONS=simulate=one:stats=1 %exits 66 %t 2>&1 | FileCheck %s --check-prefixes=REPORT,ONE
// BOTH-NOT: WARNING
// BOTH: repairs 2 rules
// BOTH-NEXT: unmatched 0 {{[a-z]+ .*}}
// BOTH-NEXT: simulated_fences 2 {{[a-z]+ .*}}
// BOTH-NEXT: simulated_orders 0 {{[a-z]+ .*}}
// BOTH-NEXT: forgotten_points 0 {{[a-z]+ .*}}
// BOTH-NOT: WARNING
// ONE: repairs 1 rules
// ONE-NEXT: unmatched 0 {{[a-z]+ .*}}
// ONE-NEXT: simulated_fences 1 {{[a-z]+ .*}}
// NONE: WARNING: ThreadSanitizer: 2 of the rules of part match no atomic access of this run (pid={{[0-9]+}}): lines 1, 2
//
// File and line, with and without a column; some of the path; comments and blanks.
// RUN: sed 's|^//> \{0,1\}||; t; d' %s > rules
// RUN: split-file rules lists
// RUN: env RSAN_OPTIONS=simulate=lists/lines.txt %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=simulate=lists/columns.txt %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=simulate=lists/inlined.txt %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=simulate=lists/paths.txt %t 2>&1 | count 0
// RUN: env RSAN_OPTIONS=simulate=lists/orders.txt:stats=1 %t 2>&1 | FileCheck %s --check-prefix=ORDERS
// ORDERS: simulated_fences 0 {{[a-z]+ .*}}
// ORDERS-NEXT: simulated_orders 4 {{[a-z]+ .*}}
// RUN: env RSAN_OPTIONS=simulate=lists/loads.txt %exits 66 %t 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: env RSAN_OPTIONS=simulate=lists/wrong.txt:stats=1 %exits 66 %t 2>&1 | FileCheck %s --check-prefixes=REPORT,WRONG
// WRONG: repairs 6 rules
// WRONG-NEXT: unmatched 6 rules
// WRONG-NEXT: simulated_fences 0
// WRONG: WARNING: ThreadSanitizer: 6 of the rules of lists/wrong.txt match no atomic access of this run (pid={{[0-9]+}}): lines 1, 2, 4, 5, 6, 7
//
// The shared runtime; happens-before for data races alone: the option is theirs too.
// RUN: %build -shared-libsan %s -o %t.shared
// RUN: env RSAN_OPTIONS=simulate=lists/lines.txt %t.shared 2>&1 | count 0
// RUN: env RSAN_OPTIONS=robustness=0:simulate=lists/lines.txt:stats=1 %t 2>&1 | FileCheck %s --check-prefix=FENCES
// FENCES: simulated_fences 2
//
// An empty list simulates nothing, and says nothing.
// RUN: echo '# nothing' > empty && env RSAN_OPTIONS=simulate=empty %exits 66 %t 2>&1 | FileCheck %s --check-prefixes=REPORT,EMPTY
// EMPTY-NOT: WARNING

//> //--- lines.txt
//> fence-after simulate.c:101
//> fence-after simulate.c:106
//> //--- columns.txt
//> # store buffering
//>   fence-after   simulate.c:101:3   # the first
//> fence-before runtime/simulate.c:107:3
//>
//> //--- inlined.txt
//> fence-after simulate.c:112
//> fence-after simulate.c:116:3
//> //--- paths.txt
//> fence-after ./simulate.c:101
//> fence-after lit/runtime/simulate.c:106
//> //--- orders.txt
//> order seq_cst simulate.c:101
//> order seq_cst simulate.c:102
//> order seq_cst simulate.c:106
//> order seq_cst simulate.c:107
//> //--- loads.txt
//> order seq_cst simulate.c:102
//> order seq_cst simulate.c:107
//> //--- wrong.txt
//> fence-after mulate.c:101
//> fence-after other/simulate.c:101
//>
//> fence-after simulate.c:101:4
//> fence-after simulate.c:100
//> fence-after simulate.c.tmp+0x1
//> fence-after nowhere.so+0x10

#include "access.h"
#include "turns.h"

static int x, y;

#line 99
// The list names these lines.
static inline void first_half(void) {
  STORE(x, 1);
  LOAD(y);
}

static inline void second_half(void) {
  STORE(y, 1);
  LOAD(x);
}

static void one(void) {
#line 112
  first_half();
}

static void other(void) {
  second_half();
}

int main(void) {
  one_then_other(one, other);
}
