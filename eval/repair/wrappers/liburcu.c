// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// liburcu: readers of a pointer and writers that wait for a grace period, a queue and two stacks.
// Its accesses are volatile, and inline assembly in functions of one header.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <urcu/urcu-mb.h>

#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

enum { THREADS = 4, ROUNDS = 200 };

struct object {
  struct cds_wfcq_node queued;
  struct cds_lfs_node stacked;
  struct cds_wfs_node piled;
  unsigned one, other; // the same while a reader may see them
};

static struct object objects[THREADS][ROUNDS], first = {.one = 1, .other = 1};
static struct object *current = &first;
static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct cds_lfs_stack stack;
static struct cds_wfs_stack pile;
static pthread_mutex_t popping = PTHREAD_MUTEX_INITIALIZER;

static void check(bool fine, const char *what) {
  if (fine)
    return;
  fprintf(stderr, "liburcu: %s\n", what);
  exit(1);
}

static void read_current(void) {
  urcu_mb_read_lock();
  const struct object *seen = rcu_dereference(current);
  check(CMM_LOAD_SHARED(seen->one) == CMM_LOAD_SHARED(seen->other) || seen->one == 0,
        "an old object");
  urcu_mb_read_unlock();
}

static void replace_current(struct object *mine, unsigned value) {
  CMM_STORE_SHARED(mine->one, value);
  CMM_STORE_SHARED(mine->other, value);
  struct object *old = rcu_xchg_pointer(&current, mine);
  if (value % 20 == 0) {
    urcu_mb_synchronize_rcu();
    CMM_STORE_SHARED(old->one, 0);
    CMM_STORE_SHARED(old->other, 0);
  }
}

static void pass_on(struct object *mine) {
  cds_wfcq_node_init(&mine->queued);
  cds_wfcq_enqueue(&head, &tail, &mine->queued);
  (void)cds_wfcq_dequeue_blocking(&head, &tail);
  cds_lfs_node_init(&mine->stacked);
  cds_lfs_push(&stack, &mine->stacked);
  cds_wfs_node_init(&mine->piled);
  cds_wfs_push(&pile, &mine->piled);
  pthread_mutex_lock(&popping);
  check(__cds_lfs_pop((cds_lfs_stack_ptr_t){.s = &stack}), "the stack is empty");
  check(__cds_wfs_pop_blocking((cds_wfs_stack_ptr_t){.s = &pile}), "the pile is empty");
  pthread_mutex_unlock(&popping);
}

static void *run(void *argument) {
  int thread = (int)(long)argument;
  urcu_mb_register_thread();
  for (unsigned i = 0; i < ROUNDS; i++) {
    if (thread == 0)
      replace_current(&objects[thread][i], i + 1);
    else
      read_current();
    pass_on(&objects[thread][i]);
  }
  urcu_mb_unregister_thread();
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  cds_wfcq_init(&head, &tail);
  cds_lfs_init(&stack);
  cds_wfs_init(&pile);
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, run, (void *)i) != 0)
      return 2;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
