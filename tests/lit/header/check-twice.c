// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two explorations in one process, and accesses by the program between them of objects that the
// first one has left: the second one sees all that it would see as the first.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t 2>&1 | FileCheck %s
// CHECK: rsan_check: proved
// CHECK-NOT: WARNING
// CHECK: first 0
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK: second 66
// RUN: %t released 2>&1 | FileCheck %s --check-prefix=RELEASED
// RELEASED-NOT: WARNING
// RELEASED: second 0
#include <rsan.h>

#include <stdatomic.h>
#include <stdio.h>

static struct {
  _Alignas(8) atomic_int full; // the eight bytes whose accesses are kept together
  int value;
} slot;
static atomic_int other;
static int releases;

static void set_up(void *unused) {
  (void)unused;
}

static void give(void *unused) {
  (void)unused;
  slot.value = 7;
  if (releases)
    atomic_store_explicit(&slot.full, 1, memory_order_release);
  else
    atomic_store_explicit(&slot.full, 1, memory_order_relaxed);
}

static void take(void *unused) {
  (void)unused;
  if (atomic_load_explicit(&slot.full, memory_order_acquire))
    (void)*(volatile int *)&slot.value;
}

static bool empties(void *unused) {
  (void)unused;
  atomic_store_explicit(&slot.full, 0, memory_order_relaxed);
  return true;
}

int main(int argc, char **argv) {
  void (*const threads[])(void *) = {give, take};
  (void)argv;
  releases = 1;
  fprintf(stderr, "first %d\n", rsan_check(set_up, 2, threads, empties, NULL));
  atomic_exchange_explicit(&other, 1, memory_order_release); // a later write is a new one
  slot.value = 3;
  releases = argc > 1;
  fprintf(stderr, "second %d\n", rsan_check(set_up, 2, threads, empties, NULL));
  return 0;
}
