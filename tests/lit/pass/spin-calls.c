// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that wait by calling functions, as programs do whose atomics are in wrappers of their own.
// Each is followed by twins that do more than wait. spin-run.c runs them.
//
// RUN: %rsan_clang -fsanitize=robustness -O0 -S -emit-llvm -Rrsan %s -o %t.ll 2>%t.err
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK <%t.err
// RUN: %rsan_clang -fsanitize=robustness -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -flto=thin -S -emit-llvm %s -o - | FileCheck %s

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
  atomic_int value;
} wrapped;

wrapped a, b;
int used;

static inline int get(wrapped *w) {
  return atomic_load_explicit(&w->value, memory_order_acquire);
}

static inline int get_relaxed(wrapped *w) {
  return atomic_load_explicit(&w->value, memory_order_relaxed);
}

static inline int swap(wrapped *w, int value) {
  return atomic_exchange_explicit(&w->value, value, memory_order_acquire);
}

static inline int replace(wrapped *w, int expected, int value) {
  atomic_compare_exchange_strong_explicit(&w->value, &expected, value, memory_order_acquire,
                                          memory_order_relaxed);
  return expected;
}

static inline bool is_done(wrapped *w) {
  return get(w) == 1;
}

static inline void await_eq(wrapped *w, int value) {
  while (get_relaxed(w) != value)
    sched_yield();
}

static inline int await_neq(wrapped *w, int old) {
  int found = get(w);
  while (found == old) {
    sched_yield();
    found = get(w);
  }
  return found;
}

static inline int await_some(wrapped *w, int value) {
  int n = 0;
  while (n < 3 && get_relaxed(w) != value)
    n++;
  return n;
}

// CHECK-LABEL: @calls_helper(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 16, i32 -1, i32 1)
// REMARK: [[@LINE+2]]:{{.*}} remark: this loop is a wait: it ends when the value read == 1
void calls_helper(void) {
  while (!is_done(&a))
    sched_yield();
}

// The function does something else, too.
static inline bool is_done_counted(wrapped *w) {
  used = 1;
  return get(w) == 1;
}
// CHECK-LABEL: @calls_counting_helper(
// CHECK-NOT: _wait_
// REMARK: [[@LINE+2]]:{{.*}} remark: this loop is no wait: it writes memory
void calls_counting_helper(void) {
  while (!is_done_counted(&a))
    sched_yield();
}

// The first read is a call of its own, in front of the loop.
// CHECK-LABEL: @reads_again(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 1, i32 -1, i32 0)
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 1, i32 -1, i32 0)
int reads_again(void) {
  int found = get(&a);
  while (!found) {
    sched_yield();
    found = get(&a);
  }
  return found;
}

// It is of another order.
// CHECK-LABEL: @reads_again_otherwise(
// CHECK-NOT: _wait_
// REMARK: remark: this loop is no wait: the first read, before the loop, is not like those in it
int reads_again_otherwise(void) {
  int found = get_relaxed(&a);
  while (!found) {
    sched_yield();
    found = get(&a);
  }
  return found;
}

// Nobody uses the value that it returns: it serves the condition alone (16 is added).
// CHECK-LABEL: @awaits(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 17, i32 -1, i32 0)
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 17, i32 -1, i32 0)
// REMARK: [[@LINE+2]]:{{.*}} remark: this loop is a wait: it ends when the value read != 0
void awaits(void) {
  await_neq(&a, 0);
}

// Somebody does: an older value that is good enough as well would be seen.
// CHECK-LABEL: @awaits_value(
// CHECK-NOT: i32 17, i32 -1
// CHECK: ret void
void awaits_value(void) {
  used = await_neq(&a, 0);
}

static inline void await_by(wrapped *w, int value, memory_order order) {
  while (atomic_load_explicit(&w->value, order) != value)
    sched_yield();
}

static inline int get_by(wrapped *w, memory_order order) {
  return atomic_load_explicit(&w->value, order);
}

static inline int await_neq_by(wrapped *w, int old, memory_order order) {
  int found;
  while ((found = get_by(w, order)) == old)
    sched_yield();
  return found;
}

// The order is a parameter of the function that waits.
// CHECK-LABEL: @awaits_by_order(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 16, i32 -1, i32 3)
// REMARK: [[@LINE+2]]:{{.*}} remark: this loop is a wait: it ends when the value read == 3
void awaits_by_order(void) {
  await_by(&a, 3, memory_order_acquire);
}

// And of the one that that calls; somebody uses the value.
// CHECK-LABEL: @awaits_change_by_order(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 0, i32 1, i32 -1, i32 4)
// REMARK: [[@LINE+2]]:{{.*}} remark: this loop is a wait: it ends when the value read != 4
void awaits_change_by_order(void) {
  used = await_neq_by(&a, 4, memory_order_relaxed);
}

// Nobody knows it here: there are several accesses.
// REMARK: remark: this loop is no wait: it contains an access for each memory order; where a call
// REMARK-SAME: of the function gives it as a constant, that is looked at by itself
// CHECK-LABEL: @awaits_by_any_order(
// CHECK-NOT: _wait_
// CHECK: ret void
void awaits_by_any_order(memory_order order) {
  await_by(&a, 3, order);
}

// CHECK-LABEL: @awaits_and_swaps(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 0, i32 16, i32 -1, i32 0)
// CHECK: @__rsan_atomic32_wait_exchange(ptr {{.*}}, i32 {{.*}}, i32 2, i32 0, i32 -1, i32 0)
// REMARK: [[@LINE+4]]:{{.*}} remark: this loop is a wait: it ends when the value read == 0
// REMARK: [[@LINE+4]]:{{.*}} remark: this loop is a wait: it ends when the value exchanged == 0
void awaits_and_swaps(void) {
  while (1) {
    await_eq(&a, 0);
    if (!swap(&a, 1))
      return;
  }
}

// It waits for another object: what it has read there is not overwritten by the exchange.
// CHECK-LABEL: @awaits_other_and_swaps(
// CHECK-NOT: wait_exchange
// REMARK: remark: this loop is no wait: it accesses more than one atomic object
void awaits_other_and_swaps(void) {
  while (1) {
    await_eq(&b, 0);
    if (!swap(&a, 1))
      return;
  }
}

// It gives up waiting.
// CHECK-LABEL: @awaits_some_and_swaps(
// CHECK-NOT: wait_exchange
// REMARK: remark: this loop is no wait: a loop inside it is no wait
void awaits_some_and_swaps(void) {
  while (1) {
    await_some(&a, 0);
    if (!swap(&a, 1))
      return;
  }
}

// The wait reads again: one of its reads is the good one, and comes first in each round.
// CHECK-LABEL: @awaits_change_and_swaps(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 17, i32 -1, i32 1)
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 17, i32 -1, i32 1)
// CHECK: @__rsan_atomic32_wait_exchange(ptr {{.*}}, i32 {{.*}}, i32 2, i32 0, i32 -1, i32 0)
void awaits_change_and_swaps(void) {
  do
    await_neq(&a, 1);
  while (swap(&a, 1));
}

// What it found decides, too.
// CHECK-LABEL: @awaits_value_and_swaps(
// CHECK-NOT: wait_exchange
// REMARK: remark: this loop is no wait: it has more than one way out
void awaits_value_and_swaps(void) {
  while (1) {
    if (await_neq(&a, 1) == 3)
      return;
    if (!swap(&a, 1))
      return;
  }
}

// The reads follow an exchange in vain and go with it.
// CHECK-LABEL: @swaps_and_awaits(
// CHECK-NOT: wait_load
// CHECK: @__rsan_atomic32_wait_exchange(
// CHECK: @__rsan_atomic32_peek(
// CHECK: @__rsan_atomic32_peek(
// CHECK: ret void
void swaps_and_awaits(void) {
  while (swap(&a, 1))
    await_neq(&a, 1);
}

// CHECK-LABEL: @replaces_and_awaits(
// CHECK: @__rsan_atomic32_wait_compare_exchange(
// CHECK: @__rsan_atomic32_peek(
void replaces_and_awaits(void) {
  while (replace(&a, 0, 1) != 0)
    await_eq(&a, 0);
}

// The reads go with an exchange that some rounds do not have.
// CHECK-LABEL: @swaps_sometimes_and_awaits(
// CHECK-NOT: {{wait_exchange|peek}}
// CHECK: ret void
// REMARK: remark: this loop is no wait
void swaps_sometimes_and_awaits(int n) {
  for (;; n++) {
    if ((n & 1) && !swap(&a, 1))
      return;
    await_eq(&a, 0);
  }
}
