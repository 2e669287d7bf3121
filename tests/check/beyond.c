// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// beyond NAME: tests of rsan_check() with violations, by name. In most tests both threads begin
// with a store and a load of relaxed order, whose violation does no harm: what follows decides. How
// each ends is in graph-cases.

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rsan.h"

static atomic_int x, y, flag, owner;
static atomic_uint count;
static int plain, found[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t posted;
static atomic_int *item;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;

static void set_up(void *unused) {
  (void)unused;
  atomic_init(&x, 0);
  atomic_init(&y, 0);
  atomic_init(&flag, 0);
  atomic_init(&owner, 2);
  atomic_init(&count, 0);
  plain = found[0] = found[1] = 0;
  free(item);
  item = malloc(sizeof *item);
  sem_init(&posted, 0, 0);
  pthread_barrier_init(&both, NULL, 2);
}

static int store_and_load(atomic_int *mine, atomic_int *other) {
  atomic_store_explicit(mine, 1, memory_order_relaxed);
  return atomic_load_explicit(other, memory_order_relaxed);
}

// -- store buffering: each thread may miss the other one's store --

static void buffer_x(void *unused) {
  (void)unused;
  found[0] = store_and_load(&x, &y);
}
static void buffer_y(void *unused) {
  (void)unused;
  found[1] = store_and_load(&y, &x);
}
static void buffer_y_and_abort(void *unused) {
  buffer_y(unused);
  if (!found[1] && !atomic_load_explicit(&x, memory_order_relaxed) &&
      atomic_load_explicit(&flag, memory_order_relaxed))
    abort();
}
static void buffer_x_and_tell(void *unused) {
  buffer_x(unused);
  atomic_store_explicit(&flag, !found[0], memory_order_relaxed);
}
static bool one_sees(void *unused) {
  (void)unused;
  return found[0] || found[1];
}
static bool true_anyway(void *unused) {
  (void)unused;
  return true;
}

// -- publication: by a loop that waits, one that the compiler does not know, and by tries --

static void publish(memory_order order) {
  plain = 1;
  atomic_store_explicit(&flag, 1, order);
}
static void publish_by_release(void *unused) {
  buffer_x(unused);
  publish(memory_order_release);
}
static void publish_relaxed(void *unused) {
  buffer_x(unused);
  publish(memory_order_relaxed);
}
static void wait_and_read(void *unused) {
  buffer_y(unused);
  while (!atomic_load_explicit(&flag, memory_order_acquire))
    ;
  found[0] += plain;
}
static void wait_in_two_places(void *unused) {
  buffer_y(unused);
  while (!atomic_load_explicit(&flag, memory_order_acquire))
    if (atomic_load_explicit(&owner, memory_order_relaxed) == 7)
      return;
  found[0] += plain;
}
static void try_thrice(void *unused) {
  buffer_y(unused);
  for (int i = 0; i < 3; i++)
    if (atomic_load_explicit(&flag, memory_order_acquire))
      found[0] += plain;
}

// -- locks --

static void add_in(void (*lock)(void), void (*unlock)(void)) {
  lock();
  plain++;
  unlock();
}
static void lock_mutex(void) {
  pthread_mutex_lock(&mutex);
}
static void unlock_mutex(void) {
  pthread_mutex_unlock(&mutex);
}
static void lock_flag(void) {
  while (atomic_exchange_explicit(&flag, 1, memory_order_acquire))
    ;
}
static void unlock_flag(void) {
  atomic_store_explicit(&flag, 0, memory_order_release);
}
static void unlock_relaxed(void) {
  atomic_store_explicit(&flag, 0, memory_order_relaxed);
}
// (The owner's number is 2 at first: an exchange in vain that changes it.)
static void lock_owner(void) {
  while (atomic_exchange_explicit(&owner, 1, memory_order_acquire) != 0)
    atomic_store_explicit(&owner, 0, memory_order_release);
}
static void lock_weakly(void) {
  int free = 0;
  while (!atomic_compare_exchange_weak_explicit(&flag, &free, 1, memory_order_acquire,
                                                memory_order_relaxed))
    free = 0;
}

#define LOCKED(name, lock, unlock)                                                                 \
  static void name##_x(void *unused) {                                                             \
    buffer_x(unused);                                                                              \
    add_in(lock, unlock);                                                                          \
  }                                                                                                \
  static void name##_y(void *unused) {                                                             \
    buffer_y(unused);                                                                              \
    add_in(lock, unlock);                                                                          \
  }
LOCKED(mutex, lock_mutex, unlock_mutex)
LOCKED(spin, lock_flag, unlock_flag)
LOCKED(broken, lock_flag, unlock_relaxed)
LOCKED(weak, lock_weakly, unlock_flag)

static void insist_x(void *unused) {
  buffer_x(unused);
  if (atomic_exchange_explicit(&owner, 1, memory_order_acquire) == 2)
    atomic_store_explicit(&owner, 0, memory_order_release);
}
static void insist_y(void *unused) {
  buffer_y(unused);
  lock_owner();
}
static bool added_twice(void *unused) {
  (void)unused;
  return plain == 2;
}

static void try_mutex(void *unused) {
  buffer_y(unused);
  if (pthread_mutex_trylock(&mutex) != 0)
    return;
  plain++;
  pthread_mutex_unlock(&mutex);
}
static bool added_once_or_twice(void *unused) {
  (void)unused;
  return plain == 1 || plain == 2;
}

static void lock_in_order(void *unused) {
  buffer_x(unused);
  pthread_mutex_lock(&mutex);
  lock_flag();
  unlock_flag();
  pthread_mutex_unlock(&mutex);
}
// Locks in the other order, if the violation has happened on both sides.
static void lock_in_other_order(void *unused) {
  buffer_y(unused);
  lock_flag();
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  unlock_flag();
}

static void post(void *unused) {
  buffer_x(unused);
  plain = 1;
  sem_post(&posted);
}
static void wait_for_post(void *unused) {
  buffer_y(unused);
  sem_wait(&posted);
  found[0] += plain;
}
static void read_lock(void *unused) {
  buffer_x(unused);
  pthread_rwlock_rdlock(&shared);
  pthread_rwlock_unlock(&shared);
}

static void try_to_read(void *unused) {
  buffer_x(unused);
  if (pthread_rwlock_tryrdlock(&shared) == 0)
    pthread_rwlock_unlock(&shared);
}
static void write_lock(void *unused) {
  buffer_x(unused);
  pthread_rwlock_wrlock(&shared);
  plain++;
  pthread_rwlock_unlock(&shared);
}
// Store buffering, with locks between the store and the load.
static void buffer_around(void (*lock)(void), atomic_int *mine, atomic_int *other, int *seen) {
  atomic_store_explicit(mine, 1, memory_order_relaxed);
  lock();
  *seen = atomic_load_explicit(other, memory_order_relaxed);
}
static void take_to_read(void) {
  pthread_rwlock_rdlock(&shared);
  pthread_rwlock_unlock(&shared);
}
static void take_to_write(void) {
  pthread_rwlock_wrlock(&shared);
  pthread_rwlock_unlock(&shared);
}
static void read_between_x(void *unused) {
  (void)unused;
  buffer_around(take_to_read, &x, &y, &found[0]);
}
static void read_between_y(void *unused) {
  (void)unused;
  buffer_around(take_to_read, &y, &x, &found[1]);
}
// The same after store buffering that does no harm.
static void write_between_y(void *unused) {
  (void)unused;
  atomic_store_explicit(&count, 1, memory_order_relaxed);
  atomic_load_explicit(&owner, memory_order_relaxed);
  buffer_around(take_to_write, &y, &x, &found[1]);
}
static void read_between_x_after(void *unused) {
  atomic_store_explicit(&owner, 1, memory_order_relaxed);
  atomic_load_explicit(&count, memory_order_relaxed);
  read_between_x(unused);
}
static void write_between_x_after(void *unused) {
  (void)unused;
  atomic_store_explicit(&owner, 1, memory_order_relaxed);
  atomic_load_explicit(&count, memory_order_relaxed);
  buffer_around(take_to_write, &x, &y, &found[0]);
}
static void lock_in_time(void *unused) {
  struct timespec soon;
  buffer_x(unused);
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec++;
  if (pthread_mutex_timedlock(&mutex, &soon) == 0)
    pthread_mutex_unlock(&mutex);
}

static void ask_semaphore(void *unused) {
  int value;
  buffer_x(unused);
  sem_getvalue(&posted, &value);
}

// -- memory from the heap, which one thread initialises --

static void initialise(memory_order order) {
  buffer_x(NULL);
  atomic_store_explicit(item, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, order);
}
static void initialise_and_release(void *unused) {
  (void)unused;
  initialise(memory_order_release);
}
static void initialise_relaxed(void *unused) {
  (void)unused;
  initialise(memory_order_relaxed);
}
static void read_item(void *unused) {
  buffer_y(unused);
  if (atomic_load_explicit(&flag, memory_order_acquire))
    found[1] += atomic_load_explicit(item, memory_order_relaxed);
}

// -- condition variables, barriers, futexes: after the harmless violation, or with it --

static void await_told(void *unused) {
  buffer_x(unused);
  pthread_mutex_lock(&mutex);
  while (!plain)
    pthread_cond_wait(&told, &mutex);
  pthread_mutex_unlock(&mutex);
}
static void tell_when(bool wanted) {
  pthread_mutex_lock(&mutex);
  plain = 1;
  if (wanted)
    pthread_cond_signal(&told);
  pthread_mutex_unlock(&mutex);
}
static void tell(void *unused) {
  buffer_y(unused);
  tell_when(true);
}
static void tell_all(void *unused) {
  buffer_y(unused);
  pthread_mutex_lock(&mutex);
  plain = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&told);
}
// In no interleaving both threads have seen nothing, so that one waits and the other one does not
// wake it.
static void await_if_blind(void *unused) {
  buffer_x(unused);
  pthread_mutex_lock(&mutex);
  while (!plain && !found[0])
    pthread_cond_wait(&told, &mutex);
  pthread_mutex_unlock(&mutex);
}
static void tell_if_seen(void *unused) {
  buffer_y(unused);
  if (found[1])
    tell_when(true);
}
static void meet_x(void *unused) {
  buffer_x(unused);
  pthread_barrier_wait(&both);
  found[0] += atomic_load_explicit(&y, memory_order_relaxed);
}
static void meet_y(void *unused) {
  buffer_y(unused);
  pthread_barrier_wait(&both);
  found[1] += atomic_load_explicit(&x, memory_order_relaxed);
}
static bool both_see(void *unused) {
  (void)unused;
  return found[0] && found[1];
}
static void await_word(void *unused) {
  buffer_x(unused);
  while (!atomic_load_explicit(&flag, memory_order_acquire))
    syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  found[0] += plain;
}
static void set_word(void *unused) {
  buffer_y(unused);
  plain = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void set_word_early(void *unused) {
  buffer_y(unused);
  plain = 1;
  syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  atomic_store_explicit(&flag, 1, memory_order_release);
}

// -- what else there is --

static void choose(void *unused) {
  buffer_x(unused);
  plain = (int)rsan_choose(3);
}
static void choose_more(void *unused) {
  for (unsigned i = rsan_choose(2); i < 1; i++)
    atomic_load_explicit(&count, memory_order_relaxed);
  buffer_x(unused);
}
static bool chose_less_than_2(void *unused) {
  (void)unused;
  return plain < 2;
}
static void assume_seen(void *unused) {
  buffer_y(unused);
  rsan_assume(found[1]);
}
// An object for each turn of a loop, at one address.
static void use_locals(void *unused) {
  buffer_x(unused);
  for (int i = 1; i < 4; i++) {
    _Atomic int local = i;
    if (atomic_fetch_add_explicit(&local, 1, memory_order_relaxed) != i)
      abort();
  }
}
// Each of two threads has seen nothing of the other one in no interleaving.
static void wait_if_blind(void *unused) {
  buffer_x(unused);
  if (!found[0])
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
      ;
}
static void wait_if_blind_in_two_places(void *unused) {
  buffer_x(unused);
  if (!found[0])
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
      if (atomic_load_explicit(&owner, memory_order_relaxed) == 7)
        return;
}
static void try_often(int times) {
  buffer_x(NULL);
  for (int i = 0; i < times; i++)
    if (atomic_load_explicit(&flag, memory_order_relaxed))
      return;
}
static void try_20_times(void *unused) {
  (void)unused;
  try_often(20);
}
static void try_40_times(void *unused) {
  (void)unused;
  try_often(40);
}
static void signal_if_seen(void *unused) {
  buffer_y(unused);
  atomic_store_explicit(&flag, found[1], memory_order_relaxed);
}
static void write_if_blind_x(void *unused) {
  buffer_x(unused);
  if (!found[0])
    plain = 1;
}
static void write_if_blind_y(void *unused) {
  buffer_y(unused);
  if (!found[1])
    plain = 2;
}
// A stack whose nodes the threads allocate: addresses are values of the graph.
struct node {
  int value;
  struct node *next;
};
static _Atomic(struct node *) top;

static void push(int value) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  node->next = atomic_load_explicit(&top, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &node->next, node, memory_order_release,
                                                  memory_order_relaxed))
    ;
}
static int pop(void) {
  struct node *node = atomic_load_explicit(&top, memory_order_acquire);
  while (node && !atomic_compare_exchange_strong_explicit(
                     &top, &node, node->next, memory_order_acquire, memory_order_acquire))
    ;
  return node ? node->value : 0;
}
static void stack_x(void *unused) {
  buffer_x(unused);
  push(1);
  found[0] = pop();
}
static void stack_y(void *unused) {
  buffer_y(unused);
  push(2);
  found[1] = pop();
}
static bool each_is_popped_once(void *unused) {
  (void)unused;
  atomic_store_explicit(&top, NULL, memory_order_relaxed);
  return found[0] + found[1] == 3;
}
static void count_for_ever(void *unused) {
  buffer_x(unused);
  while (atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) < 1000000)
    ;
}
static int kept;
static void vary(void *unused) {
  buffer_x(unused);
  atomic_store_explicit(&flag, ++kept, memory_order_relaxed);
}
// A part of the object.
static void write_bytes(void *unused) {
  buffer_x(unused);
  atomic_store_explicit((_Atomic unsigned char *)&count, 1, memory_order_relaxed);
  atomic_load_explicit(&count, memory_order_relaxed);
}
static void add_with_fences(void *unused) {
  buffer_x(unused);
  plain = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
}
static void read_with_fences(void *unused) {
  buffer_y(unused);
  if (!atomic_load_explicit(&flag, memory_order_relaxed))
    return;
  atomic_thread_fence(memory_order_acquire);
  found[0] += plain;
}

static const struct test {
  const char *name;
  void (*threads[2])(void *);
  bool (*check)(void *);
} tests[] = {
    {"harmless", {buffer_x, buffer_y}, true_anyway},
    {"harmful", {buffer_x, buffer_y}, one_sees},
    {"abort", {buffer_x_and_tell, buffer_y_and_abort}, true_anyway},
    {"published", {publish_by_release, wait_and_read}, true_anyway},
    {"tries", {publish_by_release, try_thrice}, true_anyway},
    {"two-places", {publish_by_release, wait_in_two_places}, true_anyway},
    {"never", {buffer_x, wait_and_read}, true_anyway},
    {"race", {publish_relaxed, try_thrice}, true_anyway},
    {"mutex", {mutex_x, mutex_y}, added_twice},
    {"spin", {spin_x, spin_y}, added_twice},
    {"broken", {broken_x, broken_y}, added_twice},
    {"weak", {weak_x, weak_y}, added_twice},
    {"insist", {insist_x, insist_y}, true_anyway},
    {"try", {mutex_x, try_mutex}, added_once_or_twice},
    {"try-fails", {mutex_x, try_mutex}, added_twice},
    {"deadlock", {lock_in_order, lock_in_other_order}, true_anyway},
    {"semaphore", {post, wait_for_post}, true_anyway},
    {"no-post", {buffer_x, wait_for_post}, true_anyway},
    {"read-lock", {read_lock, buffer_y}, true_anyway},
    {"try-to-read", {try_to_read, buffer_y}, true_anyway},
    {"write-lock", {write_lock, buffer_y}, true_anyway},
    {"read-buffer", {read_between_x, read_between_y}, one_sees},
    {"read-write-buffer", {read_between_x_after, write_between_y}, one_sees},
    {"write-buffer", {write_between_x_after, write_between_y}, one_sees},
    {"ask-semaphore", {ask_semaphore, buffer_y}, true_anyway},
    {"item", {initialise_and_release, read_item}, true_anyway},
    {"uninitialised", {initialise_relaxed, read_item}, true_anyway},
    {"condition", {await_told, tell}, true_anyway},
    {"broadcast", {await_told, tell_all}, true_anyway},
    {"lost-wake", {await_if_blind, tell_if_seen}, true_anyway},
    {"barrier", {meet_x, meet_y}, both_see},
    {"futex", {await_word, set_word}, true_anyway},
    {"futex-early", {await_word, set_word_early}, true_anyway},
    {"timed-lock", {lock_in_time, buffer_y}, true_anyway},
    {"choose", {choose, buffer_y}, true_anyway},
    {"choose-found", {choose, buffer_y}, chose_less_than_2},
    {"choose-more", {choose_more, buffer_y}, one_sees},
    {"assume", {buffer_x, assume_seen}, one_sees},
    {"locals", {use_locals, buffer_y}, true_anyway},
    {"for-ever", {count_for_ever, buffer_y}, true_anyway},
    {"varies", {vary, buffer_y}, true_anyway},
    {"bytes", {write_bytes, buffer_y}, true_anyway},
    {"stack", {stack_x, stack_y}, each_is_popped_once},
    {"blind-wait", {wait_if_blind, signal_if_seen}, true_anyway},
    {"blind-loop", {wait_if_blind_in_two_places, signal_if_seen}, true_anyway},
    {"few-tries", {try_20_times, buffer_y}, true_anyway},
    {"many-tries", {try_40_times, buffer_y}, true_anyway},
    {"blind-race", {write_if_blind_x, write_if_blind_y}, true_anyway},
    {"fences", {add_with_fences, read_with_fences}, true_anyway},
};

// A data race of the program outside of all tests.
static void *write_plain(void *unused) {
  plain = 1;
  return unused;
}
static void race_outside(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, write_plain, NULL);
  pthread_create(&other, NULL, write_plain, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
}

int main(int argc, char **argv) {
  int result = 0;
  for (int a = 1; a < argc; a++) {
    if (!strcmp(argv[a], "outside"))
      race_outside();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
      if (!strcmp(tests[i].name, argv[a]))
        result = rsan_check(set_up, 2, tests[i].threads, tests[i].check, NULL);
  }
  return result;
}
