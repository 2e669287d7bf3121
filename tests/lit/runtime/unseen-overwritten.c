// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is not instrumented has left a value. A store that overwrites it has not read it, so a
// thread that reads the store has nothing of that code: the store is relaxed, so there is a data
// race. In the twin the value is read, by a read-modify-write that goes on with it.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t store 2>&1 | FileCheck %s
// RUN: %t update 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK: Read of size
// CHECK-NEXT: #0 consume
// NONE-NOT: WARNING
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "turns.h"

static atomic_int *flag;
static int data;
static bool updates;

UNSEEN static void leave_value(void) {
  __atomic_store_n((int *)flag, 7, __ATOMIC_RELAXED);
}

static void produce(void) {
  data = 1;
  if (updates)
    atomic_fetch_add_explicit(flag, 1, memory_order_relaxed);
  else
    atomic_store_explicit(flag, 8, memory_order_relaxed);
}

static void consume(void) {
  if (atomic_load_explicit(flag, memory_order_acquire) != 8 || data != 1)
    abort();
}

int main(int argc, char **argv) {
  updates = argc > 1 && strcmp(argv[1], "update") == 0;
  flag = malloc(sizeof *flag);
  atomic_store_explicit(flag, 5, memory_order_relaxed);
  leave_value();
  in_turn(2, (void (*const[])(void)){produce, consume});
  return 0;
}
