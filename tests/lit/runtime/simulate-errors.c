// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of simulated repairs that is no such list: one line that names the place and the reason,
// and the program does not start; for orders that make no sense at their point, it ends there.
//
// DEFINE: %{once} = --implicit-check-not=ThreadSanitizer --implicit-check-not={{^}}end
// DEFINE: %{fails} = sh %S/Inputs/exits 66 %t 2>&1
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %build %s -o %t
// RUN: printf 'fence-after simulate-errors.c:90\n' > good
// RUN: env RSAN_OPTIONS=simulate=good %t 2>&1 | FileCheck %s --check-prefix=GOOD
// GOOD: end
//
// RUN: env RSAN_OPTIONS=simulate=missing %{fails} | FileCheck %s --check-prefix=MISSING %{once}
// MISSING: {{^}}ThreadSanitizer: simulate=missing in RSAN_OPTIONS: the file cannot be read (error 2)
// RUN: env RSAN_OPTIONS=simulate=. %{fails} | FileCheck %s --check-prefix=FOLDER %{once}
// FOLDER: {{^}}ThreadSanitizer: simulate=. in RSAN_OPTIONS: the file cannot be read (error 21)
// RUN: truncate -s 20M big && env RSAN_OPTIONS=simulate=big %{fails} | FileCheck %s --check-prefix=BIG %{once}
// BIG: {{^}}ThreadSanitizer: simulate=big in RSAN_OPTIONS: longer than 16 MiB
//
// RUN: printf '# a\n\nfence a.c:1\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=WORD %{once}
// WORD: {{^}}ThreadSanitizer: bad:3: 'fence' begins no rule: fence-before POINT, fence-after POINT or order ORDER POINT
// RUN: printf 'order strong a.c:1\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=ORDER %{once}
// RUN: printf 'order relaxed a.c:1\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=ORDER %{once}
// RUN: printf 'order\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=ORDER %{once}
// ORDER: {{^}}ThreadSanitizer: bad:1: '{{(strong|relaxed)?}}' is no order: acquire, release, acq_rel or seq_cst
//
// RUN: printf 'fence-after\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a.c' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a.c:\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a.c:0\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a.c:-1\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a.c:99999999999\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after :1\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a.c:1 b.c:2x\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a+10\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after +0x10\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a+0x\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a+0x1g\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// RUN: printf 'fence-after a+0x11112222333344445\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=POINT %{once}
// POINT: {{^}}ThreadSanitizer: bad:1: '{{.*}}' is no program point: module+0xOFFSET or file:LINE[:COLUMN]
//
// What a terminal would act on is not printed.
// RUN: printf 'fence-after a.c:1\n\033[1mbold\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=ESCAPE %{once}
// ESCAPE: {{^}}ThreadSanitizer: bad:2: '\x1b[1mbold' begins no rule
// RUN: printf 'fence-after a.c:1\0 b\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=ZERO %{once}
// ZERO: {{^}}ThreadSanitizer: bad:1: 'fence-after a.c:1' is followed by a zero byte: not a text file
// RUN: env RSAN_OPTIONS=simulate=%t %{fails} | FileCheck %s --check-prefix=ONCE %{once}
// ONCE: {{^}}ThreadSanitizer: {{.*}}:1: '{{.*}}' is followed by a zero byte: not a text file
//
// Lines without a symbolizer; modules need none.
// RUN: env RSAN_OPTIONS=simulate=good:symbolize=0 %{fails} | FileCheck %s --check-prefix=SYMBOLIZER %{once}
// RUN: env RSAN_OPTIONS=simulate=good:external_symbolizer_path=/missing %{fails} | FileCheck %s --check-prefix=SYMBOLIZER %{once}
// SYMBOLIZER: {{^}}ThreadSanitizer: good:1: file:LINE needs a symbolizer
// RUN: printf 'fence-after a+0x10\n' > module && env RSAN_OPTIONS=simulate=module:symbolize=0 %t 2>&1 | FileCheck %s --check-prefix=GOOD
//
// Orders are only raised, to such as the access can have.
// RUN: printf '\norder acquire simulate-errors.c:90\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=STORE %{once}
// STORE: {{^}}ThreadSanitizer: bad:2: a store cannot be acquire: the point needs another order, or a column
// RUN: printf 'order release simulate-errors.c:91\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=LOAD %{once}
// LOAD: {{^}}ThreadSanitizer: bad:1: a load cannot be release: the point needs another order, or a column
// RUN: printf 'order acquire simulate-errors.c:92\n' > bad && env RSAN_OPTIONS=simulate=bad %{fails} | FileCheck %s --check-prefix=WEAKER %{once}
// WEAKER: {{^}}ThreadSanitizer: bad:1: order acquire would weaken a read-modify-write that is acq_rel
// RUN: printf 'order release simulate-errors.c:93\n' > more && env RSAN_OPTIONS=simulate=more:stats=1 %t 2>&1 | FileCheck %s --check-prefixes=GOOD,BOTH
// BOTH: simulated_orders 1 {{[a-z]+ .*}}
// RUN: printf 'order acquire simulate-errors.c:91\norder release simulate-errors.c:90\norder acq_rel simulate-errors.c:92\norder release simulate-errors.c:93\norder acquire simulate-errors.c:93\norder acq_rel simulate-errors.c:94\n' > orders
// RUN: env RSAN_OPTIONS=simulate=orders:stats=1 %t 2>&1 | FileCheck %s --check-prefixes=GOOD,RAISED
// RAISED: simulated_orders 4 {{[a-z]+ .*}}

#include <stdio.h>

static int x;

int main(void) {
  int expected = 1;
#line 90
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
  __atomic_load_n(&x, __ATOMIC_RELAXED);
  __atomic_fetch_add(&x, 0, __ATOMIC_ACQ_REL);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  __atomic_compare_exchange_n(&x, &expected, 2, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  fputs("end\n", stderr);
}
