// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs for `rsan check`, by name: check-cases, follow-cases and graph-cases say how each
// ends, with and without --weak. Those whose name ends in -not are robust.

#include <pthread.h>
#include <rsan.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC  memory_order_seq_cst

static atomic_int x, y, z, w;
static int data, a, b, c, d;

static int get(atomic_int *object, memory_order order) {
  return atomic_load_explicit(object, order);
}

static void set(atomic_int *object, int value, memory_order order) {
  atomic_store_explicit(object, value, order);
}

static void must(bool condition) {
  if (!condition)
    abort();
}

// Store buffering: both miss the other's store.
static void *sb_one(void *unused) {
  set(&x, 1, REL);
  a = get(&y, ACQ);
  return unused;
}

static void *sb_other(void *unused) {
  set(&y, 1, REL);
  b = get(&x, ACQ);
  return unused;
}

static void *sb_one_sc(void *unused) {
  set(&x, 1, SC);
  a = get(&y, SC);
  return unused;
}

static void *sb_other_sc(void *unused) {
  set(&y, 1, SC);
  b = get(&x, SC);
  return unused;
}

static void sb_check(void) {
  must(a || b);
}

// It is not asked what they have read.
static void nothing(void) {}

// Message passing: the data are stale.
static void *mp_one(void *unused) {
  set(&x, 1, RLX);
  set(&y, 1, RLX);
  return unused;
}

static void *mp_one_rel(void *unused) {
  set(&x, 1, RLX);
  set(&y, 1, REL);
  return unused;
}

static void *mp_other(void *unused) {
  if (get(&y, ACQ))
    must(get(&x, RLX));
  return unused;
}

// The same by a loop that waits.
static void *mp_waits(void *unused) {
  while (!get(&y, ACQ)) {
  }
  must(get(&x, RLX));
  return unused;
}

// An older value ends the wait: the newest one never does.
static void *turns_on(void *unused) {
  set(&x, 1, RLX);
  set(&x, 2, RLX);
  set(&y, 1, RLX);
  return unused;
}

static void *turns_on_rel(void *unused) {
  set(&x, 1, RLX);
  set(&x, 2, RLX);
  set(&y, 1, REL);
  return unused;
}

static void *waits_for_older(void *unused) {
  if (!get(&y, ACQ))
    return unused;
  while (get(&x, RLX) == 2) {
  }
  abort();
}

// It waits for what is there for a while only, and then for ever; unless it takes the older value.
static void *waits_and_aborts(void *unused) {
  if (!get(&y, ACQ))
    return unused;
  while (get(&x, RLX) != 1) {
  }
  abort();
}

// A thread that departs waits for ever: the awaited value is newer than what it has read.
static void *hangs(void *unused) {
  if (get(&y, ACQ) && !get(&x, RLX))
    while (!get(&z, RLX)) {
    }
  return unused;
}

// A store, and a read-modify-write, that the other thread's store comes after.
static void *w2_one(void *unused) {
  set(&x, 1, REL);
  set(&y, 2, REL);
  return unused;
}

static void *w2_other(void *unused) {
  set(&y, 1, REL);
  set(&x, 2, REL);
  return unused;
}

static void w2_check(void) {
  must(get(&x, RLX) != 1 || get(&y, RLX) != 1);
}

// A lock that is taken although it is held: both find it free.
static void *lock_one(void *unused) {
  set(&x, 1, RLX);
  set(&y, 1, RLX);
  return unused;
}

static void *cas_strong(void *unused) {
  int from = 0;
  if (get(&y, ACQ) && atomic_compare_exchange_strong_explicit(&x, &from, 2, RLX, RLX))
    must(false);
  return unused;
}

static void *exchanges(void *unused) {
  if (get(&y, ACQ))
    must(atomic_exchange_explicit(&x, 2, RLX) != 0);
  return unused;
}

static void *adds(void *unused) {
  if (get(&y, ACQ))
    must(atomic_fetch_add_explicit(&x, 1, RLX) != 0);
  return unused;
}

// Two departures, and no less: each thread of two misses a store.
static void *both_one(void *unused) {
  a = get(&y, ACQ) && !get(&x, RLX);
  return unused;
}

static void *both_other(void *unused) {
  b = get(&y, ACQ) && !get(&x, RLX);
  return unused;
}

// No other thread has the semaphore.
static void *mp_one_asks(void *unused) {
  int value;
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  sem_getvalue(&semaphore, &value);
  return mp_one(unused);
}

static void both_check(void) {
  must(!(a && b));
}

// The older value ends a thread's claim on the data.
static void *race_one(void *unused) {
  set(&x, 1, RLX); // owned by this thread
  set(&y, 1, RLX);
  data = 1;
  return unused;
}

static void *race_other(void *unused) {
  if (get(&y, ACQ) && !get(&x, RLX))
    data = 2;
  return unused;
}

static void race_check(void) {
  printf("%d\n", data); // else nobody needs it
}

// Three threads, of which one departs and another one sees it.
static void *iriw_x(void *unused) {
  set(&x, 1, REL);
  return unused;
}

static void *iriw_y(void *unused) {
  set(&y, 1, REL);
  return unused;
}

static void *iriw_xy(void *unused) {
  a = get(&x, ACQ);
  b = get(&y, ACQ);
  return unused;
}

static void *iriw_yx(void *unused) {
  c = get(&y, ACQ);
  d = get(&x, ACQ);
  return unused;
}

static void iriw_check(void) {
  must(!(a && !b && c && !d));
}

// An object of sixteen bytes never departs.
struct pair {
  long low, high;
};
static _Atomic struct pair wide;

static void *wide_one(void *unused) {
  wide = (struct pair){1, 0};
  set(&x, 1, RLX);
  return unused;
}

static void *wide_other(void *unused) {
  struct pair now = {0, 0};
  if (get(&x, RLX))
    now = atomic_load_explicit(&wide, RLX);
  must(!now.high);
  return unused;
}

// The waiting thread may read an older value that ends the wait as well, and acquires less by it.
static void *fills(void *unused) {
  set(&x, 1, REL);
  data = 1;
  set(&x, 2, REL);
  set(&y, 1, RLX);
  return unused;
}

static void *waits_for_any(void *unused) {
  while (!get(&y, RLX)) {
  }
  while (!get(&x, ACQ)) {
  }
  a = 1;
  return unused;
}

static void *uses_data(void *unused) {
  waits_for_any(unused);
  data++;
  return unused;
}

// More versions than are kept, of which one is known, or none can be missed.
static void *many_rel(void *unused) {
  for (int i = 1; i <= 30; i++)
    set(&x, i, RLX);
  set(&y, 1, REL);
  return unused;
}

static void *polls(void *unused) {
  a = get(&x, RLX);
  return unused;
}

// More versions than are kept.
static void *many_one(void *unused) {
  for (int i = 1; i <= 30; i++)
    set(&x, i, RLX);
  set(&y, 1, RLX);
  return unused;
}

// Store buffering two times: both threads have to miss both stores.
static void *sb_one_twice(void *unused) {
  sb_one(unused);
  set(&z, 1, RLX);
  c = get(&w, RLX);
  return unused;
}

static void *sb_other_twice(void *unused) {
  sb_other(unused);
  set(&w, 1, RLX);
  d = get(&z, RLX);
  return unused;
}

static void twice_check(void) {
  must(a || b || c || d);
}

// The thread that creates the two reads a store of the second one before the first one has begun.
static void *sees_twice(void *unused) {
  pthread_t one, other;
  pthread_create(&one, NULL, sb_one_twice, NULL);
  pthread_create(&other, NULL, sb_other_twice, NULL);
  const int seen = get(&w, RLX);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  must(a || b || c || d || !seen);
  return unused;
}

// The exchange may fail although no other thread writes the object.
static void *sb_one_weakly(void *unused) {
  int expected = 0;
  atomic_compare_exchange_weak_explicit(&z, &expected, 1, RLX, RLX);
  return sb_one(unused);
}

// This thread creates the other one.
static void *sb_one_and_child(void *unused) {
  pthread_t child;
  pthread_create(&child, NULL, sb_other, NULL);
  sb_one(unused);
  pthread_join(child, NULL);
  return unused;
}

static void detach(void *(*function)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_detach(thread);
}

static void *sb_one_detaches(void *unused) {
  detach(sb_other);
  return sb_one(unused);
}

static sem_t never;

static void *waits_for_ever(void *unused) {
  sem_wait(&never);
  return unused;
}

static void *leaves_daemon(void *unused) {
  sem_init(&never, 0, 0);
  detach(waits_for_ever);
  return unused;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool signalled;

static void *sb_one_waits(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!signalled)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return sb_one(unused);
}

static void *sb_other_signals(void *unused) {
  pthread_mutex_lock(&mutex);
  signalled = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return sb_other(unused);
}

static const struct program {
  const char *name;
  void *(*threads[4])(void *);
  void (*check)(void);
} programs[] = {
    {"sb", {sb_one, sb_other}, sb_check},
    {"sb-not", {sb_one_sc, sb_other_sc}, sb_check},
    {"harmless", {sb_one, sb_other}, nothing},
    {"twice", {sb_one_twice, sb_other_twice}, twice_check},
    {"seen", {sees_twice}, nothing},
    {"weak", {sb_one_weakly, sb_other}, nothing},
    {"nested", {sb_one_and_child}, nothing},
    {"detached", {sb_one_detaches}, nothing},
    {"daemon", {sb_one, sb_other, leaves_daemon}, nothing},
    {"condition", {sb_one_waits, sb_other_signals}, nothing},
    {"mp", {mp_one, mp_other}, nothing},
    {"mp-not", {mp_one_rel, mp_other}, nothing},
    {"mp-waits", {mp_one, mp_waits}, nothing},
    {"mp-waits-not", {mp_one_rel, mp_waits}, nothing},
    {"older", {turns_on, waits_for_older}, nothing},
    {"older-ends", {turns_on, waits_and_aborts}, nothing},
    {"hangs", {mp_one, hangs}, nothing},
    {"hangs-not", {mp_one_rel, hangs}, nothing},
    {"w2", {w2_one, w2_other}, w2_check},
    {"cas", {lock_one, cas_strong}, nothing},
    {"cas-not", {mp_one_rel, cas_strong}, nothing},
    {"exchange", {lock_one, exchanges}, nothing},
    {"exchange-not", {mp_one_rel, exchanges}, nothing},
    {"add", {lock_one, adds}, nothing},
    {"both", {mp_one, both_one, both_other}, both_check},
    {"both-asks", {mp_one_asks, both_one, both_other}, both_check},
    {"both-not", {mp_one_rel, both_one, both_other}, both_check},
    {"race", {race_one, race_other}, race_check},
    {"iriw", {iriw_x, iriw_y, iriw_xy, iriw_yx}, iriw_check},
    {"wide", {wide_one, wide_other}, nothing},
    {"many", {many_one, mp_other}, nothing},
    {"many-not", {many_rel, mp_other}, nothing},
    {"polled", {many_rel, polls}, nothing},
    {"waits-for-any", {fills, waits_for_any}, nothing},
    {"waits-for-data", {fills, uses_data}, race_check},
    {"turned-not", {turns_on_rel, waits_for_older}, nothing},
};

static int run(const struct program *program) {
  pthread_t threads[4];
  int count = 0;
  for (; count < 4 && program->threads[count]; count++)
    pthread_create(&threads[count], NULL, program->threads[count], NULL);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  program->check();
  return 0;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1]) == 0)
      return run(&programs[i]);
  return 2;
}
