// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chase and Lev's work-stealing deque, 2 to 16 threads: thread 0 pushes and takes, the others
// steal. No index is wrapped around, so the array is never too small.
//
// Robust: an SC fence before each look at an end that another thread moves.
// Weakened: without those fences; owner and thief may get the same item.

#include "synthetic.h"

enum { EMPTY = 0, LOST = -1 }; // items count from 1

static atomic_int top, bottom, item[2 * MAX_ROUNDS];

static int move_top(int from) {
  FENCE();
  return atomic_compare_exchange_strong_explicit(&top, &from, from + 1, memory_order_acq_rel,
                                                 memory_order_acquire);
}

static void push(int value) {
  const int b = LOAD(bottom, relaxed);
  STORE(item[b], value, relaxed);
  STORE(bottom, b + 1, release);
}

static int take(void) {
  const int b = LOAD(bottom, relaxed) - 1;
  STORE(bottom, b, release);
  FENCE();
  const int t = LOAD(top, acquire);
  int value = EMPTY;
  if (t <= b)
    value = LOAD(item[b], relaxed);
  if (t < b)
    return value;
  if (t == b && !move_top(t))
    value = EMPTY;
  STORE(bottom, b + 1, release);
  return value;
}

static int steal(void) {
  FENCE();
  const int t = LOAD(top, acquire);
  FENCE();
  if (t >= LOAD(bottom, acquire))
    return EMPTY;
  const int value = LOAD(item[t], relaxed);
  return move_top(t) ? value : LOST;
}

static void push_and_take(void) {
  int value;
  for (int i = 0; i < rounds; i++) {
    push(2 * i + 1);
    push(2 * i + 2);
    if ((value = take()) > 0)
      own[0].sum += value;
    sched_yield();
  }
  while ((value = take()) > 0)
    own[0].sum += value;
}

static void thread(int self) {
  if (self == 0) {
    push_and_take();
    return;
  }
  for (int i = 0; i < rounds; i++) {
    const int value = steal();
    if (value > 0)
      own[self].sum += value;
    else
      sched_yield();
  }
}

static int right(void) {
  return all_came(2L * rounds);
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, right}, argc, argv);
}
