// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of spin-accept.c, spin-reject.c and spin-calls.c when they run. Each is half of a store
// buffering: the first thread writes the value that ends the loop and reads `noticed`, then the
// second writes `noticed` and enters the loop, where it might have read the older value.
//
// A loop that is no wait is judged by the accesses that it has: reported. The older value does not
// end a wait: silent. Judged as the others are (-rsan-spin-loops=0), it would be reported as well.
//
// RUN: %build -O0 %s -o %t
// RUN: %build -O2 %s -o %t.optimised
// RUN: %build -O1 -mllvm -rsan-spin-loops=0 %s -o %t.loads
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t rejected reported 2>&1 | FileCheck %s --check-prefix=REJECTED
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t.optimised rejected reported 2>&1 | FileCheck %s --check-prefix=REJECTED
// REJECTED: 40 loops, 0 not reported
// RUN: %t accepted silent 2>&1 | FileCheck %s --check-prefix=ACCEPTED
// RUN: %t.optimised accepted silent 2>&1 | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED-NOT: WARNING
// ACCEPTED: 45 loops, 0 not silent
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t.loads accepted reported 2>&1 | FileCheck %s --check-prefix=REPORTED
// REPORTED: 45 loops, 0 not reported
// RUN: %t unused silent 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: %t.optimised unused silent 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED-NOT: WARNING
// UNUSED: 2 loops, 0 not silent
//
// With seq_cst fences nobody reads the older value: silent, whatever the loop.
// RUN: %t rejected silent fences 2>&1 | FileCheck %s --check-prefix=FENCES
// RUN: %t.loads accepted silent fences 2>&1 | FileCheck %s --check-prefix=FENCES
// FENCES-NOT: WARNING
// FENCES: loops, 0 not silent
//
// The other way round, where the older value ends the loop and the newer one does not, a wait is
// reported too.
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t accepted reported swapped 2>&1 | FileCheck %s --check-prefix=REPORTED
// RUN: env RSAN_OPTIONS=symbolize=0 %exits 66 %t.optimised accepted reported swapped 2>&1 | FileCheck %s --check-prefix=REPORTED

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "rsan.h"
#include "turns.h"

#include "spin-accept.c"
#include "spin-calls.c"
#include "spin-reject.c"

memory_order any_order = memory_order_acquire;

void unknown(void) {
  plain++;
}

struct shape {
  const char *name;
  void (*run)(void);
  volatile void *object;
  int size;
  long going, ended; // the loop goes on at the one value and ends at the other
};

#define CALL(name, ...)                                                                            \
  static void run_##name(void) {                                                                   \
    name(__VA_ARGS__);                                                                             \
  }
CALL(bounded)
CALL(bounded_while, 5)
CALL(bounded_bit, 5)
CALL(list, &x)
CALL(flipped_below, 0)
CALL(sum, &x, 1)
CALL(gives_up)
CALL(load_argument, 7)
CALL(unsigned_above, 5)
CALL(signed_above, 5)
CALL(variable_mask, 2)
CALL(difference, 16)
CALL(not_null)
CALL(another_pointer, NULL)
CALL(read_again)
CALL(sleeps, &(struct timespec){0, 1})
CALL(fetch_or)
CALL(fetch_add_0, 0)
CALL(strong_cas, 0)
CALL(builtin_cas, (int *)&x)
static struct node self;
CALL(member, &self)

// Used, so the number of attempts is.
static void run_counted(void) {
  used = counted();
}
CALL(reads_again_otherwise)
CALL(swaps_sometimes_and_awaits, 1)
CALL(awaits_by_any_order, any_order)
CALL(reads_again)
static void run_counted_unused(void) {
  counted();
}

#define ROW(name, object, going, ended) {#name, name, &object, sizeof object, going, ended}
#define RUN(name, object, going, ended) {#name, run_##name, &object, sizeof object, going, ended}
#define ONE                             0x3ff0000000000000 // 1.0

// Without forever(), which does not end.
static const struct shape rejected[] = {
    RUN(bounded, x, 0, 1),
    RUN(bounded_while, x, 0, 1),
    RUN(counted, x, 0, 1),
    ROW(writes, x, 0, 1),
    ROW(reads_plain, x, 1, 0),
    ROW(two_objects, x, 0, 1),
    ROW(twice, x, 0, 1),
    ROW(calls, x, 0, 1),
    ROW(assembly, x, 0, 1),
    ROW(fences, x, 0, 1),
    ROW(stores, x, 0, 1),
    ROW(adds, x, 0, 1),
    RUN(list, x, 0, 1),
    ROW(target_changes, u, 7, 0),
    ROW(range, u, 0, 5),
    RUN(flipped_below, u, 0, 9),
    ROW(own_halves, u, 1, 0x10001),
    ROW(floating, real, 0, ONE),
    ROW(too_large, huge, 0, 1),
    ROW(every_other, x, 0, 1),
    RUN(sum, x, 0, 1),
    ROW(first_differs, x, 0, 1),
    ROW(ticket_in_exchange, x, 1, 0),
    ROW(more_bits, u, 1, 0),
    RUN(bounded_bit, u, 1, 0),
    ROW(retry, x, 0, 1),
    ROW(not_reset, x, 1, 0),
    RUN(gives_up, x, 1, 0),
    ROW(ends_on_failure, x, 0, 1),
    ROW(bounded_read, x, 1, 0),
    ROW(volatile_delay, x, 1, 0),
    ROW(toggles, u, 1, 0),
    ROW(looks, x, 0, 1),
    ROW(calls_counting_helper, a, 0, 1),
    RUN(reads_again_otherwise, a, 0, 1),
    ROW(awaits_value, a, 1, 2),
    ROW(awaits_other_and_swaps, a, 1, 0),
    ROW(awaits_some_and_swaps, a, 1, 0),
    RUN(swaps_sometimes_and_awaits, a, 1, 0),
    RUN(awaits_by_any_order, a, 1, 3),
};

// Without halves(), which knows the newest value from its fetch_add.
static const struct shape accepted[] = {
    ROW(load_eq, x, 0, 1),
    ROW(load_ne, x, 0, 1),
    RUN(load_argument, x, 0, 7),
    ROW(unsigned_below, u, 9, 3),
    RUN(unsigned_above, u, 2, 9),
    RUN(signed_above, wide, 2, 9),
    ROW(negative, wide, 0, -1),
    ROW(masked, u, 1, 0x10000),
    ROW(bit_set, u, 0, 4),
    RUN(variable_mask, u, 0, 2),
    ROW(upper_half, u, 0, 7 << 16),
    ROW(truncated, wide, 0, 3),
    ROW(promoted, narrow, 0, 9),
    RUN(difference, u, 0, 1),
    ROW(two_values, x, 0, 7),
    ROW(boolean, flag, 0, 1),
    RUN(not_null, pointer, 0, 1),
    RUN(another_pointer, pointer, 0, 1),
    ROW(choice, x, 0, 3),
    RUN(read_again, x, 0, 1),
    ROW(backoff, x, 1, 0),
    RUN(sleeps, x, 1, 0),
    RUN(member, self.locked, 1, 0),
    ROW(function, x, 1, 0),
    ROW(test_and_set, lock, 1, 0),
    ROW(exchange, x, 1, 0),
    RUN(fetch_or, u, 1, 0),
    ROW(fetch_and, u, 0, 4),
    RUN(fetch_add_0, x, 1, 0),
    ROW(weak_cas, x, 1, 0),
    RUN(strong_cas, x, 1, 0),
    RUN(builtin_cas, x, 1, 0),
    ROW(read_then_exchange, x, 1, 0),
    ROW(read_or_exchange, x, 1, 0),
    ROW(exchange_then_read, x, 1, 0),
    ROW(read_then_cas, x, 1, 0),
    ROW(calls_helper, a, 0, 1),
    RUN(reads_again, a, 0, 1),
    ROW(awaits, a, 0, 1),
    ROW(awaits_by_order, a, 1, 3),
    ROW(awaits_change_by_order, a, 4, 1),
    ROW(awaits_and_swaps, a, 1, 0),
    ROW(awaits_change_and_swaps, a, 1, 0),
    ROW(swaps_and_awaits, a, 1, 0),
    ROW(replaces_and_awaits, a, 1, 0),
};

// The older value ends the loop as the newer one does, and nobody uses it.
static const struct shape unused[] = {
    ROW(awaits, a, 1, 2),
    RUN(counted_unused, x, 0, 1),
};

static const struct shape *shape;
static bool fenced, swapped;
static int noticed, reports;

// Unless the loop ends by itself, its report ends it: unseen, by the value that it waits for.
UNSEEN static void on_violation(const struct rsan_violation_report *violation) {
  if (violation->access.address != shape->object)
    return;
  reports++;
  if (swapped)
    memcpy((void *)shape->object, &shape->ended, (size_t)shape->size);
}
RSAN_ON_VIOLATION(on_violation);

static void set(long value) {
  volatile void *object = shape->object;
  switch (shape->size) {
  case 1:
    STORE(*(volatile char *)object, (char)value);
    break;
  case 2:
    STORE(*(volatile short *)object, (short)value);
    break;
  case 4:
    STORE(*(volatile int *)object, (int)value);
    break;
  case 8:
    STORE(*(volatile long *)object, value);
    break;
  default:
    STORE(*(volatile __int128 *)object, value);
  }
}

static void fence(void) {
  if (fenced)
    atomic_thread_fence(memory_order_seq_cst);
}

static void one(void) {
  set(swapped ? shape->going : shape->ended);
  fence();
  LOAD(noticed);
}

static void other(void) {
  STORE(noticed, 1);
  fence();
  shape->run();
}

#define LIST(name) {#name, name, sizeof name / sizeof *name}
static const struct list {
  const char *name;
  const struct shape *shapes;
  int count;
} lists[] = {LIST(rejected), LIST(accepted), LIST(unused)};

// usage: spin-run rejected|accepted|unused reported|silent [fences|swapped]
int main(int argc, char **argv) {
  const struct list *list = lists;
  while (strcmp(argv[1], list->name))
    list++;
  bool wanted = !strcmp(argv[2], "reported");
  int count = list->count, wrong = 0;
  fenced = argc > 3 && !strcmp(argv[3], "fences");
  swapped = argc > 3 && !strcmp(argv[3], "swapped");
  alarm(120);
  for (int i = 0; i < count; i++) {
    shape = &list->shapes[i];
    reports = 0;
    set(swapped ? shape->ended : shape->going);
    one_then_other(one, other);
    if ((reports > 0) != wanted) {
      fprintf(stderr, "%s: %d reports\n", shape->name, reports);
      wrong++;
    }
  }
  fprintf(stderr, "%d loops, %d not %s\n", count, wrong, argv[2]);
}
