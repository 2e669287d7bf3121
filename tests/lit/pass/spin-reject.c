// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do more than wait stay as they are, at every level of optimisation, and -Rrsan says
// why. Each differs in one thing from a loop of spin-accept.c.
//
// RUN: %rsan_clang -fsanitize=robustness -O0 -S -emit-llvm -Rrsan %s -o %t.ll 2>%t.err
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK <%t.err
// RUN: %rsan_clang -fsanitize=robustness -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rsan_clang -fsanitize=robustness -O2 -S -emit-llvm -Rrsan %s -o %t.ll 2>%t.err
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK <%t.err
// RUN: %rsan_clang -fsanitize=robustness -Os -S -emit-llvm %s -o - | FileCheck %s
//
// CHECK-NOT: {{_wait_(load|exchange|compare)}}
// REMARK-NOT: is a wait

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire

atomic_int x, y;
atomic_uint u;
_Atomic double real;
_Atomic __int128 huge;
int plain;
void unknown(void);

// REMARK: remark: this loop is no wait: it has more than one way out
bool bounded(void) {
  for (int i = 0; i < 100; i++)
    if (atomic_load_explicit(&x, ACQ) == 1)
      return true;
  return false;
}

// REMARK: remark: this loop is no wait: it ends on something else than a comparison
int bounded_while(int n) {
  while (atomic_load_explicit(&x, ACQ) != 1 && --n)
    ;
  return n;
}

// REMARK: remark: this loop is no wait: something that changes from one attempt to the next is used
int counted(void) {
  int n = 0;
  while (atomic_load_explicit(&x, ACQ) != 1)
    n++;
  return n;
}

// REMARK: remark: this loop is no wait: it writes memory
void writes(void) {
  while (atomic_load_explicit(&x, ACQ) != 1)
    plain = 1;
}

// REMARK: remark: this loop is no wait: it reads other memory
void reads_plain(void) {
  while (atomic_load_explicit(&x, ACQ) != plain)
    ;
}

// REMARK: remark: this loop is no wait: it accesses more than one atomic object
void two_objects(void) {
  while (!atomic_load_explicit(&x, ACQ) && !atomic_load_explicit(&y, ACQ))
    ;
}

// REMARK: remark: this loop is no wait: it contains several accesses
void twice(void) {
  while (atomic_load_explicit(&x, ACQ) != atomic_load_explicit(&x, ACQ))
    ;
}

// REMARK: remark: this loop is no wait: it contains a call that may do something
void calls(void) {
  while (atomic_load_explicit(&x, ACQ) != 1)
    unknown();
}

// REMARK: remark: this loop is no wait: it contains a call that may do something
void assembly(void) {
  while (atomic_load_explicit(&x, ACQ) != 1)
    __asm__ volatile("mfence" ::: "memory");
}

// REMARK: remark: this loop is no wait: it contains a fence
void fences(void) {
  while (atomic_load_explicit(&x, RLX) != 1)
    atomic_thread_fence(ACQ);
}

// REMARK: remark: this loop is no wait: it writes memory
void stores(void) {
  while (atomic_load_explicit(&x, ACQ) != 1)
    atomic_store_explicit(&y, 1, RLX);
}

// REMARK: remark: this loop is no wait: it contains a read-modify-write
void adds(void) {
  while (atomic_load_explicit(&x, ACQ) != 1)
    atomic_fetch_add_explicit(&y, 1, RLX);
}

// REMARK: remark: this loop is no wait: the address changes
int list(atomic_int *p) {
  while (!atomic_load_explicit(p, ACQ))
    p++;
  return 0;
}

// REMARK: remark: this loop is no wait: the value read is compared with one that changes
void target_changes(void) {
  unsigned n = 0;
  while (atomic_load_explicit(&u, ACQ) != n)
    n = n * 5 + 1;
}

// REMARK: remark: this loop is no wait: it ends on something else than a comparison
void range(void) {
  unsigned v;
  do
    v = atomic_load_explicit(&u, ACQ);
  while (v < 3 || v > 9);
}

// REMARK: remark: this loop is no wait: it ends on something else than a comparison
void flipped_below(unsigned mask) {
  while ((atomic_load_explicit(&u, ACQ) ^ mask) < 5)
    ;
}

// REMARK: remark: this loop is no wait: the value read is compared with one that changes
void own_halves(void) {
  unsigned v;
  do
    v = atomic_load_explicit(&u, ACQ);
  while ((v >> 16) != (v & 0xffff));
}

// REMARK: remark: this loop is no wait: it ends on something else than a comparison
void floating(void) {
  while (atomic_load_explicit(&real, ACQ) < 1.0)
    ;
}

// REMARK: remark: this loop is no wait: the object is too large
void too_large(void) {
  while (atomic_load_explicit(&huge, ACQ) != 1)
    ;
}

// REMARK: remark: this loop is no wait: it does not look at the value in each round
void every_other(void) {
  for (unsigned n = 0;; n++) {
    int v = atomic_load_explicit(&x, ACQ);
    if (n & 1)
      sched_yield();
    else if (v == 1)
      return;
  }
}

// Nobody expects these to be waits.
// REMARK: remark: this loop does not wait: no value that an atomic access finds decides when it ends
void forever(void) {
  for (;;)
    atomic_load_explicit(&x, ACQ);
}
// REMARK: remark: this loop does not wait: no value that an atomic access finds decides when it ends
int sum(const atomic_int *p, int n) {
  int result = 0;
  for (int i = 0; i < n; i++)
    result += atomic_load_explicit(&p[i], ACQ);
  return result;
}

// REMARK: remark: this loop is no wait: the first read, before the loop, is not like those in it
void first_differs(void) {
  int v = atomic_load_explicit(&x, RLX);
  while (v != 1)
    v = atomic_load_explicit(&x, ACQ);
}

// REMARK: remark: this loop is no wait: the value that it writes changes
void ticket_in_exchange(void) {
  int n = 0;
  while (atomic_exchange_explicit(&x, ++n, ACQ))
    ;
}

// The bits that it sets in vain stay.
// REMARK: remark: this loop is no wait: the value that it writes changes
void more_bits(void) {
  unsigned n = 0;
  while (atomic_fetch_or_explicit(&u, ++n << 1, ACQ) & 1)
    ;
}

// REMARK: remark: this loop is no wait: it ends on something else than a comparison
int bounded_bit(int n) {
  while ((atomic_fetch_or_explicit(&u, 1, ACQ) & 1) && --n)
    ;
  return n;
}

// REMARK: remark: this loop is no wait: the value that it expects changes
void retry(void) {
  int v = atomic_load_explicit(&x, RLX);
  while (!atomic_compare_exchange_weak_explicit(&x, &v, v + 1, ACQ, RLX))
    ;
}

// REMARK: remark: this loop is no wait: the value that it expects changes
void not_reset(void) {
  int expected = 0;
  while (!atomic_compare_exchange_weak_explicit(&x, &expected, 1, ACQ, RLX))
    ;
}

// REMARK: remark: this loop is no wait: it does not end with the success of the compare-exchange
bool gives_up(void) {
  int expected = 0;
  while (!atomic_compare_exchange_weak_explicit(&x, &expected, 1, ACQ, RLX)) {
    if (expected == 2)
      return false;
    expected = 0;
  }
  return true;
}

// REMARK: remark: this loop is no wait: it does not end with the success of the compare-exchange
void ends_on_failure(void) {
  int expected;
  do
    expected = 0;
  while (atomic_compare_exchange_strong_explicit(&x, &expected, 1, ACQ, RLX));
}

// A read that is no wait of its own makes the attempt around it none.
// REMARK: remark: this loop is no wait: it has more than one way out
// REMARK: remark: this loop is no wait: a loop inside it is no wait
void bounded_read(void) {
  do
    for (int i = 0; i < 100 && atomic_load_explicit(&x, RLX); i++)
      ;
  while (atomic_exchange_explicit(&x, 1, ACQ));
}

static volatile int spins;
// REMARK: remark: this loop is no wait: it writes memory
void volatile_delay(void) {
  while (atomic_load_explicit(&x, ACQ))
    for (spins = 0; spins < 10; spins++)
      ;
}

// Nothing that it does in vain leaves the value as it is.
// REMARK: remark: this loop is no wait: it contains a read-modify-write other than exchange, fetch_or and fetch_and [-Rpass-missed=rsan]
void toggles(void) {
  while (atomic_fetch_xor_explicit(&u, 1, ACQ) & 1)
    ;
}

static int look(void) {
  unknown();
  return atomic_load_explicit(&x, ACQ);
}
static int look_again(void) {
  return look();
}
// REMARK: remark: this loop is no wait: it calls a function that is too large to look into, or does what a wait does not (look_again)
void looks(void) {
  while (look_again() != 1)
    ;
}

// No atomic access that anybody could see.
// REMARK-NOT: spin-reject.c:[[@LINE+2]]
void no_atomics(void) {
  while (plain != 1)
    unknown();
}
