// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report says `Harmless (retried)' where a load leads to nothing but a compare-exchange of the
// same object, which is repeated until it succeeds: whichever compare-exchange the value chooses,
// through wrappers, at each level of optimisation, and whether the older value is equal or another
// one. It does not say so of functions that look alike and have another way out, or give away
// what they have read, or acquire less by the compare-exchange than by the load.
//
// RUN: %build -O0 %s -o %t.O0
// RUN: %build -O2 %s -o %t.O2
// RUN: %exits 66 %t.O0 2>&1 | FileCheck %s
// RUN: %exits 66 %t.O2 2>&1 | FileCheck %s
// RUN: rm -f %t.log.*
// RUN: %exits 66 env RSAN_OPTIONS=report_format=json:log_path=%t.log %t.O2
// RUN: cat %t.log.* | FileCheck %s --check-prefix=JSON
#include "turns.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define ACQ_REL memory_order_acq_rel

enum { CLOSED = 64, BUSY = 128, OBJECTS = 24 };

struct counter {
  char before[64];
  atomic_int value;
};

struct node {
  int next;
};

static struct counter counters[OBJECTS];
static struct node nodes[OBJECTS];
static atomic_int flag, other;
static int sink, tries;

static inline bool replace(atomic_int *object, int *expected, int value) {
  return atomic_compare_exchange_weak_explicit(object, expected, value, ACQ_REL, RELAXED);
}

static inline bool replace_strong(atomic_int *object, int *expected, int value) {
  return atomic_compare_exchange_strong_explicit(object, expected, value, ACQ_REL, ACQUIRE);
}

static int closed(int value) {
  return value & CLOSED;
}

static inline int get(atomic_int *object) {
  return atomic_load_explicit(object, ACQUIRE);
}

// CHECK: #{{[0-9]}} add
// CHECK: Harmless (retried): whatever it reads, a compare-exchange
// CHECK: SUMMARY
// JSON: "function":"add"{{.*}}"class":"retried"
static int add(atomic_int *object) {
  int value = get(object);
  while (!replace(object, &value, value + 1))
    ;
  return value;
}

// CHECK: #{{[0-9]}} read_anew
// CHECK: Harmless (retried)
// CHECK: SUMMARY
// JSON: "function":"read_anew"{{.*}}"class":"retried"
static int read_anew(atomic_int *object) {
  int value;
  do {
    value = get(object);
  } while (!replace_strong(object, &value, value + 1));
  return value;
}

// The value chooses what is written, by which compare-exchange, and what comes after its success.
// CHECK: #{{[0-9]}} chooses
// CHECK: Harmless (retried)
// CHECK: SUMMARY
// JSON: "function":"chooses"{{.*}}"class":"retried"
static void chooses(atomic_int *object) {
  int value = get(object);
  for (;;) {
    bool idle = !(value & BUSY);
    if (closed(value)) {
      if (replace_strong(object, &value, value))
        return;
    } else if (replace_strong(object, &value, value | BUSY)) {
      if (idle)
        sink++;
      return;
    }
  }
}

// CHECK: #{{[0-9]}} gives_way
// CHECK: Harmless (retried)
// CHECK: SUMMARY
// JSON: "function":"gives_way"{{.*}}"class":"retried"
static void gives_way(atomic_int *object) {
  int value = get(object);
  while (!replace_strong(object, &value, value + 1))
    sched_yield();
}

// The node is nobody else's yet.
// CHECK: #{{[0-9]}} pushes
// CHECK: Harmless (retried)
// CHECK: SUMMARY
// JSON: "function":"pushes"{{.*}}"class":"retried"
static void pushes(atomic_int *object, struct node *node) {
  int value = atomic_load_explicit(object, RELAXED);
  do {
    node->next = value;
  } while (!replace(object, &value, 2));
}

// From here on nothing is said. A value that sends the caller away is not checked again.
// CHECK: #{{[0-9]}} unless_closed
// CHECK-NOT: Harmless
// JSON-NOT: "class"
static void unless_closed(atomic_int *object) {
  int value = get(object);
  for (;;) {
    if (value & CLOSED)
      return;
    if (replace_strong(object, &value, value | BUSY))
      return;
  }
}

// CHECK: #{{[0-9]}} tries_once
static bool tries_once(atomic_int *object) {
  int value = get(object);
  return replace_strong(object, &value, value + 1);
}

// CHECK: #{{[0-9]}} tries_thrice
static bool tries_thrice(atomic_int *object) {
  int value = get(object);
  for (int i = 0; i < 3; i++)
    if (replace_strong(object, &value, value + 1))
      return true;
  return false;
}

// CHECK: #{{[0-9]}} counts
static int counts(atomic_int *object) {
  int value = get(object), count = 0;
  while (!replace_strong(object, &value, value + 1))
    count++;
  return count;
}

// CHECK: #{{[0-9]}} writes_count
static void writes_count(atomic_int *object) {
  int value = get(object), count = 1;
  while (!replace_strong(object, &value, value + count))
    count++;
}

// CHECK: #{{[0-9]}} tells_failures
static void tells_failures(atomic_int *object) {
  int value = get(object);
  while (!replace_strong(object, &value, value + 1))
    tries++;
}

// CHECK: #{{[0-9]}} returns_first
static int returns_first(atomic_int *object) {
  int first = get(object), value = first;
  while (!replace_strong(object, &value, value + 1))
    ;
  return first;
}

// It acquires by the load alone.
// CHECK: #{{[0-9]}} acquires_less
static void acquires_less(atomic_int *object) {
  int value = get(object);
  while (!atomic_compare_exchange_weak_explicit(object, &value, value + 1, RELAXED, RELAXED))
    ;
}

// What is read in between may be as old.
// CHECK: #{{[0-9]}} reads_between
static void reads_between(atomic_int *object) {
  int value = get(object);
  do {
    sink = atomic_load_explicit(&other, RELAXED);
  } while (!replace_strong(object, &value, value + sink));
}

// What it writes comes from the look before the one that is checked.
// CHECK: #{{[0-9]}} uses_look_before
static void uses_look_before(atomic_int *object) {
  int before = 0, value = get(object);
  for (;;) {
    int next = before + 1;
    before = value;
    if (replace_strong(object, &value, next))
      return;
  }
}

// CHECK: #{{[0-9]}} asserts
static void asserts(atomic_int *object) {
  int value = get(object);
  do {
    if (value < 0)
      __builtin_trap();
  } while (!replace_strong(object, &value, value + 1));
}

// The load may be what orders the store after another thread's last access to the node.
// CHECK: #{{[0-9]}} pushes_acquired
static void pushes_acquired(atomic_int *object, struct node *node) {
  int value = get(object);
  do {
    node->next = value;
  } while (!replace(object, &value, 2));
}

// The older value names another node.
// CHECK: #{{[0-9]}} marks_found
static void marks_found(atomic_int *object) {
  int value = atomic_load_explicit(object, RELAXED);
  do {
    nodes[value & 7].next = 1;
  } while (!replace(object, &value, 2));
}

// Not each attempt stores there.
// CHECK: #{{[0-9]}} marks_closed
static void marks_closed(atomic_int *object, struct node *node) {
  int value = atomic_load_explicit(object, RELAXED);
  do {
    if (value & CLOSED)
      node->next = 1;
  } while (!replace(object, &value, 2));
}

// Others may see what an attempt that fails has stored.
// CHECK: #{{[0-9]}} tells
static void tells(atomic_int *object) {
  int value = atomic_load_explicit(object, RELAXED);
  do {
    atomic_store_explicit(&other, value, RELAXED);
  } while (!replace(object, &value, 2));
}

// A weak compare-exchange may fail though it finds the value.
// CHECK: #{{[0-9]}} compares_weak
// CHECK-NOT: Harmless
static void compares_weak(atomic_int *object) {
  int value = get(object), found;
  do {
    found = value;
    replace(object, &value, value + 1);
  } while (found != value);
}

static void work(void) {
  for (int i = 0; i < OBJECTS; i++)
    atomic_fetch_add_explicit(&counters[i].value, 1, RELAXED);
  atomic_load_explicit(&flag, RELAXED);
}

static void look(void) {
  struct counter *c = counters;
  atomic_store_explicit(&flag, 1, RELAXED);
  sink = add(&c++->value);
  sink = read_anew(&c++->value);
  chooses(&c++->value);
  gives_way(&c++->value);
  pushes(&c++->value, &nodes[8]);
  unless_closed(&c++->value);
  sink = tries_once(&c++->value);
  sink = tries_thrice(&c++->value);
  sink = counts(&c++->value);
  writes_count(&c++->value);
  tells_failures(&c++->value);
  sink = returns_first(&c++->value);
  acquires_less(&c++->value);
  reads_between(&c++->value);
  uses_look_before(&c++->value);
  asserts(&c++->value);
  pushes_acquired(&c++->value, &nodes[9]);
  marks_found(&c++->value);
  marks_closed(&c++->value, &nodes[10]);
  tells(&c++->value);
  compares_weak(&c++->value);
}

int main(void) {
  one_then_other(work, look);
}
