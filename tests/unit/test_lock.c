// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/base/lock.h. This test is its own host: rsan_host_yield is what a waiting thread calls.

#include <pthread.h>
#include <sched.h>

#include "unit.h"

#include "base/lock.h"

static struct rsan_lock lock;
static struct rsan_shared_lock shared;
static unsigned yields, yields_until_unlock;
static void (*unlock)(void); // what the holder does at that yield

void rsan_host_yield(void) {
  sched_yield();
  if (yields_until_unlock && ++yields == yields_until_unlock)
    unlock();
}

static void unlock_lock(void) {
  rsan_unlock(&lock);
}
static void unlock_reader(void) {
  rsan_unlock_shared(&shared);
}
static void unlock_writer(void) {
  rsan_unlock_alone(&shared);
}

static int release_the_lock(void **state) {
  (void)state;
  atomic_store(&lock.held, 0);
  atomic_store(&shared.readers, 0);
  yields = yields_until_unlock = 0;
  unlock = unlock_lock;
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

// --- a lock that readers share ---

static void readers_do_not_wait_for_each_other(void **state) {
  (void)state;
  yields_until_unlock = 1;
  unlock = unlock_reader;
  rsan_lock_shared(&shared);
  rsan_lock_shared(&shared);
  assert_int_equal(yields, 0);
  assert_int_equal(atomic_load(&shared.readers), 2);
}

static void a_writer_waits_for_all_readers(void **state) {
  (void)state;
  rsan_lock_shared(&shared);
  rsan_lock_shared(&shared);
  rsan_unlock_shared(&shared);
  yields_until_unlock = 3; // the second one lets go
  unlock = unlock_reader;
  rsan_lock_alone(&shared);
  assert_int_equal(yields, 3);
  assert_int_equal(atomic_load(&shared.readers), -1);
}

static void a_reader_waits_for_the_writer(void **state) {
  (void)state;
  rsan_lock_alone(&shared);
  yields_until_unlock = 3;
  unlock = unlock_writer;
  rsan_lock_shared(&shared);
  assert_int_equal(yields, 3);
  assert_int_equal(atomic_load(&shared.readers), 1);
}

static void a_writer_waits_for_the_writer(void **state) {
  (void)state;
  rsan_lock_alone(&shared);
  yields_until_unlock = 3;
  unlock = unlock_writer;
  rsan_lock_alone(&shared);
  assert_int_equal(yields, 3);
}

static void nobody_waits_for_a_free_one(void **state) {
  (void)state;
  yields_until_unlock = 1;
  rsan_lock_alone(&shared);
  rsan_unlock_alone(&shared);
  rsan_lock_shared(&shared);
  rsan_unlock_shared(&shared);
  rsan_lock_alone(&shared);
  assert_int_equal(yields, 0);
}

static unsigned long written[2]; // always equal, for those who have the lock

static void *read_and_write(void *differences) {
  for (unsigned i = 0; i < ROUNDS / 10; i++) {
    rsan_lock_alone(&shared);
    written[0]++;
    written[1]++;
    rsan_unlock_alone(&shared);
    rsan_lock_shared(&shared);
    if (written[0] != written[1])
      atomic_fetch_add((atomic_int *)differences, 1);
    rsan_unlock_shared(&shared);
  }
  return NULL;
}

static void a_writer_is_alone(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  atomic_int differences = 0;
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, read_and_write, &differences), 0);
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(atomic_load(&differences), 0);
  assert_int_equal(written[0], (unsigned long)THREADS * (ROUNDS / 10));
}

// Not in main, where it would be copied: the host that copies is not linked.
#define TEST(name) cmocka_unit_test_setup_teardown(name, release_the_lock, release_the_lock)
static const struct CMUnitTest tests[] = {
    TEST(a_free_lock_is_taken_without_waiting),
    TEST(unlock_frees),
    TEST(a_held_lock_is_waited_for),
    TEST(holders_exclude_each_other),
    TEST(readers_do_not_wait_for_each_other),
    TEST(a_writer_waits_for_all_readers),
    TEST(a_reader_waits_for_the_writer),
    TEST(a_writer_waits_for_the_writer),
    TEST(nobody_waits_for_a_free_one),
    TEST(a_writer_is_alone),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
