// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: convoy SHAPE THREADS ROUNDS
//
// Threads that wait by asking again and again, more of them than processors. A thread that waits so
// keeps a processor that the awaited thread may need. With -DCALLS each attempt is a call of a
// function that is not inlined, in which no compiler can see a loop. Prints the number of rounds
// that were made, of all threads together, which is right in every run.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CALLS
#define ATTEMPT static __attribute__((noinline))
#else
#define ATTEMPT static inline __attribute__((always_inline))
#endif

enum { MOST_THREADS = 64, SLOTS = 64, LINE = 64 };

static int threads, rounds;
static long made;               // as the locks protect it
static pthread_barrier_t start; // all begin at once, or each were done before the next is there
static const char *shape;

ATTEMPT unsigned load(atomic_uint *p) {
  return atomic_load_explicit(p, memory_order_acquire);
}

ATTEMPT int compare_exchange(atomic_uint *p, unsigned expected, unsigned wanted) {
  return atomic_compare_exchange_strong_explicit(p, &expected, wanted, memory_order_acquire,
                                                 memory_order_relaxed);
}

ATTEMPT unsigned exchange(atomic_uint *p) {
  return atomic_exchange_explicit(p, 1, memory_order_acquire);
}

static void store(atomic_uint *p, unsigned value) {
  atomic_store_explicit(p, value, memory_order_release);
}

static unsigned take_ticket(atomic_uint *p) {
  return atomic_fetch_add_explicit(p, 1, memory_order_relaxed);
}

// --- a bounded queue: half of the threads put, the others take, one at a time at each end ---

struct end { // of the queue
  _Alignas(LINE) atomic_uint tickets;
  _Alignas(LINE) atomic_uint turn; // how many items have passed; doubled for compare-exchanges
  _Alignas(LINE) atomic_uint locked;
};
static struct end put, taken;
static int slots[SLOTS];

static void use_slot(int puts, unsigned at) {
  if (puts)
    slots[at % SLOTS] = (int)at;
  else
    made += 1 + (slots[at % SLOTS] != (int)at);
}

static void pass_by_load(int puts) {
  struct end *mine = puts ? &put : &taken;
  unsigned ticket = take_ticket(&mine->tickets);
  while (load(&mine->turn) != ticket)
    ;
  if (puts)
    while (ticket - load(&taken.turn) >= SLOTS)
      ;
  else
    while (load(&put.turn) == ticket)
      ;
  use_slot(puts, ticket);
  store(&mine->turn, ticket + 1);
}

static void pass_by_compare_exchange(int puts) {
  struct end *mine = puts ? &put : &taken;
  unsigned ticket = take_ticket(&mine->tickets);
  while (!compare_exchange(&mine->turn, 2 * ticket, 2 * ticket + 1))
    ;
  if (puts)
    while (ticket - load(&taken.turn) / 2 >= SLOTS)
      ;
  else
    while (load(&put.turn) / 2 == ticket)
      ;
  use_slot(puts, ticket);
  store(&mine->turn, 2 * ticket + 2);
}

static void pass_by_exchange(int puts) {
  struct end *mine = puts ? &put : &taken;
  while (exchange(&mine->locked))
    ;
  unsigned ticket = load(&mine->turn);
  if (puts)
    while (ticket - load(&taken.turn) >= SLOTS)
      ;
  else
    while (load(&put.turn) == ticket)
      ;
  use_slot(puts, ticket);
  store(&mine->turn, ticket + 1);
  store(&mine->locked, 0);
}

// --- locks ---

static struct end lock;

static void ticket_lock(void) {
  unsigned ticket = take_ticket(&lock.tickets);
  while (load(&lock.turn) != ticket)
    ;
  made++;
  store(&lock.turn, ticket + 1);
}

static void compare_exchange_lock(void) {
  while (!compare_exchange(&lock.locked, 0, 1))
    ;
  made++;
  store(&lock.locked, 0);
}

static void exchange_lock(void) {
  while (exchange(&lock.locked))
    ;
  made++;
  store(&lock.locked, 0);
}

// Tests before it exchanges.
static void testing_lock(void) {
  do
    while (load(&lock.locked))
      ;
  while (exchange(&lock.locked));
  made++;
  store(&lock.locked, 0);
}

// Each thread waits for a word of its own, the one of its predecessor's.
struct node {
  _Alignas(LINE) atomic_uint locked;
};
static struct node nodes[MOST_THREADS + 1];
static _Atomic(struct node *) last = &nodes[MOST_THREADS];

static struct node *clh_lock(struct node *mine) {
  atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&last, mine, memory_order_acq_rel);
  while (load(&before->locked))
    ;
  made++;
  store(&mine->locked, 0);
  return before;
}

// --- a barrier, and two flags in turns ---

static void wait_at_barrier(unsigned round) {
  if (atomic_fetch_add_explicit(&lock.tickets, 1, memory_order_acq_rel) + 1 ==
      (round + 1) * (unsigned)threads) {
    made += threads;
    store(&lock.turn, round + 1);
    return;
  }
  while (load(&lock.turn) == round)
    ;
}

// As the barrier, with a way out that nobody takes: each round of the loop asks two objects.
static void wait_for_two(unsigned round) {
  if (atomic_fetch_add_explicit(&lock.tickets, 1, memory_order_acq_rel) + 1 ==
      (round + 1) * (unsigned)threads) {
    made += threads;
    store(&lock.turn, round + 1);
    return;
  }
  while (load(&lock.turn) == round)
    if (load(&lock.locked))
      abort();
}

static void *run(void *argument) {
  int me = (int)((struct node *)argument - nodes);
  struct node *mine = argument;
  pthread_barrier_wait(&start);
  for (int i = 0; i < rounds; i++) {
    if (!strcmp(shape, "queue-load"))
      pass_by_load(me % 2);
    else if (!strcmp(shape, "queue-compare"))
      pass_by_compare_exchange(me % 2);
    else if (!strcmp(shape, "queue-exchange"))
      pass_by_exchange(me % 2);
    else if (!strcmp(shape, "ticket"))
      ticket_lock();
    else if (!strcmp(shape, "compare"))
      compare_exchange_lock();
    else if (!strcmp(shape, "exchange"))
      exchange_lock();
    else if (!strcmp(shape, "testing"))
      testing_lock();
    else if (!strcmp(shape, "clh"))
      mine = clh_lock(mine);
    else if (!strcmp(shape, "barrier"))
      wait_at_barrier((unsigned)i);
    else
      wait_for_two((unsigned)i);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4 || (threads = atoi(argv[2])) < 2 || threads > MOST_THREADS)
    return 2;
  shape = argv[1];
  rounds = atoi(argv[3]);
  pthread_barrier_init(&start, 0, (unsigned)threads);
  pthread_t thread[MOST_THREADS];
  for (int i = 0; i < threads; i++)
    pthread_create(&thread[i], 0, run, &nodes[i]);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], 0);
  printf("%ld\n", made);
  return 0;
}
