// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main thread before it creates a thread, and after it has joined all: its accesses are not
// analysed one by one, and its children know what it has done. What they miss later is found, with
// the value that the main thread left.
//
// RUN: %build -mcx16 %s -o %t
// RUN: %exits 66 env RSAN_OPTIONS=stats=1 %t relaxed 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=stats=1 %t fenced 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 66 %t unjoined 2>&1 | FileCheck %s --check-prefix=UNJOINED
// RUN: env RSAN_OPTIONS=schedule=mix:seed=1 %t fenced 2>&1 | FileCheck %s --check-prefix=SILENT
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: It would read 7 in place of 8.
// CHECK: write x {{.*}} write_both
// CHECK: write y {{.*}} write_both
// CHECK: read y {{.*}} read_both
// CHECK: read x {{.*}} read_both {{.*}} <- here
// CHECK: violations 1
// CHECK: foreign_writes 0
// NONE-NOT: WARNING
// NONE: violations 0
// NONE: foreign_writes 0
// SILENT-NOT: WARNING
// SILENT: done
// The main thread does not know the end of a thread that it has not joined.
// UNJOINED: WARNING: ThreadSanitizer: robustness violation
// UNJOINED: Atomic read of size 4 {{.*}} by main thread
// UNJOINED: may miss the atomic write of size 4 by thread
// UNJOINED: It would read 7 in place of 8.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "turns.h"

static _Atomic int x, y, flag;
static int data;
static bool fenced;

static void write_both(void) {
  atomic_store_explicit(&x, 8, memory_order_relaxed);
  atomic_store_explicit(&y, 8, fenced ? memory_order_release : memory_order_relaxed);
}

static void read_both(void) {
  atomic_load_explicit(&y, fenced ? memory_order_acquire : memory_order_relaxed);
  atomic_load_explicit(&x, memory_order_relaxed);
}

// Nothing but its creation orders a child behind what the main thread has written.
static void read_data(void) {
  if (atomic_load_explicit(&flag, memory_order_relaxed) != data)
    abort();
}

static void expect(bool right) {
  if (!right)
    abort();
}

// All operations, by a sole thread, do what they are to do.
#define OPERATE(type)                                                                              \
  do {                                                                                             \
    static _Atomic type object;                                                                    \
    type expected = 1;                                                                             \
    atomic_store(&object, 5);                                                                      \
    expect(atomic_fetch_add(&object, 3) == 5 && atomic_fetch_sub(&object, 1) == 8);                \
    expect(atomic_fetch_and(&object, 6) == 7 && atomic_fetch_or(&object, 9) == 6);                 \
    expect(atomic_fetch_xor(&object, 1) == 15 && atomic_exchange(&object, 2) == 14);               \
    expect(!atomic_compare_exchange_strong(&object, &expected, 4) && expected == 2);               \
    expect(atomic_compare_exchange_strong(&object, &expected, 4));                                 \
    expect(atomic_load(&object) == 4 && atomic_load(&object) == 4);                                \
  } while (0)

static void write_alone(int value) {
  OPERATE(char);
  OPERATE(short);
  OPERATE(int);
  OPERATE(long);
  OPERATE(__int128);
  int expected = data;
  data = value;
  expect(atomic_compare_exchange_strong_explicit(&flag, &expected, value, memory_order_relaxed,
                                                 memory_order_relaxed));
  atomic_store_explicit(&x, 7, memory_order_relaxed);
  atomic_exchange_explicit(&y, 7, memory_order_relaxed);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  fenced = strcmp(argv[1], "fenced") == 0;
  for (int value = 1; value < 4; value++) {
    write_alone(value);
    in_turn(2, (void (*const[])(void)){read_data, read_data});
  }
  if (strcmp(argv[1], "unjoined") == 0) {
    struct actor writer = {1, write_both};
    pass_turn(1);
    pthread_t thread = start(run_actor, &writer);
    await_turn(2);
    read_both();
    pthread_join(thread, NULL);
    return 0;
  }
  in_turn(2, (void (*const[])(void)){write_both, read_both});
  fprintf(stderr, "done\n");
  return 0;
}
