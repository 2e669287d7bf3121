// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// concurrencykit: a ring, a queue and a stack that hand objects over, a ticket lock, an MCS lock
// and a sequence lock. Its accesses are in functions of one header that macros make, of inline
// assembly.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <ck_fifo.h>
#include <ck_ring.h>
#include <ck_sequence.h>
#include <ck_spinlock.h>
#include <ck_stack.h>

enum { THREADS = 4, OBJECTS = 300, ROUNDS = 150, SLOTS = 64 };

struct object {
  int number;
  ck_stack_entry_t entry;
};
CK_STACK_CONTAINER(struct object, entry, object_of)

static struct object objects[THREADS][OBJECTS];
static ck_ring_t ring;
static ck_ring_buffer_t slots[SLOTS];
static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t entries[OBJECTS + 1];
static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_spinlock_ticket_t ticket = CK_SPINLOCK_TICKET_INITIALIZER;
static ck_spinlock_mcs_t mcs = CK_SPINLOCK_MCS_INITIALIZER;
static ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;
static unsigned left, right, counted, counted_too;

static void check(bool fine, const char *what) {
  if (fine)
    return;
  fprintf(stderr, "ck: %s\n", what);
  exit(1);
}

static void give(void) {
  for (int i = 0; i < OBJECTS; i++) {
    objects[0][i].number = i;
    while (!ck_ring_enqueue_spsc(&ring, slots, &objects[0][i]))
      sched_yield();
    ck_fifo_spsc_enqueue(&fifo, &entries[i], &objects[0][i]);
  }
}

static void take(void) {
  for (int i = 0; i < OBJECTS; i++) {
    struct object *object = NULL, *other = NULL;
    while (!ck_ring_dequeue_spsc(&ring, slots, &object))
      sched_yield();
    check(object->number == i, "the ring's order");
    while (!ck_fifo_spsc_dequeue(&fifo, &other))
      sched_yield();
    check(other == object, "the queue's order");
  }
}

static void push_and_pop(int thread) {
  for (int i = 0; i < ROUNDS; i++) {
    objects[thread][i].number = i;
    ck_stack_push_upmc(&stack, &objects[thread][i].entry);
    ck_stack_entry_t *top = ck_stack_pop_upmc(&stack);
    check(!top || object_of(top)->number >= 0, "the stack");
  }
}

static void lock(int thread) {
  for (int i = 0; i < ROUNDS; i++) {
    ck_spinlock_mcs_context_t node;
    ck_spinlock_ticket_lock(&ticket);
    counted++;
    ck_spinlock_ticket_unlock(&ticket);
    ck_spinlock_mcs_lock(&mcs, &node);
    counted_too++;
    ck_spinlock_mcs_unlock(&mcs, &node);
    if (thread == 2) {
      ck_sequence_write_begin(&sequence);
      ck_pr_store_uint(&left, (unsigned)i);
      ck_pr_store_uint(&right, (unsigned)i);
      ck_sequence_write_end(&sequence);
    } else {
      unsigned version, one, two;
      do {
        version = ck_sequence_read_begin(&sequence);
        one = ck_pr_load_uint(&left);
        two = ck_pr_load_uint(&right);
      } while (ck_sequence_read_retry(&sequence, version));
      check(one == two, "the sequence lock");
    }
  }
}

static void *run(void *argument) {
  int thread = (int)(long)argument;
  if (thread == 0)
    give();
  else if (thread == 1)
    take();
  push_and_pop(thread);
  lock(thread);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  ck_ring_init(&ring, SLOTS);
  ck_fifo_spsc_init(&fifo, &entries[OBJECTS]);
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, run, (void *)i) != 0)
      return 2;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  check(counted == THREADS * ROUNDS && counted_too == counted, "the locks");
  return 0;
}
