// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dekker.c repaired: an SC fence in each thread between raising the own flag and looking at the
// other's. Two SC fences have an order, so what precedes the first one is seen by what follows the
// second.
//
// Verdict: robust in every interleaving; prints nothing, exit code 0.
//  rsan-clang -fsanitize=robustness -g -O1 examples/dekker_repaired.c -o dekker && ./dekker

#include "stage.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag0;
static atomic_int flag1;
static int inside; // how many got in: plain, for the flags are to protect it

static int enter_first(void) {
  atomic_store_explicit(&flag0, 1, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  return atomic_load_explicit(&flag1, memory_order_acquire) == 0;
}

static int enter_second(void) {
  atomic_store_explicit(&flag1, 1, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  return atomic_load_explicit(&flag0, memory_order_acquire) == 0;
}

static void *first(void *arg) {
  if (enter_first())
    ++inside;
  stage_reach(1);
  return arg;
}

static void *second(void *arg) {
  stage_await(1);
  if (enter_second())
    ++inside;
  return arg;
}

int main(void) {
  pthread_t t1, t2;
  if (pthread_create(&t1, NULL, first, NULL) || pthread_create(&t2, NULL, second, NULL))
    return 2;
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  return inside > 1;
}
