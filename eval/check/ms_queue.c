// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Michael and Scott's queue with counted links, over nodes that are there from the beginning. Two
// threads, each puts one value in and takes one out.
//
// -DWEAKENED: a node is linked relaxed; who dequeues it may find no value in it.

#include "threads.h"

#ifdef WEAKENED
#define LINK relaxed
#else
#define LINK release
#endif
#define CAS_AS(x, from, v, order) CAS(x, from, v, order)

enum { NODES = 3 };
typedef unsigned long link; // a node's number and a count; node 0 is none

static struct node {
  int value;
  _Atomic link next;
} node[NODES + 1];
static _Atomic link head = 1, tail = 1;

static link link_to(link target, link old) {
  return ((old >> 32) + 1) << 32 | target;
}
static unsigned number_in(link l) {
  return (unsigned)l;
}

static void enqueue(unsigned mine, int value) {
  node[mine].value = value;
  STORE(node[mine].next, 0, relaxed);
  for (;;) {
    link last = LOAD(tail, acquire), next = LOAD(node[number_in(last)].next, acquire);
    if (last != LOAD(tail, relaxed))
      continue;
    if (number_in(next)) {
      CAS(tail, last, link_to(number_in(next), last), release);
    } else if (CAS_AS(node[number_in(last)].next, next, link_to(mine, next), LINK)) {
      CAS(tail, last, link_to(mine, last), release);
      return;
    }
  }
}

static int dequeue(void) {
  for (;;) {
    link first = LOAD(head, acquire), last = LOAD(tail, relaxed);
    link next = LOAD(node[number_in(first)].next, acquire);
    if (first != LOAD(head, relaxed))
      continue;
    if (number_in(first) != number_in(last)) {
      const int value = node[number_in(next)].value;
      if (CAS(head, first, link_to(number_in(next), first), release))
        return value;
    } else if (!number_in(next)) {
      return 0;
    } else {
      CAS(tail, last, link_to(number_in(next), last), release);
    }
  }
}

static int taken[2];

static void *put_and_take(void *number) {
  const int self = number_of(number);
  enqueue(2 + (unsigned)self, 1 + self);
  taken[self] = dequeue();
  return NULL;
}

int main(void) {
  run_all((function *[]){put_and_take, put_and_take}, 2);
  require(taken[0] + taken[1] == 3);
  return 0;
}
