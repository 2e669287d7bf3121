// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that only wait: each shape, at every level of optimisation.
//
// RUN: %rsan_clang -fsanitize=robustness -O0 -S -emit-llvm -Rrsan %s -o %t.ll 2>%t.err
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK <%t.err
// RUN: %rsan_clang -fsanitize=robustness -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -Os -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -flto -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -flto=thin -S -emit-llvm %s -o - | FileCheck %s
//
// The option turns it off.
// RUN: %rsan_clang -fsanitize=robustness -O1 -mllvm -rsan-spin-loops=0 -Rrsan -S -emit-llvm %s -o - 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: {{_wait_|remark:}}

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire

atomic_int x;
atomic_uint u;
_Atomic long wide;
_Atomic unsigned short narrow;
_Atomic bool flag;
atomic_flag lock;
_Atomic(void *) pointer;

// CHECK-LABEL: @load_eq(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 2, i32 16, i32 -1, i32 1)
// REMARK: [[@LINE+2]]:{{.*}} remark: this loop is a wait: it ends when the value read == 1 [-Rpass=rsan]
void load_eq(void) {
  while (atomic_load_explicit(&x, ACQ) != 1)
    ;
}

// CHECK-LABEL: @load_ne(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 5, i32 17, i32 -1, i32 0)
void load_ne(void) {
  do {
    __builtin_ia32_pause();
  } while (!atomic_load(&x));
}

// CHECK-LABEL: @load_argument(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 0, i32 0, i32 -1, i32 %{{.*}})
int load_argument(int mine) {
  int found;
  while ((found = atomic_load_explicit(&x, RLX)) != mine)
    sched_yield();
  return found;
}

// CHECK-LABEL: @unsigned_below(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 19, i32 -1, i32 4)
void unsigned_below(void) {
  while (!(atomic_load_explicit(&u, ACQ) < 5))
    ;
}

// CHECK-LABEL: @unsigned_above(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 20, i32 -1, i32 %{{.*}})
void unsigned_above(unsigned old) {
  while (atomic_load_explicit(&u, ACQ) <= old)
    ;
}

// CHECK-LABEL: @signed_above(
// CHECK: @__rsan_atomic64_wait_load(ptr {{.*}}@wide, i32 2, i32 24, i64 -1, i64 %{{.*}})
void signed_above(long old) {
  while (atomic_load_explicit(&wide, ACQ) <= old)
    ;
}

// CHECK-LABEL: @negative(
// CHECK: @__rsan_atomic64_wait_load(ptr {{.*}}@wide, i32 2, i32 23, i64 -1, i64 -1)
void negative(void) {
  while (atomic_load_explicit(&wide, ACQ) >= 0)
    ;
}

// CHECK-LABEL: @masked(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 16, i32 65535, i32 0)
// REMARK: [[@LINE+2]]:{{.*}} remark: this loop is a wait: it ends when (the value read & 0xFFFF) == 0
void masked(void) {
  while (atomic_load_explicit(&u, ACQ) & 0xffff)
    ;
}

// CHECK-LABEL: @bit_set(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 17, i32 4, i32 0)
void bit_set(void) {
  while ((atomic_load_explicit(&u, ACQ) >> 2 & 1) == 0)
    ;
}

// CHECK-LABEL: @variable_mask(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 %{{.*}}, i32 %{{.*}}, i32 0)
void variable_mask(unsigned mask) {
  while (!(atomic_load_explicit(&u, ACQ) & mask))
    ;
}

// CHECK-LABEL: @halves(
// CHECK: @__tsan_atomic32_fetch_add(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 16, i32 65535, i32 %{{.*}})
void halves(void) {
  unsigned mine = atomic_fetch_add_explicit(&u, 0x10000, RLX) >> 16;
  while ((atomic_load_explicit(&u, ACQ) & 0xffff) != mine)
    ;
}

// CHECK-LABEL: @upper_half(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 16, i32 -65536, i32 458752)
void upper_half(void) {
  while (atomic_load_explicit(&u, ACQ) >> 16 != 7)
    ;
}

// CHECK-LABEL: @truncated(
// CHECK: @__rsan_atomic64_wait_load(ptr {{.*}}@wide, i32 2, i32 16, i64 255, i64 3)
void truncated(void) {
  while ((unsigned char)atomic_load_explicit(&wide, ACQ) != 3)
    ;
}

// CHECK-LABEL: @promoted(
// CHECK: @__rsan_atomic16_wait_load(ptr {{.*}}@narrow, i32 2, i32 21, i16 {{.*}}-1, i16 {{.*}}9)
void promoted(void) {
  while (atomic_load_explicit(&narrow, ACQ) < 9)
    ;
}

// How full a ring is.
// CHECK-LABEL: @difference(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@u, i32 2, i32 17, i32 -1, i32 %{{.*}})
void difference(unsigned tail) {
  while (tail - atomic_load_explicit(&u, ACQ) == 16)
    ;
}

// CHECK-LABEL: @two_values(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 2, i32 16, i32 -3, i32 5)
void two_values(void) {
  int v;
  do
    v = atomic_load_explicit(&x, ACQ);
  while (v != 5 && v != 7);
}

// CHECK-LABEL: @boolean(
// CHECK: @__rsan_atomic8_wait_load(ptr {{.*}}@flag, i32 5, i32 16, i8 {{.*}}1, i8 {{.*}}1)
void boolean(void) {
  while (!flag)
    ;
}

// CHECK-LABEL: @not_null(
// CHECK: @__rsan_atomic64_wait_load(ptr {{.*}}@pointer, i32 2, i32 1, i64 -1, i64 0)
void *not_null(void) {
  void *p;
  while ((p = atomic_load_explicit(&pointer, ACQ)) == NULL)
    ;
  return p;
}

// CHECK-LABEL: @another_pointer(
// CHECK: @__rsan_atomic64_wait_load(ptr {{.*}}@pointer, i32 2, i32 17, i64 -1, i64 %{{.*}})
void another_pointer(void *old) {
  while (atomic_load_explicit(&pointer, ACQ) == old)
    ;
}

// CHECK-LABEL: @choice(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 2, i32 16, i32 -1, i32 3)
void choice(void) {
  for (;;)
    switch (atomic_load_explicit(&x, ACQ)) {
    case 3:
      return;
    default:
      sched_yield();
    }
}

// CHECK-LABEL: @read_again(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 2, i32 0, i32 -1, i32 1)
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 2, i32 0, i32 -1, i32 1)
int read_again(void) {
  int v = atomic_load_explicit(&x, ACQ);
  while (v != 1) {
    sched_yield();
    v = atomic_load_explicit(&x, ACQ);
  }
  return v;
}

// CHECK-LABEL: @backoff(
// CHECK: @__rsan_atomic32_wait_load(
void backoff(void) {
  for (int n = 1; atomic_load_explicit(&x, ACQ); n = n < 1000 ? 2 * n : n)
    for (int i = 0; i < n; i++)
      __asm__ volatile("pause" ::: "memory");
}

// CHECK-LABEL: @sleeps(
// CHECK: @__rsan_atomic32_wait_load(
void sleeps(const struct timespec *t) {
  for (int n = 0; atomic_load_explicit(&x, ACQ); n++)
    if (n > 100)
      nanosleep(t, NULL);
}

// CHECK-LABEL: @member(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}%{{.*}}, i32 2, i32 16, i32 -1, i32 0)
struct node {
  struct node *next;
  atomic_int locked;
};
void member(struct node *n) {
  while (atomic_load_explicit(&n->locked, ACQ))
    ;
}

static bool is_free(atomic_int *l) {
  return atomic_load_explicit(l, ACQ) == 0;
}

// CHECK-LABEL: @function(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}, i32 2, i32 16, i32 -1, i32 0)
void function(void) {
  while (!is_free(&x))
    ;
}

// CHECK-LABEL: @test_and_set(
// CHECK: @__rsan_atomic8_wait_exchange(ptr {{.*}}@lock, i8 {{.*}}, i32 2, i32 0, i8 {{.*}}1, i8 {{.*}}0)
void test_and_set(void) {
  while (atomic_flag_test_and_set_explicit(&lock, ACQ))
    ;
}

// CHECK-LABEL: @exchange(
// CHECK: @__rsan_atomic32_wait_exchange(ptr {{.*}}@x, i32 {{.*}}, i32 2, i32 0, i32 -1, i32 0)
void exchange(void) {
  while (atomic_exchange_explicit(&x, 1, ACQ) != 0)
    sched_yield();
}

// A read-modify-write that leaves the value as it is when it fails.
// CHECK-LABEL: @fetch_or(
// CHECK: @__rsan_atomic32_wait_fetch_or(ptr {{.*}}@u, i32 {{.*}}, i32 2, i32 0, i32 1, i32 0)
// REMARK: [[@LINE+3]]:{{.*}} remark: this loop is a wait: it ends when (the value found & 0x1) == 0
unsigned fetch_or(void) {
  unsigned old;
  while ((old = atomic_fetch_or_explicit(&u, 1, ACQ)) & 1)
    sched_yield();
  return old;
}

// CHECK-LABEL: @fetch_and(
// CHECK: @__rsan_atomic32_wait_fetch_and(ptr {{.*}}@u, i32 {{.*}}, i32 5, i32 1, i32 4, i32 0)
void fetch_and(void) {
  while (!(atomic_fetch_and(&u, ~4u) & 4))
    ;
}

// What changes nothing is a read, whatever it is called.
// CHECK-LABEL: @fetch_add_0(
// CHECK: @__rsan_atomic32_wait_fetch_or(ptr {{.*}}@x, i32 0, i32 2, i32 0, i32 -1, i32 %{{.*}})
void fetch_add_0(int mine) {
  while (atomic_fetch_add_explicit(&x, 0, ACQ) != mine)
    ;
}

// CHECK-LABEL: @weak_cas(
// CHECK: @__rsan_atomic32_wait_compare_exchange(ptr {{.*}}@x, i32 {{.*}}, i32 {{.*}}, i32 2, i32 0)
// REMARK: [[@LINE+3]]:{{.*}} remark: this loop is a wait: it ends when the compare-exchange succeeds
void weak_cas(void) {
  int expected = 0;
  while (!atomic_compare_exchange_weak_explicit(&x, &expected, 1, ACQ, RLX))
    expected = 0;
}

// CHECK-LABEL: @strong_cas(
// CHECK: @__rsan_atomic32_wait_compare_exchange(
void strong_cas(int mine) {
  for (;;) {
    int expected = mine;
    if (atomic_compare_exchange_strong(&x, &expected, mine + 1))
      break;
    sched_yield();
  }
}

// CHECK-LABEL: @builtin_cas(
// CHECK: @__rsan_atomic32_wait_compare_exchange(
void builtin_cas(int *p) {
  while (!__sync_bool_compare_and_swap(p, 0, 1))
    ;
}

// The read comes first: it stays part of the run.
// CHECK-LABEL: @read_then_exchange(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 0, i32 16, i32 -1, i32 0)
// CHECK: @__rsan_atomic32_wait_exchange(ptr {{.*}}@x, i32 {{.*}}, i32 2, i32 0, i32 -1, i32 0)
// REMARK: remark: this loop is a wait: it ends when the value read == 0 and then the value exchanged == 0
void read_then_exchange(void) {
  do {
    while (atomic_load_explicit(&x, RLX))
      ;
  } while (atomic_exchange_explicit(&x, 1, ACQ));
}

// CHECK-LABEL: @read_or_exchange(
// CHECK: @__rsan_atomic32_wait_load(ptr {{.*}}@x, i32 0, i32 16, i32 -1, i32 0)
// CHECK: @__rsan_atomic32_wait_exchange(
void read_or_exchange(void) {
  while (atomic_load_explicit(&x, RLX) || atomic_exchange_explicit(&x, 1, ACQ))
    ;
}

// The read follows an attempt in vain, and goes with it.
// CHECK-LABEL: @exchange_then_read(
// CHECK-NOT: wait_load
// CHECK: @__rsan_atomic32_wait_exchange(
// CHECK-NOT: wait_load
// CHECK: @__rsan_atomic32_peek(
void exchange_then_read(void) {
  while (atomic_exchange_explicit(&x, 1, ACQ))
    while (atomic_load_explicit(&x, RLX))
      ;
}

// CHECK-LABEL: @read_then_cas(
// CHECK: @__rsan_atomic32_wait_load(
// CHECK: @__rsan_atomic32_wait_compare_exchange(
void read_then_cas(void) {
  for (;;) {
    int v = atomic_load_explicit(&x, RLX);
    if (v == 0 && atomic_compare_exchange_weak_explicit(&x, &v, 1, ACQ, RLX))
      return;
    sched_yield();
  }
}
