// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Michael and Scott's queue. One thread puts in, the other takes out; nodes are not used again.
// Too weak: a node is linked relaxed.

#include "weak.h"

enum { ITEMS = 10 };

struct node {
  int item;
  _Atomic(struct node *) next;
};

static struct node nodes[ITEMS + 1];
static _Atomic(struct node *) head = &nodes[ITEMS], tail = &nodes[ITEMS];

static void enqueue(struct node *node, int item) {
  node->item = item;
  for (;;) {
    struct node *last = LOAD(tail, acquire), *next = LOAD(last->next, acquire);
    if (next) {
      CAS(tail, &last, next, release, relaxed);
      continue;
    }
    if (CAS(last->next, &next, node, relaxed, relaxed)) {
      CAS(tail, &last, node, release, relaxed);
      return;
    }
  }
}

static int dequeue(void) {
  for (;;) {
    struct node *first = LOAD(head, acquire), *last = LOAD(tail, relaxed);
    struct node *next = LOAD(first->next, acquire);
    if (!next)
      return 0;
    if (first == last) {
      CAS(tail, &last, next, release, relaxed);
      continue;
    }
    const int item = next->item;
    if (CAS(head, &first, next, release, relaxed))
      return item;
  }
}

static void *thread(void *self) {
  intptr_t sum = 0;
  for (int i = 0; i < ITEMS; i++)
    if (self)
      sum += dequeue();
    else
      enqueue(&nodes[i], i + 1);
  return (void *)sum;
}

int main(void) {
  run_threads(2, thread);
  return 0;
}
