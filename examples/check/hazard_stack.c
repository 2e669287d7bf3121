// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Treiber's stack with Michael's hazard pointers for `rsan check`: who pops announces the node that
// it is about to read, and looks again whether it is still on top; who has popped a node frees it
// only if nobody has announced it. Two threads pop one of two nodes each.
//
// With -DWEAKENED there is no fence between announcement and second look: a node may be freed by
// one thread while another one reads it.
//
//  rsan-clang -fsanitize=robustness -g -O1 examples/check/hazard_stack.c -o hazard_stack
//  rsan check -- ./hazard_stack

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAKENED
#define READERS_FENCE() ((void)0)
#else
#define READERS_FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

struct node {
  struct node *below;
  int value;
};

enum { THREADS = 2 };

static _Atomic(struct node *) top;
static _Atomic(struct node *) hazard[THREADS]; // what a thread reads
static struct node *kept[THREADS];             // popped while another one read it
static int value[THREADS];

static void push(int value) {
  struct node *node = malloc(sizeof *node);
  if (!node)
    exit(2);
  node->value = value;
  node->below = atomic_load_explicit(&top, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&top, &node->below, node, memory_order_release,
                                                memory_order_relaxed)) {
  }
}

static void free_or_keep(int self, struct node *node) {
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(&hazard[1 - self], memory_order_acquire) == node)
    kept[self] = node;
  else
    free(node);
}

// The stack must not be empty.
static int pop(int self) {
  struct node *node, *now;
  do {
    node = atomic_load_explicit(&top, memory_order_acquire);
    atomic_store_explicit(&hazard[self], node, memory_order_release);
    READERS_FENCE();
    now = atomic_load_explicit(&top, memory_order_acquire);
  } while (now != node || !atomic_compare_exchange_strong_explicit(
                              &top, &now, node->below, memory_order_acq_rel, memory_order_relaxed));
  int value = node->value;
  atomic_store_explicit(&hazard[self], NULL, memory_order_release);
  free_or_keep(self, node);
  return value;
}

static void *pop_once(void *self) {
  int number = *(int *)self;
  value[number] = pop(number);
  return NULL;
}

int main(void) {
  pthread_t thread[THREADS];
  int number[THREADS] = {0, 1};
  push(1);
  push(2);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&thread[i], NULL, pop_once, &number[i]))
      return 2;
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++)
    free(kept[i]);
  if (value[0] + value[1] != 3)
    abort();
  return 0;
}
