// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IRIW: two readers may disagree on which of two writes came first. A fence in each reader.

#include "two.h"

static atomic_int x, y;
static int seen[4];

static void *write_x(void *arg) {
  atomic_store_explicit(&x, 1, memory_order_release);
  stage_reach(1);
  return arg;
}

static void *write_y(void *arg) {
  stage_await(2);
  atomic_store_explicit(&y, 1, memory_order_release);
  stage_reach(3);
  return arg;
}

static void *read_x_y(void *arg) {
  stage_await(1);
  seen[0] = atomic_load_explicit(&x, memory_order_acquire);
  seen[1] = atomic_load_explicit(&y, memory_order_acquire);
  stage_reach(2);
  return arg;
}

static void *read_y_x(void *arg) {
  stage_await(3);
  seen[2] = atomic_load_explicit(&y, memory_order_acquire);
  seen[3] = atomic_load_explicit(&x, memory_order_acquire);
  return arg;
}

static void *writers(void *arg) {
  run_two(write_x, write_y);
  return arg;
}

static void *readers(void *arg) {
  run_two(read_x_y, read_y_x);
  return arg;
}

int main(void) {
  run_two(writers, readers);
  return 0;
}
