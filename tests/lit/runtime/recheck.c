// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report of a load says where a compare-exchange checks its value again, if nothing else is done
// with an older one: through wrappers and at each level of optimisation. It does not where the
// value is used before that, or after a failure, or by a compare-exchange at another object or of
// another value; where the older value would take another branch; or where the missed write is a
// store, which another execution may have after the compare-exchange.
//
// RUN: %build -O0 %s -o %t.O0
// RUN: %build -O2 %s -o %t.O2
// RUN: %build -O2 -flto %s -o %t.lto
// RUN: %exits 66 %t.O0 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 2>&1 | FileCheck %s
// RUN: %exits 66 %t.lto 2>&1 | FileCheck %s
// RUN: rm -f %t.log.*
// RUN: %exits 66 env RSAN_OPTIONS=report_format=json:log_path=%t.log %t.O2
// RUN: cat %t.log.* | FileCheck %s --check-prefix=JSON
#include "turns.h"

#include <stdatomic.h>
#include <stdbool.h>

#define RELAXED memory_order_relaxed

enum { OBJECTS = 20 };

struct counter {
  char before[64];
  atomic_int value;
};

static struct counter counters[OBJECTS];
static _Atomic(int *) pointers[OBJECTS];
static atomic_int flag;
static int numbers[2], sink;
static int next;

static inline int get(atomic_int *object) {
  return atomic_load_explicit(object, RELAXED);
}

static inline bool replace(atomic_int *object, int *expected, int value) {
  return atomic_compare_exchange_weak_explicit(object, expected, value, RELAXED, RELAXED);
}

static bool exchange(atomic_int *object, int expected, int value) {
  return atomic_compare_exchange_strong_explicit(object, &expected, value, RELAXED, RELAXED);
}

// CHECK: #{{[0-9]}} add {{.*}}recheck.c:[[#@LINE+8]]
// CHECK: It would read 0 in place of 1.
// CHECK: Checked again by compare-exchange at add {{.*}}recheck.c:[[#@LINE+7]]:{{[0-9]+}}: it would fail with the older value, for which there is no other use.
// CHECK: SUMMARY
// JSON: "seen":"0x1","checked_again":{"function":"add","file":"{{.*}}recheck.c","line":[[#@LINE+5]],"column":{{[0-9]+}}}
//
// The value is returned where it was found again.
static int add(struct counter *c) {
  int value = get(&c->value);
  while (!replace(&c->value, &value, value + 1))
    ;
  return value;
}

// CHECK: Checked again by compare-exchange at try_add {{.*}}recheck.c:[[#@LINE+5]]:
// CHECK: SUMMARY
// JSON: "checked_again":{"function":"try_add"
static bool try_add(struct counter *c) {
  int value = atomic_load_explicit(&c->value, RELAXED);
  return exchange(&c->value, value, value + 1);
}

// What is returned was found by the compare-exchange, whatever that does.
// CHECK: Checked again by compare-exchange at found {{.*}}recheck.c:[[#@LINE+5]]:
// CHECK: SUMMARY
// JSON: "checked_again":{"function":"found"
static int found(struct counter *c) {
  int value = get(&c->value);
  atomic_compare_exchange_strong_explicit(&c->value, &value, value + 1, RELAXED, RELAXED);
  return value;
}

// The old style, which compares itself.
// CHECK: Checked again by compare-exchange at old_style {{.*}}recheck.c:[[#@LINE+7]]:
// CHECK: SUMMARY
// JSON: "checked_again":{"function":"old_style"
static int old_style(struct counter *c) {
  int value, old;
  do {
    value = get(&c->value);
    old = __sync_val_compare_and_swap((int *)&c->value, value, value + 1);
  } while (old != value);
  return value;
}

// Neither value has that bit.
// CHECK: Checked again by compare-exchange at unless_closed {{.*}}recheck.c:[[#@LINE+8]]:
// CHECK: SUMMARY
// JSON: "checked_again":{"function":"unless_closed"
static bool unless_closed(struct counter *c) {
  int value = get(&c->value);
  do {
    if (value & 64)
      return false;
  } while (!replace(&c->value, &value, value + 1));
  return true;
}

// CHECK: Checked again by compare-exchange at swap {{.*}}recheck.c:[[#@LINE+5]]:
// CHECK: SUMMARY
// JSON: "checked_again":{"function":"swap"
static int *swap(_Atomic(int *) *pointer) {
  int *old = atomic_load_explicit(pointer, RELAXED);
  while (!atomic_compare_exchange_weak_explicit(pointer, &old, &numbers[1], RELAXED, RELAXED))
    ;
  return old;
}

// From here on nothing is said. The older value is 0, and would not get there.
// CHECK: #{{[0-9]}} unless_zero
// CHECK-NOT: Checked again
// JSON-NOT: checked_again
static bool unless_zero(struct counter *c) {
  int value = get(&c->value);
  do {
    if (value == 0)
      return false;
  } while (!replace(&c->value, &value, value + 1));
  return true;
}

// Both values leave without a compare-exchange.
// CHECK: #{{[0-9]}} unless_low
static bool unless_low(struct counter *c) {
  int value = get(&c->value);
  do {
    if (value < 5)
      return false;
  } while (!replace(&c->value, &value, value + 1));
  return true;
}

// CHECK: #{{[0-9]}} unless_many
static bool unless_many(struct counter *c, int many) {
  int value = get(&c->value);
  do {
    if (value == many)
      return false;
  } while (!replace(&c->value, &value, value + 1));
  return true;
}

// CHECK: #{{[0-9]}} stored
static void stored(struct counter *c) {
  int value = get(&c->value);
  sink = value;
  exchange(&c->value, value, value + 1);
}

// CHECK: #{{[0-9]}} returned
static int returned(struct counter *c) {
  int value = get(&c->value);
  exchange(&c->value, value, value + 1);
  return value;
}

// CHECK: #{{[0-9]}} after_failure
static int after_failure(struct counter *c) {
  int value = get(&c->value);
  return exchange(&c->value, value, value + 1) ? 0 : value;
}

// CHECK: #{{[0-9]}} dereferenced
static int *dereferenced(_Atomic(int *) *pointer) {
  int *old = atomic_load_explicit(pointer, RELAXED);
  int *new = &numbers[*old];
  atomic_compare_exchange_strong_explicit(pointer, &old, new, RELAXED, RELAXED);
  return old;
}

// CHECK: #{{[0-9]}} other_object
static bool other_object(struct counter *c, struct counter *other) {
  int value = get(&c->value);
  return exchange(&other->value, value, value + 1);
}

// CHECK: #{{[0-9]}} other_value
static bool other_value(struct counter *c) {
  int value = get(&c->value);
  return exchange(&c->value, value | 2, value + 1);
}

// The value may be the last element's.
// CHECK: #{{[0-9]}} last_element
static bool last_element(struct counter *c, int value, int count) {
  for (int i = 0; i < count; i++) {
    int last = value;
    value = get(&c[i].value);
    if (exchange(&c[i].value, last, 3))
      return true;
  }
  return false;
}

// CHECK: #{{[0-9]}} try_add_stored
// CHECK-NOT: Checked again
static bool try_add_stored(struct counter *c) {
  int value = atomic_load_explicit(&c->value, RELAXED);
  return exchange(&c->value, value, value + 1);
}

static void work(void) {
  for (int i = 0; i < OBJECTS - 1; i++) {
    atomic_fetch_add_explicit(&counters[i].value, 1, RELAXED);
    atomic_exchange_explicit(&pointers[i], numbers, RELAXED);
  }
  atomic_store_explicit(&counters[OBJECTS - 1].value, 1, RELAXED);
  atomic_load_explicit(&flag, RELAXED);
}

static void look(void) {
  struct counter *c = counters;
  atomic_store_explicit(&flag, 1, RELAXED);
  sink = add(c++);
  sink = try_add(c++);
  sink = found(c++);
  sink = old_style(c++);
  sink = unless_closed(c++);
  sink = *swap(&pointers[next++]);
  sink = unless_zero(c++);
  sink = unless_low(c++);
  sink = unless_many(c++, next + 10);
  stored(c++);
  sink = returned(c++);
  sink = after_failure(c++);
  sink = *dereferenced(&pointers[next++]);
  sink = other_object(c, c + 1);
  c += 2;
  sink = other_value(c++);
  sink = last_element(c, 7, next);
  sink = try_add_stored(&counters[OBJECTS - 1]);
}

int main(void) {
  for (int i = 0; i < OBJECTS; i++)
    atomic_init(&pointers[i], &numbers[1]);
  one_then_other(work, look);
}
