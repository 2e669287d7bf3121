// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two defects between the same two functions.

#include <stdatomic.h>

static atomic_int a, b, c, d;
static int seen_left, seen_right;

void pair_left(void) {
  atomic_store_explicit(&a, 1, memory_order_release);
  seen_left += /*@left_b*/ atomic_load_explicit(&b, memory_order_acquire);
  atomic_store_explicit(&c, 1, memory_order_release);
  seen_left += atomic_load_explicit(&d, memory_order_acquire);
}

void pair_right(void) {
  atomic_store_explicit(&b, 1, memory_order_release);
  seen_right += /*@right_a*/ atomic_load_explicit(&a, memory_order_acquire);
  atomic_store_explicit(&d, 1, memory_order_release);
  seen_right += /*@right_c*/ atomic_load_explicit(&c, memory_order_acquire);
}
