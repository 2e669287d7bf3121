// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count_repairs=1: the rules of simulate= are counted, by executions and callers, and judged;
// nothing is simulated. Without it the same file ends the run at the rule that makes no sense.
//
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %build -O1 %s -o %t
// RUN: printf 'fence-after simulate-count.c:40\norder acquire simulate-count.c:40\norder release simulate-count.c:46\norder acquire simulate-count.c:46\nfence-before simulate-count.c:99\norder acquire simulate-count.c:47\n' > rules
// RUN: env RSAN_OPTIONS=simulate=rules:count_repairs=1:stats=1 %t 2>&1 | FileCheck %s --implicit-check-not=WARNING
// CHECK: simulated_fences 0 {{[a-z]+ .*}}
// CHECK: simulated_orders 0 {{[a-z]+ .*}}
// CHECK: {{^}}ThreadSanitizer: rules:1: 7 executions, 2 callers{{$}}
// CHECK: {{^}}ThreadSanitizer: rules:2: 7 executions, 2 callers: a store cannot be acquire
// CHECK: {{^}}ThreadSanitizer: rules:3: 1 executions, 1 callers: a load cannot be release
// CHECK: {{^}}ThreadSanitizer: rules:4: 1 executions, 1 callers{{$}}
// CHECK: {{^}}ThreadSanitizer: rules:5: 0 executions, 0 callers{{$}}
// CHECK: {{^}}ThreadSanitizer: rules:6: 1 executions, 1 callers: order acquire would weaken a read-modify-write that is acq_rel
//
// RUN: env RSAN_OPTIONS=simulate=rules not %t 2>&1 | FileCheck %s --check-prefix=MADE
// MADE: ThreadSanitizer: rules:2: a store cannot be acquire

#include <stdatomic.h>

static atomic_int x, y;

// Two callers.
__attribute__((noinline)) static void set(int value) {
#line 40
  atomic_store_explicit(&x, value, memory_order_relaxed);
}

int main(void) {
  for (int i = 0; i < 6; i++)
    set(i);
#line 46
  int last = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_fetch_add_explicit(&y, last, memory_order_acq_rel);
  set(7);
  for (int i = 0; i < 1000; i++)
    atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
}
