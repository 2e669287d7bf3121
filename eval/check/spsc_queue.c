// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A queue of one producer and one consumer, a list, with an event count on which the consumer
// sleeps: it says that it is about to, looks again, and sleeps; the producer links an item, and
// wakes who has said so. One item is passed.
//
// -DWEAKENED: both sides use release and acquire alone. The producer may miss the consumer where
// the consumer misses the item, and the consumer sleeps for ever.

#include "threads.h"

#ifdef WEAKENED
#define LOOK_FENCE() ((void)0)
#else
#define LOOK_FENCE() FENCE(seq_cst)
#endif

struct node {
  _Atomic(struct node *) next;
  int value;
};

static struct node dummy, only;
static atomic_uint sleepers, event; // who is about to sleep; how often it was woken
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

static void wake(void) {
  LOOK_FENCE();
  if (!LOAD(sleepers, acquire))
    return;
  pthread_mutex_lock(&mutex);
  STORE(event, LOAD(event, relaxed) + 1, relaxed);
  pthread_cond_signal(&woken);
  pthread_mutex_unlock(&mutex);
}

static void *enqueue(void *unused) {
  only.value = 11;
  STORE(dummy.next, &only, release);
  wake();
  return unused;
}

static struct node *look(void) {
  return LOAD(dummy.next, acquire);
}

static void *dequeue(void *unused) {
  struct node *found = look();
  if (!found) {
    STORE(sleepers, 1, release);
    LOOK_FENCE();
    found = look();
  }
  if (!found) {
    pthread_mutex_lock(&mutex);
    while (!LOAD(event, relaxed))
      pthread_cond_wait(&woken, &mutex);
    pthread_mutex_unlock(&mutex);
    found = look();
  }
  require(found->value == 11);
  return unused;
}

int main(void) {
  run_all((function *[]){enqueue, dequeue}, 2);
  return 0;
}
