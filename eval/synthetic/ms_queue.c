// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Michael and Scott's queue, 2 to 16 threads: each enqueues and dequeues in turns. Nodes are
// numbers in an array and are not used again. With -DALL_SCHEDULES the first thread enqueues and
// the others dequeue: where each of two threads does both, `rsan check` has come to no end in
// 166,000 executions.
//
// Robust: an SC fence before each look at an end or a link.
// Weakened: without fences, and nodes are linked relaxed; who dequeues a node may find it stale.

#include "synthetic.h"

#ifdef WEAKENED
#define LINK_ORDER memory_order_relaxed
#else
#define LINK_ORDER memory_order_acq_rel
#endif

enum { NODES = MAX_THREADS * MAX_ROUNDS + 2 };

static struct node {
  atomic_int next, value; // next: 0 is none
} node[NODES];
static atomic_int head = 1, tail = 1;

static int look(atomic_int *location) {
  FENCE();
  return LOAD(*location, acquire);
}

static int change(atomic_int *location, int from, int to) {
  FENCE();
  return atomic_compare_exchange_strong_explicit(location, &from, to, LINK_ORDER,
                                                 memory_order_relaxed);
}

static void enqueue(int mine) {
  for (;;) {
    const int last = look(&tail);
    const int next = look(&node[last].next);
    if (next != 0) {
      change(&tail, last, next);
    } else if (change(&node[last].next, 0, mine)) {
      change(&tail, last, mine);
      return;
    }
  }
}

static int dequeue(void) {
  for (;;) {
    const int first = look(&head);
    const int last = look(&tail);
    const int next = look(&node[first].next);
    if (next == 0)
      return 0;
    if (first == last) {
      change(&tail, last, next);
      continue;
    }
    const int value = LOAD(node[next].value, relaxed);
    if (change(&head, first, next))
      return value;
  }
}

#ifdef ALL_SCHEDULES
#define ENQUEUES(self) ((self) == 0)
#define DEQUEUES(self) ((self) != 0)
#else
#define ENQUEUES(self) 1
#define DEQUEUES(self) 1
#endif

static void thread(int self) {
  for (int i = 0; i < rounds; i++) {
    const int mine = 2 + self * rounds + i; // 1 is the first dummy
    if (ENQUEUES(self)) {
      STORE(node[mine].value, mine - 1, relaxed);
      enqueue(mine);
    }
    if (DEQUEUES(self))
      own[self].sum += dequeue();
  }
}

static int right(void) {
  for (int left; (left = dequeue());)
    own[0].sum += left;
  return all_came(ENQUEUES(1) ? (long)threads * rounds : rounds);
}

int main(int argc, char **argv) {
  return run(&(struct program){2, MAX_THREADS, thread, right}, argc, argv);
}
