// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 2+2W: each thread writes both, in opposite orders. A fence in each.

#include "two.h"

static atomic_int x, y;

static void *first(void *arg) {
  atomic_store_explicit(&x, 1, memory_order_release);
  stage_reach(1);
  stage_await(2);
  atomic_store_explicit(&y, 2, memory_order_release);
  stage_reach(3);
  return arg;
}

static void *second(void *arg) {
  stage_await(1);
  atomic_store_explicit(&y, 1, memory_order_release);
  stage_reach(2);
  stage_await(3);
  atomic_store_explicit(&x, 2, memory_order_release);
  return arg;
}

int main(void) {
  run_two(first, second);
  return 0;
}
