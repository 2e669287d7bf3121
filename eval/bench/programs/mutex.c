// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `mutex THREADS TRANSFERS`: a producer passes transfers through a bounded queue (mutex and
// condition variables) to threads that carry them out between accounts with a mutex each. The sum
// of all accounts must not change.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 64, SLOTS = 32, INITIAL = 1000, MAX_THREADS = 64 };

struct account {
  pthread_mutex_t lock;
  long balance;
};

struct transfer {
  unsigned from, to;
  long amount;
};

static struct account accounts[ACCOUNTS];

static struct {
  pthread_mutex_t lock;
  pthread_cond_t filled, emptied;
  struct transfer slots[SLOTS];
  unsigned first, count;
  bool closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .filled = PTHREAD_COND_INITIALIZER,
           .emptied = PTHREAD_COND_INITIALIZER};

static void put(struct transfer one) {
  pthread_mutex_lock(&queue.lock);
  while (queue.count == SLOTS)
    pthread_cond_wait(&queue.emptied, &queue.lock);
  queue.slots[(queue.first + queue.count++) % SLOTS] = one;
  pthread_cond_signal(&queue.filled);
  pthread_mutex_unlock(&queue.lock);
}

static void close_queue(void) {
  pthread_mutex_lock(&queue.lock);
  queue.closed = true;
  pthread_cond_broadcast(&queue.filled);
  pthread_mutex_unlock(&queue.lock);
}

// False when the queue is closed and empty.
static bool take(struct transfer *one) {
  pthread_mutex_lock(&queue.lock);
  while (queue.count == 0 && !queue.closed)
    pthread_cond_wait(&queue.filled, &queue.lock);
  bool taken = queue.count > 0;
  if (taken) {
    *one = queue.slots[queue.first];
    queue.first = (queue.first + 1) % SLOTS;
    queue.count--;
    pthread_cond_signal(&queue.emptied);
  }
  pthread_mutex_unlock(&queue.lock);
  return taken;
}

static void carry_out(struct transfer one) {
  // Lower index first, against deadlock.
  struct account *first = &accounts[one.from < one.to ? one.from : one.to];
  struct account *second = &accounts[one.from < one.to ? one.to : one.from];
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  accounts[one.from].balance -= one.amount;
  accounts[one.to].balance += one.amount;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void *worker(void *unused) {
  struct transfer one;
  while (take(&one))
    carry_out(one);
  return unused;
}

int main(int argc, char **argv) {
  int threads = argc == 3 ? atoi(argv[1]) : 0;
  if (threads < 1 || threads > MAX_THREADS)
    return 2;
  for (int i = 0; i < ACCOUNTS; i++) {
    pthread_mutex_init(&accounts[i].lock, NULL);
    accounts[i].balance = INITIAL;
  }
  pthread_t handle[MAX_THREADS];
  for (int i = 0; i < threads; i++)
    pthread_create(&handle[i], NULL, worker, NULL);
  unsigned random = 1;
  for (long i = atol(argv[2]); i > 0; i--) {
    random = random * 1664525u + 1013904223u;
    unsigned from = random >> 26, to = (from + 1 + (random >> 8) % (ACCOUNTS - 1)) % ACCOUNTS;
    put((struct transfer){from, to, (long)(random >> 16 & 15)});
  }
  close_queue();
  for (int i = 0; i < threads; i++)
    pthread_join(handle[i], NULL);
  long sum = 0;
  for (int i = 0; i < ACCOUNTS; i++)
    sum += accounts[i].balance;
  puts(sum == (long)ACCOUNTS * INITIAL ? "right" : "wrong");
  return sum == (long)ACCOUNTS * INITIAL ? 0 : 1;
}
