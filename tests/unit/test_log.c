// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/explain/log.h: rings of recent accesses, read while they are written.

#include <pthread.h>

#include "unit.h"

#include "explain/log.h"
#include "limits.h"

enum { ROOM = 16, LAPS = 200000 };

static struct rsan_logs logs;

static int begin(void **state) {
  (void)state;
  logs = (struct rsan_logs){0};
  rsan_logs_init(&logs, ROOM);
  return 0;
}

static int begin_large(void **state) {
  (void)state;
  logs = (struct rsan_logs){0};
  rsan_logs_init(&logs, 4 * RSAN_LOG_RETIRED_ENTRIES);
  return 0;
}

static int end(void **state) {
  (void)state;
  rsan_logs_clear(&logs);
  return unit_check_memory();
}

// The n-th entry of a log: every field follows from n.
static struct rsan_log_entry nth(uint64_t n) {
  return (struct rsan_log_entry){
      .pc = 0x7f0000000000 + n,
      .caller = n * 3,
      .address = n * 5,
      .object = n * 7 + 1,
      .number = n,
      .kind = (uint8_t)(n % (RSAN_LOG_ACQUIRE + 1)),
      .step = (uint8_t)(n % (RSAN_STEP_JOIN + 1)),
      .check = (uint8_t)(n % (RSAN_CHECK_STRONG_CAS + 1)),
      .order = (uint8_t)(n % (RSAN_SEQ_CST + 1)),
      .size = (uint8_t)(1u << n % 5),
  };
}

static void append(struct rsan_log *log, uint64_t from, uint64_t to) {
  for (uint64_t n = from; n < to; n++) {
    struct rsan_log_entry entry = nth(n);
    rsan_log_append(log, &entry);
  }
}

static bool is_nth(const struct rsan_log_entry *entry, uint64_t n) {
  struct rsan_log_entry right = nth(n);
  return entry->pc == right.pc && entry->caller == right.caller &&
         entry->address == right.address && entry->object == right.object &&
         entry->number == right.number && entry->kind == right.kind && entry->step == right.step &&
         entry->check == right.check && entry->order == right.order && entry->size == right.size;
}

// The entries of the only log are first, first + 1, ... Returns their number.
static uint32_t expect_run_of_entries(const struct rsan_log_snapshot *snapshot, uint64_t *first) {
  assert_int_equal(snapshot->thread_count, 1);
  uint32_t count = snapshot->threads[0].end;
  *first = count ? snapshot->entries[0].number : 0;
  for (uint32_t i = 0; i < count; i++)
    assert_true(is_nth(&snapshot->entries[i], *first + i));
  return count;
}

static void an_entry_comes_back_as_it_was(void **state) {
  (void)state;
  struct rsan_log_snapshot snapshot;
  struct rsan_log *log = rsan_log_new(&logs);
  uint64_t first;
  for (uint64_t lap = 0; lap < 8; lap++) {
    append(log, lap * 15, lap * 15 + 15);
    rsan_log_snapshot(&logs, NULL, 0, &snapshot);
    assert_true(expect_run_of_entries(&snapshot, &first) >= ROOM - 1);
    assert_int_equal(first + ROOM - 1, lap * 15 + 15);
    rsan_log_snapshot_clear(&snapshot);
  }
}

// The place that the next entry goes to does not count: it may be half written.
static void the_oldest_entry_of_a_full_ring_has_left_it(void **state) {
  (void)state;
  struct rsan_log_snapshot snapshot;
  struct rsan_log *log = rsan_log_new(&logs);
  uint64_t first;
  append(log, 0, 3 * ROOM);
  rsan_log_snapshot(&logs, NULL, 0, &snapshot);
  assert_int_equal(expect_run_of_entries(&snapshot, &first), ROOM - 1);
  assert_int_equal(first, 2 * ROOM + 1);
  rsan_log_snapshot_clear(&snapshot);
}

static void one_s_own_log_ends_at_the_position(void **state) {
  (void)state;
  struct rsan_log_snapshot snapshot;
  struct rsan_log *log = rsan_log_new(&logs);
  uint64_t first;
  append(log, 0, 10);
  rsan_log_snapshot(&logs, log, 7, &snapshot);
  assert_int_equal(expect_run_of_entries(&snapshot, &first), 7);
  assert_int_equal(first, 0);
  rsan_log_snapshot_clear(&snapshot);
}

static void *write_laps(void *log) {
  append(log, 0, (uint64_t)LAPS * ROOM);
  return NULL;
}

// While the writer goes on, each snapshot is a run of entries without a gap, and none is torn.
static void a_ring_is_read_while_it_is_written(void **state) {
  (void)state;
  struct rsan_log *log = rsan_log_new(&logs);
  pthread_t writer;
  assert_int_equal(pthread_create(&writer, NULL, write_laps, log), 0);
  uint64_t newest = 0, first;
  while (newest < (uint64_t)LAPS * ROOM) {
    struct rsan_log_snapshot snapshot;
    rsan_log_snapshot(&logs, NULL, 0, &snapshot);
    uint32_t count = expect_run_of_entries(&snapshot, &first);
    if (count) {
      assert_true(first + count >= newest);
      newest = first + count;
    }
    rsan_log_snapshot_clear(&snapshot);
  }
  pthread_join(writer, NULL);
}

static uint32_t count_logs(void) {
  uint32_t count = 0;
  for (struct rsan_log *log = logs.first; log; log = log->next)
    count++;
  return count;
}

static void some_logs_of_ended_threads_are_kept(void **state) {
  (void)state;
  struct rsan_log_snapshot snapshot;
  for (uint32_t i = 0; i < 10 * RSAN_LOGS_RETIRED; i++) {
    struct rsan_log *log = rsan_log_new(&logs);
    rsan_log_set_owner(&logs, log, i);
    rsan_log_retire(&logs, log);
  }
  assert_int_equal(count_logs(), RSAN_LOGS_RETIRED);
  rsan_log_snapshot(&logs, NULL, 0, &snapshot);
  for (uint32_t t = 0; t < RSAN_LOGS_RETIRED; t++) // of those that ended last
    assert_int_equal(snapshot.threads[t].owner, 10 * RSAN_LOGS_RETIRED - 1 - t);
  rsan_log_snapshot_clear(&snapshot);
}

static void a_log_that_is_used_again_is_empty(void **state) {
  (void)state;
  struct rsan_log_snapshot snapshot;
  struct rsan_log *first = rsan_log_new(&logs);
  append(first, 0, 5);
  rsan_log_retire(&logs, first);
  struct rsan_log *log = rsan_log_new(&logs);
  assert_ptr_equal(log, first);
  assert_int_equal(count_logs(), 2);
  assert_false(rsan_log_repeats(log, nth(4).object, 4));
  rsan_log_snapshot(&logs, NULL, 0, &snapshot);
  assert_int_equal(snapshot.threads[0].first, snapshot.threads[0].end);
  assert_int_equal(snapshot.threads[0].owner, UINT32_MAX);
  rsan_log_snapshot_clear(&snapshot);
}

// Retires a log with that many entries; returns the first one that is kept, of `count`.
static uint64_t first_kept(uint64_t entries, uint32_t *count) {
  struct rsan_log *log = rsan_log_new(&logs);
  append(log, 0, entries);
  rsan_log_retire(&logs, log);
  struct rsan_log_snapshot snapshot;
  uint64_t first;
  rsan_log_snapshot(&logs, NULL, 0, &snapshot);
  *count = expect_run_of_entries(&snapshot, &first);
  rsan_log_snapshot_clear(&snapshot);
  return first;
}

static void of_an_ended_thread_the_newest_entries_are_kept(void **state) {
  (void)state;
  uint32_t count;
  uint64_t entries = 3 * RSAN_LOG_RETIRED_ENTRIES + 5;
  uint64_t first = first_kept(entries, &count);
  assert_int_equal(first + count, entries);
  assert_int_equal(count, RSAN_LOG_RETIRED_ENTRIES - 1); // the oldest might be half written
}

static void of_an_ended_thread_a_few_entries_are_all_kept(void **state) {
  (void)state;
  uint32_t count;
  assert_int_equal(first_kept(RSAN_LOG_RETIRED_ENTRIES - 1, &count), 0);
  assert_int_equal(count, RSAN_LOG_RETIRED_ENTRIES - 1);
}

static void without_a_history_there_are_no_logs(void **state) {
  (void)state;
  struct rsan_logs none = {0};
  rsan_logs_init(&none, 0);
  assert_null(rsan_log_new(&none));
  rsan_log_retire(&none, NULL);
  rsan_log_set_owner(&none, NULL, 1);
  assert_int_equal(rsan_log_head(NULL), 0);
}

static void the_history_has_bounds(void **state) {
  (void)state;
  struct rsan_logs other = {0};
  rsan_logs_init(&other, 1);
  assert_int_equal(other.room, RSAN_LOG_MIN_ENTRIES);
  rsan_logs_init(&other, 100);
  assert_int_equal(other.room, 128);
  rsan_logs_init(&other, UINT32_MAX);
  assert_int_equal(other.room, RSAN_LOG_MAX_ENTRIES);
}

static void a_thread_has_no_log_once_they_are_stopped(void **state) {
  (void)state;
  struct rsan_log *before = rsan_log_new(&logs);
  assert_non_null(before);
  rsan_logs_stop(&logs);
  assert_null(rsan_log_new(&logs));
  rsan_log_retire(&logs, before);
  assert_null(rsan_log_new(&logs));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_entry_comes_back_as_it_was, begin, end),
      cmocka_unit_test_setup_teardown(a_thread_has_no_log_once_they_are_stopped, begin, end),
      cmocka_unit_test_setup_teardown(the_oldest_entry_of_a_full_ring_has_left_it, begin, end),
      cmocka_unit_test_setup_teardown(one_s_own_log_ends_at_the_position, begin, end),
      cmocka_unit_test_setup_teardown(a_ring_is_read_while_it_is_written, begin, end),
      cmocka_unit_test_setup_teardown(some_logs_of_ended_threads_are_kept, begin, end),
      cmocka_unit_test_setup_teardown(a_log_that_is_used_again_is_empty, begin_large, end),
      cmocka_unit_test_setup_teardown(of_an_ended_thread_the_newest_entries_are_kept, begin_large,
                                      end),
      cmocka_unit_test_setup_teardown(of_an_ended_thread_a_few_entries_are_all_kept, begin_large,
                                      end),
      cmocka_unit_test(without_a_history_there_are_no_logs),
      cmocka_unit_test(the_history_has_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
