// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Treiber's stack, 2 to 16 threads: the first half pushes, the others pop. Nodes are numbers in an
// array and are not used again.
//
// Robust: a push releases the node, a pop acquires it; there is but one contended object.
// Weakened: a push is relaxed; who pops a node may find it stale.

#include "synthetic.h"

#ifdef WEAKENED
#define PUSH_ORDER memory_order_relaxed
#else
#define PUSH_ORDER memory_order_release
#endif

enum { PAIRS = MAX_THREADS * MAX_THREADS / 4, NODES = PAIRS * MAX_ROUNDS + 1 };

static struct node {
  atomic_int below, value; // below: 0 is none
} node[NODES];
static atomic_int top;

static void push(int mine) {
  int now = LOAD(top, relaxed);
  do
    STORE(node[mine].below, now, relaxed);
  while (
      !atomic_compare_exchange_weak_explicit(&top, &now, mine, PUSH_ORDER, memory_order_relaxed));
}

static int pop(void) {
  int now = LOAD(top, acquire), below;
  do {
    if (now == 0)
      return 0;
    below = LOAD(node[now].below, relaxed);
  } while (!atomic_compare_exchange_weak_explicit(&top, &now, below, memory_order_acquire,
                                                  memory_order_acquire));
  return LOAD(node[now].value, relaxed);
}

// Each pair of a pushing and a popping thread comes to `rounds` nodes.
static void thread(int self) {
  const int pushing = threads / 2, popping = threads - pushing;
  if (self < pushing) {
    for (int i = 0; i < rounds * popping; i++) {
      const int mine = 1 + self * rounds * popping + i;
      STORE(node[mine].value, mine, relaxed);
      push(mine);
    }
    return;
  }
  for (int got = 0; got < rounds * pushing;) {
    const int value = pop();
    own[self].sum += value;
    if (value != 0)
      got++;
    else
      sched_yield();
  }
}

static int right(void) {
  return all_came((long)(threads / 2) * (threads - threads / 2) * rounds);
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, right}, argc, argv);
}
