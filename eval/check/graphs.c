// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// graphs chase-lev|ms-queue|treiber: a small test of a data structure for rsan_check(). Somebody
// has each element, and nobody else has it.

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "rsan.h"

enum { THREADS = 3, VALUES = 8 };

static int values;           // 1 to this one
static int got[2 * THREADS]; // 0: nothing

static void have(int i, int value) {
  got[i] = value;
}
static bool are_had_once(void *unused) {
  int times[VALUES] = {0}, once = 0;
  (void)unused;
  for (int i = 0; i < 2 * THREADS; i++)
    times[got[i]]++;
  for (int value = 1; value <= values; value++)
    once += times[value] == 1;
  return once == values;
}

// -- Chase and Lev's deque: the owner pushes two and takes two, a thief steals two, another one --

static atomic_int top, bottom;
static atomic_int item[2];

static void set_up_deque(void *unused) {
  (void)unused;
  memset(got, 0, sizeof got);
  atomic_init(&top, 0);
  atomic_init(&bottom, 0);
  atomic_init(&item[0], 0);
  atomic_init(&item[1], 0);
}
static void push(int value) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&item[b], value, memory_order_relaxed);
  atomic_store_explicit(&bottom, b + 1, memory_order_release);
}
static int move_top(int t) {
  return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                 memory_order_relaxed);
}
static int take(void) {
  // (Released: a thief that reads this store has to see the items, which push() has released.)
  int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1, value = 0;
  atomic_store_explicit(&bottom, b, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t <= b)
    value = atomic_load_explicit(&item[b], memory_order_relaxed);
  if (t == b && !move_top(t))
    value = 0;
  if (t >= b)
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
  return value;
}
static int steal(void) {
  int t = atomic_load_explicit(&top, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  if (t >= atomic_load_explicit(&bottom, memory_order_acquire))
    return 0;
  int value = atomic_load_explicit(&item[t], memory_order_relaxed);
  return move_top(t) ? value : 0;
}
static void own(void *unused) {
  (void)unused;
  push(1);
  push(2);
  have(0, take());
  have(1, take());
}
static void steal_twice(void *unused) {
  (void)unused;
  have(2, steal());
  have(3, steal());
}
static void steal_once(void *unused) {
  (void)unused;
  have(4, steal());
}

// A thread that puts a value into a structure and takes one out.
#define THREAD(name, value, put, take)                                                             \
  static void name(void *unused) {                                                                 \
    (void)unused;                                                                                  \
    put(value);                                                                                    \
    have(value - 1, take());                                                                       \
  }

// -- Michael and Scott's queue: each thread enqueues one and dequeues one --

struct node {
  int value;
  _Atomic(struct node *) next;
};
static _Atomic(struct node *) head, tail;

static void set_up_queue(void *unused) {
  static struct node dummy;
  (void)unused;
  memset(got, 0, sizeof got);
  atomic_init(&dummy.next, NULL);
  atomic_init(&head, &dummy);
  atomic_init(&tail, &dummy);
}
static void move(_Atomic(struct node *) *end, struct node *from, struct node *to) {
  atomic_compare_exchange_strong_explicit(end, &from, to, memory_order_release,
                                          memory_order_relaxed);
}
static void enqueue(int value) {
  struct node *node = malloc(sizeof *node), *last, *next;
  node->value = value;
  atomic_init(&node->next, NULL);
  for (;;) {
    last = atomic_load_explicit(&tail, memory_order_acquire);
    next = atomic_load_explicit(&last->next, memory_order_acquire);
    if (next)
      move(&tail, last, next);
    else if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_release,
                                                     memory_order_relaxed))
      break;
  }
  move(&tail, last, node);
}
static int dequeue(void) {
  for (;;) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (!next)
      return 0;
    if (first == last) {
      move(&tail, last, next);
      continue;
    }
    int value = next->value;
    if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel,
                                                memory_order_relaxed))
      return value;
  }
}
THREAD(queue_1, 1, enqueue, dequeue)
THREAD(queue_2, 2, enqueue, dequeue)

// -- Treiber's stack: each thread pushes one and pops one --

struct entry {
  int value;
  struct entry *next;
};
static _Atomic(struct entry *) stack;

static void set_up_stack(void *unused) {
  (void)unused;
  memset(got, 0, sizeof got);
  atomic_init(&stack, NULL);
}
static void push_entry(int value) {
  struct entry *entry = malloc(sizeof *entry);
  entry->value = value;
  entry->next = atomic_load_explicit(&stack, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&stack, &entry->next, entry, memory_order_release,
                                                  memory_order_relaxed))
    ;
}
static int pop_entry(void) {
  struct entry *entry = atomic_load_explicit(&stack, memory_order_acquire);
  while (entry && !atomic_compare_exchange_strong_explicit(
                      &stack, &entry, entry->next, memory_order_acquire, memory_order_acquire))
    ;
  return entry ? entry->value : 0;
}
THREAD(stack_1, 1, push_entry, pop_entry)
THREAD(stack_2, 2, push_entry, pop_entry)
THREAD(stack_3, 3, push_entry, pop_entry)

static const struct test {
  const char *name;
  void (*set_up)(void *);
  void (*threads[THREADS])(void *);
  unsigned count;
  int values;
} tests[] = {
    {"chase-lev", set_up_deque, {own, steal_twice, steal_once}, 3, 2},
    {"ms-queue", set_up_queue, {queue_1, queue_2}, 2, 2},
    {"treiber", set_up_stack, {stack_1, stack_2, stack_3}, 3, 3},
};

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof *tests; i++)
    if (!strcmp(tests[i].name, argv[1])) {
      values = tests[i].values;
      return rsan_check(tests[i].set_up, tests[i].count, tests[i].threads, are_had_once, NULL);
    }
  return 2;
}
