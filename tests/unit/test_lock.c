// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lock.h. This test is its own host: rsan_host_yield is what a waiting thread calls.

#include <pthread.h>
#include <sched.h>

#include "unit.h"

#include "lock.h"

static struct rsan_lock lock;
static unsigned yields, yields_until_unlock;

void rsan_host_yield(void) {
  sched_yield();
  if (yields_until_unlock && ++yields == yields_until_unlock)
    rsan_unlock(&lock);
}

static int release_the_lock(void **state) {
  (void)state;
  atomic_store(&lock.held, 0);
  yields = yields_until_unlock = 0;
  return 0;
}

static void a_free_lock_is_taken_without_waiting(void **state) {
  (void)state;
  yields_until_unlock = 1;
  rsan_lock(&lock);
  assert_true(atomic_load(&lock.held));
  assert_int_equal(yields, 0);
}

static void unlock_frees(void **state) {
  (void)state;
  rsan_lock(&lock);
  rsan_unlock(&lock);
  assert_false(atomic_load(&lock.held));
}

// The holder lets go at the third yield of the one who waits.
static void a_held_lock_is_waited_for(void **state) {
  (void)state;
  rsan_lock(&lock);
  yields_until_unlock = 3;
  rsan_lock(&lock);
  assert_int_equal(yields, 3);
  assert_true(atomic_load(&lock.held));
}

enum { THREADS = 4, ROUNDS = 50000 };
static unsigned long counter;

static void *count(void *unused) {
  (void)unused;
  for (unsigned i = 0; i < ROUNDS; i++) {
    rsan_lock(&lock);
    counter++;
    rsan_unlock(&lock);
  }
  return NULL;
}

static void holders_exclude_each_other(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(counter, (unsigned long)THREADS * ROUNDS);
}

// Not in main, where it would be copied: the host that copies is not linked.
static const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(a_free_lock_is_taken_without_waiting, release_the_lock),
    cmocka_unit_test_teardown(unlock_frees, release_the_lock),
    cmocka_unit_test_teardown(a_held_lock_is_waited_for, release_the_lock),
    cmocka_unit_test_teardown(holders_exclude_each_other, release_the_lock),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
