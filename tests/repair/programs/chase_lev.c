// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work-stealing deque of Chase and Lev in the form of Lê, Pop, Cohen and Zappa Nardelli (PPoPP
// 2013) without its two seq_cst fences; its compare-exchanges are acq_rel here, so that they are no
// fences. The owner may take, and a thief steal, the same last task. The stores of take() are
// releases: after relaxed ones a thief may know of a bottom and not of the top before it, which
// costs it a failed attempt, and which no sequentially consistent run shows.
//
// Smallest repair: their 2 fences, in take() between bottom and top, in steal() between top and
// bottom.

#include "rounds.h"

#include <stdatomic.h>

enum { TASKS = 3, SIZE = 8, EMPTY = -1, ABORT = -2 };

static atomic_long top, bottom;
static atomic_int tasks[SIZE];
static atomic_int done[ROUNDS * TASKS]; // how often each task was done

static void push(int task) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&tasks[b % SIZE], task, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_release);
  FENCE();
  long t = atomic_load_explicit(&top, memory_order_relaxed);
  int task = EMPTY;
  if (t <= b) {
    task = atomic_load_explicit(&tasks[b % SIZE], memory_order_relaxed);
    if (t < b)
      return task;
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_acq_rel,
                                                 memory_order_relaxed))
      task = EMPTY;
  }
  atomic_store_explicit(&bottom, b + 1, memory_order_release);
  return task;
}

static int steal(void) {
  long t = atomic_load_explicit(&top, memory_order_acquire);
  FENCE();
  long b = atomic_load_explicit(&bottom, memory_order_acquire);
  if (t >= b)
    return EMPTY;
  int task = atomic_load_explicit(&tasks[t % SIZE], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_acq_rel,
                                               memory_order_relaxed))
    return ABORT;
  return task;
}

static void do_task(int task) {
  if (task >= 0)
    atomic_fetch_add_explicit(&done[task], 1, memory_order_relaxed);
}

static void act(int thread, int round) {
  if (thread == 0) {
    for (int i = 0; i < TASKS; i++)
      push(round * TASKS + i);
    yield_at_random(MAX_THREADS, round); // lets the thief in
    for (int task; (task = take()) != EMPTY;)
      do_task(task);
  } else {
    for (int i = 0; i < TASKS; i++)
      do_task(steal());
  }
}

int main(void) {
  run_rounds(2, act);
  for (int task = 0; task < ROUNDS * TASKS; task++)
    check(atomic_load(&done[task]) == 1, "a task was not done once", task / TASKS);
}
