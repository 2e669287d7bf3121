// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small tests of rsan_check(), by name: how each ends is in check-cases.

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rsan.h"

static atomic_int x, y, turn;
static int plain, found[2], kept, executions;
static unsigned chosen;
static pthread_mutex_t first, second, recursive;
static pthread_rwlock_t shared;
static pthread_spinlock_t spin;
static pthread_cond_t changed;
static sem_t posted;
static pthread_barrier_t barrier;

static void set_up(void *unused) {
  (void)unused;
  executions++;
  atomic_store_explicit(&x, 0, memory_order_relaxed);
  atomic_store_explicit(&y, 0, memory_order_relaxed);
  atomic_store_explicit(&turn, 0, memory_order_relaxed);
  plain = found[0] = found[1] = 0;
}

// Atomic objects are initialised in ways that are no atomic access.
static void set_up_plainly(void *unused) {
  (void)unused;
  *(volatile int *)&x = 3;
  atomic_init(&y, 0);
}
static void set_up_bytes(void *unused) {
  static const int value = 5;
  (void)unused;
  memset((void *)&x, 1, sizeof x);
  memcpy((void *)&y, &value, sizeof y);
}
static void set_up_twice(void *unused) {
  set_up(unused);
  memset((void *)&x, 2, sizeof x);
  atomic_fetch_add(&x, 1);
}

// What is initialised once: each execution has to give it back.
static void set_up_locks(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&first, NULL);
  pthread_mutex_init(&second, NULL);
  pthread_mutex_init(&recursive, &attributes);
  pthread_rwlock_init(&shared, NULL);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_cond_init(&changed, NULL);
  sem_init(&posted, 0, 0);
}

static void set_up_chosen(void *unused) {
  set_up(unused);
  chosen = rsan_choose(3);
}

static void set_up_assumed(void *unused) {
  set_up(unused);
  rsan_assume(rsan_choose(2) == 1);
}

static void set_up_barrier(void *unused) {
  set_up(unused);
  pthread_barrier_init(&barrier, NULL, 2);
}

static bool holds(void *unused) {
  (void)unused;
  return true;
}

// Store buffering: one of the two sees the other.
static void store_x_load_y(void *unused) {
  (void)unused;
  atomic_store(&x, 1);
  found[0] = atomic_load(&y);
}
static void store_y_load_x(void *unused) {
  (void)unused;
  atomic_store(&y, 1);
  found[1] = atomic_load(&x);
}
static void weak_store_x_load_y(void *unused) {
  (void)unused;
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  found[0] = atomic_load_explicit(&y, memory_order_relaxed);
}
static void weak_store_y_load_x(void *unused) {
  (void)unused;
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  found[1] = atomic_load_explicit(&x, memory_order_relaxed);
}
static bool one_found(void *unused) {
  (void)unused;
  return found[0] || found[1];
}
static bool both_found(void *unused) {
  (void)unused;
  return found[0] && found[1];
}

static void store_x(void *unused) {
  (void)unused;
  atomic_store(&x, 1);
}

// In 184,756 classes, in which the race detector begins its epochs anew.
static void add_ten_to_x(void *unused) {
  (void)unused;
  for (int i = 0; i < 10; i++)
    atomic_fetch_add(&x, 1);
}

// The threads' own writes are to be atomic ones.
static void rewrite_x(void *unused) {
  (void)unused;
  atomic_store(&x, 1);
  memset((void *)&x, 2, sizeof x);
  atomic_fetch_add(&x, 1);
}

static void add_plain(void *unused) {
  (void)unused;
  plain++;
}
static bool plain_is_two(void *unused) {
  (void)unused;
  return plain == 2;
}

// Locks.
static void add_locked(void *unused) {
  (void)unused;
  pthread_mutex_lock(&first);
  const int before = plain;
  pthread_mutex_lock(&second);
  plain = before + 1;
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
}
static void add_locked_otherwise(void *unused) {
  (void)unused;
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
  plain++;
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
}
static void add_recursively(void *unused) {
  (void)unused;
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  plain++;
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
}
static void try_recursively(void *unused) {
  (void)unused;
  if (pthread_mutex_trylock(&recursive) == 0) {
    plain++;
    pthread_mutex_unlock(&recursive);
  }
}
static void write_shared(void *unused) {
  (void)unused;
  pthread_rwlock_wrlock(&shared);
  plain++;
  pthread_rwlock_unlock(&shared);
}
static void read_shared(void *unused) {
  (void)unused;
  pthread_rwlock_rdlock(&shared);
  found[0] = plain;
  pthread_rwlock_unlock(&shared);
}
static void add_spinning(void *unused) {
  (void)unused;
  pthread_spin_lock(&spin);
  plain++;
  pthread_spin_unlock(&spin);
}

// Waits.
static void wait_for_change(void *unused) {
  (void)unused;
  pthread_mutex_lock(&first);
  while (!plain)
    pthread_cond_wait(&changed, &first);
  plain++;
  pthread_mutex_unlock(&first);
}
static void change(void *unused) {
  (void)unused;
  pthread_mutex_lock(&first);
  plain = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&first);
}
static void wait_once(void *unused) { // nobody wakes who waits after the signal
  (void)unused;
  pthread_mutex_lock(&first);
  pthread_cond_wait(&changed, &first);
  plain++;
  pthread_mutex_unlock(&first);
}
static void wait_for_post(void *unused) {
  (void)unused;
  sem_wait(&posted);
  plain++;
}
static void post(void *unused) {
  (void)unused;
  plain++;
  sem_post(&posted);
}
static void meet(void *unused) {
  (void)unused;
  atomic_fetch_add(&x, 1);
  pthread_barrier_wait(&barrier);
  if (atomic_load(&x) != 2)
    abort();
}
static void wait_for_turn(void *unused) {
  (void)unused;
  while (!atomic_load_explicit(&turn, memory_order_acquire)) {
  }
  plain++;
}
static void give_turn(void *unused) {
  (void)unused;
  plain++;
  atomic_store_explicit(&turn, 1, memory_order_release);
}
static void wait_for_either(void *unused) { // which no wait is recognised in
  (void)unused;
  while (!atomic_load(&x) && !atomic_load(&y)) {
  }
}
static void wait_for_either_and_look(void *unused) {
  wait_for_either(unused);
  found[0] = atomic_load(&turn);
}
static void store_x_then_turn(void *unused) {
  (void)unused;
  atomic_store(&x, 1);
  atomic_store(&turn, 1);
}
static void exchange_weakly(void *unused) {
  (void)unused;
  int from = 0;
  found[0] = atomic_compare_exchange_weak(&x, &from, 1);
}

// Choices and assumptions.
static void store_chosen(void *unused) {
  (void)unused;
  atomic_store(&x, (int)(rsan_choose(2) + chosen));
}
static bool x_is_less_than_3(void *unused) {
  (void)unused;
  return atomic_load(&x) + (int)rsan_choose(2) < 3;
}
static bool x_is_less_than_5(void *unused) {
  (void)unused;
  return atomic_load(&x) + (int)rsan_choose(2) < 5;
}
static void assume_x(void *unused) {
  (void)unused;
  pthread_mutex_lock(&first);
  rsan_assume(atomic_load(&x));
  if (!atomic_load(&x))
    abort();
  pthread_mutex_unlock(&first);
}
static void assume_x_and_fail(void *unused) {
  (void)unused;
  rsan_assume(atomic_load(&x));
  found[0] = 1;
}
static bool found_none(void *unused) {
  (void)unused;
  return !found[0];
}
static bool assume_none_found(void *unused) {
  (void)unused;
  rsan_assume(!found[0]);
  return !found[0];
}

// What a test may not do, or does not survive.
static void *nothing(void *unused) {
  return unused;
}
static void create_thread(void *unused) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, unused);
}
static void call_exit(void *unused) {
  (void)unused;
  if (atomic_load(&x))
    exit(0);
}
static void call_abort(void *unused) {
  (void)unused;
  if (atomic_load(&x))
    abort();
}
static void read_null(void *unused) {
  if (atomic_load(&x))
    kept = *(volatile int *)unused;
}
static void never_ends(void *unused) {
  (void)unused;
  for (volatile int i = 0; i >= 0; i = 0) {
  }
}
static void call_check(void *unused) {
  void (*const one[])(void *) = {store_x};
  kept = rsan_check(set_up, 1, one, holds, unused);
}
static void fork_child(void *unused) {
  (void)unused;
  const pid_t child = fork();
  if (child == 0)
    return; // the child ends with its thread
  atomic_store(&x, 1);
}
static void varies(void *unused) { // it is not the same each time
  (void)unused;
  atomic_store(executions % 2 ? &turn : &y, 1);
  atomic_store(&x, 1);
}
static atomic_int *leaked; // at another address in each execution
static void set_up_leaking(void *unused) {
  set_up(unused);
  leaked = calloc(1, sizeof *leaked);
}
static void add_to_leaked(void *unused) {
  (void)unused;
  atomic_fetch_add(leaked, 1);
}
static void set_errno(void *unused) {
  (void)unused;
  errno = EDOM;
  atomic_store(&x, 1);
  if (errno != EDOM)
    abort();
}
static void set_errno_otherwise(void *unused) {
  (void)unused;
  errno = ERANGE;
  atomic_store(&x, 2);
  if (errno != ERANGE)
    abort();
}

static const struct test {
  const char *name;
  void (*setup)(void *);
  void (*one)(void *), (*other)(void *);
  bool (*check)(void *);
} tests[] = {
    {"sb", set_up, store_x_load_y, store_y_load_x, one_found},
    {"sb-both", set_up, store_x_load_y, store_y_load_x, both_found},
    {"sb-weak", set_up, weak_store_x_load_y, weak_store_y_load_x, one_found},
    {"plain-setup", set_up_plainly, store_x_load_y, store_y_load_x, one_found},
    {"bytes-setup", set_up_bytes, store_x_load_y, store_y_load_x, one_found},
    {"twice-setup", set_up_twice, store_x_load_y, store_y_load_x, one_found},
    {"weak-plain-setup", set_up_plainly, weak_store_x_load_y, weak_store_y_load_x, holds},
    {"rewritten", set_up, rewrite_x, add_plain, holds},
    {"race", set_up, add_plain, add_plain, holds},
    {"mutex", set_up, add_locked, add_locked, plain_is_two},
    {"deadlock", set_up, add_locked, add_locked_otherwise, plain_is_two},
    {"recursive", set_up, add_recursively, add_recursively, plain_is_two},
    {"try-recursive", set_up, add_recursively, try_recursively, holds},
    {"rwlock", set_up, write_shared, read_shared, holds},
    {"spin", set_up, add_spinning, add_spinning, plain_is_two},
    {"condition", set_up, wait_for_change, change, plain_is_two},
    {"lost-signal", set_up, wait_once, change, holds},
    {"semaphore", set_up, wait_for_post, post, plain_is_two},
    {"no-post", set_up, wait_for_post, store_x, holds},
    {"barrier", set_up_barrier, meet, meet, holds},
    {"wait", set_up, wait_for_turn, give_turn, plain_is_two},
    {"wait-for-nobody", set_up, wait_for_turn, store_x, holds},
    {"either", set_up, wait_for_either, store_x, holds},
    {"either-found", set_up, wait_for_either_and_look, store_x_then_turn, one_found},
    {"weak", set_up, exchange_weakly, give_turn, one_found},
    {"choose", set_up_chosen, store_chosen, store_chosen, x_is_less_than_5},
    {"choose-found", set_up_chosen, store_chosen, store_chosen, x_is_less_than_3},
    {"assume", set_up, assume_x, store_x, holds},
    {"assume-found", set_up, assume_x_and_fail, store_x, found_none},
    {"assume-check", set_up, assume_x_and_fail, store_x, assume_none_found},
    {"assume-setup", set_up_assumed, store_x_load_y, store_y_load_x, one_found},
    {"create", set_up, create_thread, store_x, holds},
    {"exit", set_up, call_exit, store_x, holds},
    {"abort", set_up, call_abort, store_x, holds},
    {"segv", set_up, read_null, store_x, holds},
    {"endless", set_up, never_ends, store_x, holds},
    {"nested", set_up, call_check, store_x, holds},
    {"fork", set_up, fork_child, store_x, holds},
    {"varies", set_up, varies, store_x, holds},
    {"leaks", set_up_leaking, add_to_leaked, add_to_leaked, holds},
    {"errno", set_up, set_errno, set_errno_otherwise, holds},
    {"epochs", set_up, add_ten_to_x, add_ten_to_x, holds},
};

static int run(const char *name) {
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    const struct test *test = &tests[i];
    void (*const threads[])(void *) = {test->one, test->other};
    if (strcmp(test->name, name) == 0)
      return rsan_check(test->setup, 2, threads, test->check, NULL);
  }
  return rsan_check(set_up, 0, NULL, holds, NULL); // no threads
}

static void *wait_for_ever(void *unused) {
  for (;;)
    pause();
  return unused;
}

// Status: that of the last one.
int main(int argc, char **argv) {
  int status = 0;
  set_up_locks();
  for (int i = 1; i < argc; i++) {
    pthread_t thread;
    if (strcmp(argv[i], "thread") == 0)
      pthread_create(&thread, NULL, wait_for_ever, NULL);
    status = run(argv[i]);
    printf("%s: %d\n", argv[i], status);
  }
  return status;
}
