// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h: how much of the past is kept (G4), and what that costs: violations are missed,
// counted, and never invented.

#include "scenario.h"

enum { LONG = 5000, MOST = RSAN_COLLECT_MIN_ENTRIES * RSAN_COLLECT_BUSY_FACTOR };
_Static_assert(LONG > 2 * MOST, "else nothing need be collected");

static uint64_t entries(const struct scenario *s, int x) {
  return s->locations[x]->history.count + s->locations[x]->compact.records.count;
}

// T1 and T2 write by turns, in new epochs.
static void write_by_turns_at(struct scenario *s, int x, int times) {
  for (int i = 0; i < times; i++)
    assert_false(add(s, i % 2 ? T2 : T1, x, 1, RSAN_ACQ_REL));
}

static void write_by_turns(struct scenario *s, int times) {
  write_by_turns_at(s, X, times);
}

// T3 and T4 know nothing of it, so all of it could be asked for.
static void bounded_history_does_not_grow(void **state) {
  struct scenario *s = *state;
  write_by_turns(s, 2 * MOST);
  size_t blocks = rsan_host_live_blocks();
  write_by_turns(s, LONG);
  assert_true(entries(s, X) <= MOST);
  assert_true(s->locations[X]->history.room <= MOST);
  assert_int_equal(rsan_host_live_blocks(), blocks);
  assert_true(stat(s, RSAN_STAT_collections) > 0);
  assert_true(stat(s, RSAN_STAT_merged_records) > 0);
  assert_true(stat(s, RSAN_STAT_dropped_versions) > 0);
}

// X is collected while it is busy, and then, with or without many collections elsewhere, once more.
static void collect_busy_one(struct scenario *s, bool others) {
  write_by_turns(s, 2 * MOST);
  assert_true(s->locations[X]->history.room >= MOST / 4);
  if (others)
    write_by_turns_at(s, Y, RSAN_COLLECT_QUIET_SPAN * MOST);
  uint64_t collections = stat(s, RSAN_STAT_collections);
  while (stat(s, RSAN_STAT_collections) == collections)
    write_by_turns(s, 2);
}

static void what_was_busy_gives_room_back(void **state) {
  struct scenario *s = *state;
  collect_busy_one(s, true);
  assert_true(s->locations[X]->history.room < MOST / 4);
  assert_true(s->locations[X]->compact.records.room < MOST / 4);
}

static void what_is_busy_keeps_room(void **state) {
  struct scenario *s = *state;
  collect_busy_one(s, false);
  assert_true(s->locations[X]->history.room >= MOST / 4);
}

static void exact_history_keeps_what_a_thread_may_ask_for(void **state) {
  struct scenario *s = *state;
  write_by_turns(s, LONG);
  assert_true(entries(s, X) >= LONG);
  assert_int_equal(stat(s, RSAN_STAT_merged_records), 0);
  assert_int_equal(stat(s, RSAN_STAT_dropped_versions), 0);
}

static void exact_history_does_not_grow_when_all_keep_up(void **state) {
  struct scenario *s = *state;
  for (int i = 0; i < LONG; i++)
    assert_false(add(s, i % SCENARIO_THREADS, X, 1, RSAN_ACQ_REL));
  assert_true(entries(s, X) <= MOST);
  assert_true(stat(s, RSAN_STAT_collections) > 0);
}

// They may still be joined, but what they do not know nobody asks for any more.
static void finished_threads_need_not_keep_up(void **state) {
  struct scenario *s = *state;
  rsan_thread_finish(s->threads[T3]);
  rsan_thread_finish(s->threads[T4]);
  write_by_turns(s, LONG);
  assert_true(entries(s, X) <= MOST);
}

static void short_runs_are_not_collected(void **state) {
  struct scenario *s = *state;
  write_by_turns(s, RSAN_COLLECT_MIN_ENTRIES / 2 - 1);
  assert_int_equal(stat(s, RSAN_STAT_collections), 0);
}

// A collection that meets a moving clock is put off, and made up for.
static void a_collection_may_be_put_off(void **state) {
  struct scenario *s = *state;
  struct rsan_lock *moving = &s->threads[T3]->hb.moving;
  rsan_lock(moving);
  write_by_turns(s, RSAN_COLLECT_WAIT_ENTRIES / 4);
  assert_int_equal(stat(s, RSAN_STAT_collections), 0);
  assert_true(entries(s, X) > 2 * RSAN_COLLECT_MIN_ENTRIES);
  rsan_unlock(moving);
  write_by_turns(s, RSAN_COLLECT_MIN_ENTRIES);
  assert_true(stat(s, RSAN_STAT_collections) > 0);
}

// T2 sees version 2 of X and takes from an object that T1 released at version 1, `later` versions
// after that. No live view holds that moment, so bounded history gives it up.
static bool late_acquire(struct scenario *s, int later) {
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  store(s, T1, X, 1, RSAN_RELAXED);
  rsan_release(s->threads[T1], sync, RSAN_CERTAIN);
  store(s, T1, X, 2, RSAN_RELAXED);
  store(s, T1, Z, 1, RSAN_RELAXED);
  load(s, T2, Z, RSAN_RELAXED);
  for (int i = 0; i < later; i++) {
    fence(s, T1, RSAN_RELEASE);
    store(s, T1, X, 10 + (uint64_t)i, RSAN_RELAXED);
  }
  rsan_acquire(s->threads[T2], sync, RSAN_CERTAIN);
  rsan_sync_free(sync);
  return load(s, T2, X, RSAN_RELAXED);
}

static void exact_flags_what_is_old(void **state) {
  struct scenario *s = *state;
  assert_true(late_acquire(s, 100));
  assert_int_equal(s->violation.known, 1);
  assert_int_equal(s->violation.missed, 2);
}
static void bounded_misses_what_is_old(void **state) {
  assert_false(late_acquire(*state, 100));
}
static void bounded_flags_what_is_recent(void **state) {
  assert_true(late_acquire(*state, 2));
}

// A value that someone waits for is looked after: the version that overwrote it is the witness.
static bool waits_for_an_old_value(struct scenario *s, bool named) {
  if (named)
    wait_for(s, T2, X, 77, RSAN_RELAXED); // blocks: X is 0
  for (uint64_t i = 0; i < 100; i++)
    store(s, T1, X, i == 5 ? 77 : i + 100, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return wait_for(s, T2, X, 77, RSAN_RELAXED);
}

static void what_is_waited_for_is_kept(void **state) {
  assert_true(waits_for_an_old_value(*state, true));
}
static void bounded_forgets_other_values(void **state) {
  assert_false(waits_for_an_old_value(*state, false));
}
static void exact_keeps_all_values(void **state) {
  assert_true(waits_for_an_old_value(*state, false));
}

// The same, announced before the first wait, before one of the writes.
static bool flags_the_first_wait(struct scenario *s, uint64_t value, uint64_t before) {
  for (uint64_t i = 0; i < 100; i++) {
    if (i == before)
      track(s, X, value);
    store(s, T1, X, i == 50 ? 77 : i + 100, RSAN_RELAXED);
  }
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return wait_for(s, T2, X, 77, RSAN_RELAXED);
}

static void what_is_tracked_is_kept(void **state) { // before the first access of all
  assert_true(flags_the_first_wait(*state, 77, 0));
}
static void tracking_ends_a_streak(void **state) {
  assert_true(flags_the_first_wait(*state, 77, 49));
}
static void tracking_keeps_nothing_that_is_gone(void **state) {
  assert_false(flags_the_first_wait(*state, 77, 99));
}
static void tracking_keeps_no_other_value(void **state) {
  assert_false(flags_the_first_wait(*state, 78, 0));
}
static void what_is_tracked_outlives_a_foreign_write(void **state) {
  struct scenario *s = *state;
  track(s, X, 77);
  load(s, T1, X, RSAN_RELAXED);
  scenario_poke(s, X, 5);
  load(s, T1, X, RSAN_RELAXED);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 1);
  assert_true(flags_the_first_wait(s, 77, UINT64_MAX));
}
static void nothing_is_tracked_where_the_location_is_withdrawn(void **state) {
  struct scenario *s = *state;
  rsan_location_withdraw(s->engine, s->locations[X], 4);
  size_t blocks = rsan_host_live_blocks();
  track(s, X, 77);
  assert_int_equal(rsan_host_live_blocks(), blocks);
  assert_false(flags_the_first_wait(s, 77, 0));
}

// A thread that ends takes its views with it: its records are no more pinned.
static void ended_threads_leave_nothing(void **state) {
  struct scenario *s = *state;
  for (uint32_t i = 0; i < MOST; i++) {
    struct rsan_thread *child = rsan_thread_create(s->engine, s->threads[T1], 0);
    scenario_replace_thread(s, T4, child);
    add(s, T4, X, 1, RSAN_ACQ_REL);
    rsan_thread_finish(child);
    rsan_thread_join(s->threads[T1], child);
    add(s, T1, X, 1, RSAN_ACQ_REL);
  }
  assert_true(entries(s, X) <= MOST);
  assert_int_equal(stat(s, RSAN_STAT_index_reuse), MOST - 1);
  assert_int_equal(stat(s, RSAN_STAT_violations), 0);
}

static const struct CMUnitTest tests[] = {
    RSAN_ENGINE(bounded_history_does_not_grow, bounded),
    RSAN_ENGINE(what_was_busy_gives_room_back, bounded),
    RSAN_ENGINE(what_is_busy_keeps_room, bounded),
    RSAN_ENGINE(exact_history_keeps_what_a_thread_may_ask_for, exact),
    RSAN_ENGINE(exact_history_does_not_grow_when_all_keep_up, exact),
    RSAN_ENGINE(finished_threads_need_not_keep_up, exact),
    RSAN_ENGINE(short_runs_are_not_collected, bounded),
    RSAN_ENGINE(short_runs_are_not_collected, exact),
    RSAN_ENGINE(a_collection_may_be_put_off, bounded),
    RSAN_ENGINE(a_collection_may_be_put_off, exact),
    RSAN_ENGINE(exact_flags_what_is_old, exact),
    RSAN_ENGINE(exact_flags_what_is_old, explicit),
    RSAN_ENGINE(bounded_misses_what_is_old, bounded),
    RSAN_ENGINE(bounded_flags_what_is_recent, bounded),
    RSAN_ENGINE(what_is_waited_for_is_kept, bounded),
    RSAN_ENGINE(what_is_waited_for_is_kept, explicit),
    RSAN_ENGINE(bounded_forgets_other_values, bounded),
    RSAN_ENGINE(exact_keeps_all_values, exact),
    RSAN_ENGINE(exact_keeps_all_values, explicit),
    RSAN_ENGINE(what_is_tracked_is_kept, bounded),
    RSAN_ENGINE(what_is_tracked_is_kept, exact),
    RSAN_ENGINE(what_is_tracked_is_kept, explicit),
    RSAN_ENGINE(tracking_ends_a_streak, bounded),
    RSAN_ENGINE(tracking_keeps_nothing_that_is_gone, bounded),
    RSAN_ENGINE(tracking_keeps_no_other_value, bounded),
    RSAN_ENGINE(what_is_tracked_outlives_a_foreign_write, bounded),
    RSAN_ENGINE(nothing_is_tracked_where_the_location_is_withdrawn, bounded),
    RSAN_ENGINE(ended_threads_leave_nothing, bounded),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
