// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compare-exchange whose failure leads straight to the futex call that locks, or unlocks, with
// priority inheritance is an attempt in vain if it fails, at every level of optimisation; one whose
// value is used, or that leads elsewhere, is not.
//
// RUN: %rsan_clang -fsanitize=robustness -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -S -emit-llvm %s -o - | FileCheck %s

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ACQ memory_order_acquire
#define REL memory_order_release
#define RLX memory_order_relaxed

atomic_uint l, other;

// CHECK-LABEL: @lock(
// CHECK: __rsan_atomic32_try_compare_exchange
void lock(unsigned me) {
  unsigned none = 0;
  if (!atomic_compare_exchange_strong_explicit(&l, &none, me, ACQ, RLX))
    syscall(SYS_futex, &l, FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0);
}

// CHECK-LABEL: @unlock(
// CHECK: __rsan_atomic32_try_compare_exchange
void unlock(unsigned me) {
  if (atomic_compare_exchange_strong_explicit(&l, &me, 0, REL, RLX))
    return;
  syscall(SYS_futex, &l, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
}

// CHECK-LABEL: @elsewhere(
// CHECK-NOT: try_compare_exchange
// CHECK: ret void
void elsewhere(unsigned me) {
  unsigned none = 0;
  if (!atomic_compare_exchange_strong_explicit(&l, &none, me, ACQ, RLX))
    syscall(SYS_futex, &other, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
}

// CHECK-LABEL: @waits(
// CHECK-NOT: try_compare_exchange
// CHECK: ret void
void waits(unsigned me) {
  unsigned none = 0;
  if (!atomic_compare_exchange_strong_explicit(&l, &none, me, ACQ, RLX))
    syscall(SYS_futex, &l, FUTEX_WAIT, 1, NULL, NULL, 0);
}

// CHECK-LABEL: @tells(
// CHECK-NOT: try_compare_exchange
// CHECK: ret i32
unsigned tells(unsigned me) {
  unsigned none = 0;
  if (!atomic_compare_exchange_strong_explicit(&l, &none, me, ACQ, RLX))
    syscall(SYS_futex, &l, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
  return none;
}

// CHECK-LABEL: @later(
// CHECK-NOT: try_compare_exchange
// CHECK: ret void
void later(unsigned me) {
  unsigned none = 0;
  if (!atomic_compare_exchange_strong_explicit(&l, &none, me, ACQ, RLX)) {
    atomic_store_explicit(&other, 1, RLX);
    syscall(SYS_futex, &l, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
  }
}
