// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine notes for explanations, and rsan_explain. (tests/explain looks at what is found
// in random runs.)

#include "scenario.h"

static struct rsan_options as_fences = {.explain_history = 64, .seq_cst = RSAN_SEQ_CST_FENCE};

static struct rsan_explanation explain(struct scenario *s, int t, int x, enum rsan_order order) {
  struct rsan_access access = {
      .kind = RSAN_READ, .order = order, .size = 4, .address = (uint64_t)x};
  struct rsan_explanation why;
  rsan_explain(s->threads[t], &access, &s->violation, &why);
  return why;
}

// X by T1, Y by T2, each then reads the other's: flagged in T2.
static void store_buffering(struct scenario *s) {
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
}

static void the_cycle_has_four_steps(void **state) {
  store_buffering(*state);
  struct rsan_explanation why = explain(*state, T2, X, RSAN_RELAXED);
  assert_int_equal(why.state, RSAN_EXPLAINED);
  assert_int_equal(why.step_count, 4);
  assert_int_equal(why.steps[0].to_next, RSAN_PROGRAM_ORDER);
  assert_int_equal(why.steps[1].to_next, RSAN_FROM_READ);
  assert_int_equal(why.steps[2].to_next, RSAN_PROGRAM_ORDER);
  assert_int_equal(why.steps[3].to_next, RSAN_FROM_READ);
  assert_int_equal(why.steps[0].owner, OWNER_OF_T1);
  assert_int_equal(why.steps[3].owner, OWNER_OF_T1 + 1);
  assert_int_equal(why.steps[0].site, SITE_OF_STEP_1);
  assert_int_equal(why.repair_count, 2);
  assert_int_equal(why.repairs[0].step, 0);
  assert_int_equal(why.repairs[1].step, 2);
  assert_int_equal(stat(*state, RSAN_STAT_explained), 1);
}

static void a_fence_that_is_there_is_not_proposed(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  fence(s, T1, RSAN_SEQ_CST);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  struct rsan_explanation why = explain(s, T2, X, RSAN_RELAXED);
  assert_int_equal(why.repair_count, 1);
  assert_int_equal(why.repairs[0].kind, RSAN_REPAIR_FENCE);
  assert_int_equal(why.repairs[0].step, 2);
}

static void a_message_needs_orders_only(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  struct rsan_explanation why = explain(s, T2, X, RSAN_RELAXED);
  assert_int_equal(why.steps[1].to_next, RSAN_READS_FROM);
  assert_int_equal(why.repair_count, 2);
  assert_int_equal(why.repairs[0].kind, RSAN_REPAIR_ORDER);
  assert_int_equal(why.repairs[0].step, 1);
  assert_int_equal(why.repairs[0].order, RSAN_RELEASE);
  assert_int_equal(why.repairs[1].step, 2);
  assert_int_equal(why.repairs[1].order, RSAN_ACQUIRE);
}

// X, and the data Y and Z; the reader looks at Y, Z and X again.
static struct rsan_explanation hand_over_two(struct scenario *s, enum rsan_order first_read,
                                             enum rsan_order second_read) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELEASE);
  store(s, T1, Z, 1, RSAN_RELEASE);
  load(s, T2, Y, first_read);
  load(s, T2, Z, second_read);
  if (!load(s, T2, X, RSAN_RELAXED))
    return (struct rsan_explanation){.state = RSAN_UNEXPLAINED};
  return explain(s, T2, X, RSAN_RELAXED);
}

static void a_hand_over_has_its_sibling(void **state) {
  struct rsan_explanation why = hand_over_two(*state, RSAN_RELAXED, RSAN_RELAXED);
  assert_int_equal(why.repair_count, 1);
  assert_int_equal(why.sibling_count, 1);
  assert_int_not_equal(why.siblings[0].read.pc, why.repairs[0].pc);
  assert_true(why.siblings[0].releases);
  assert_false(why.siblings[0].acquires);
  assert_false(why.siblings_missing);
}

static void a_sibling_lacks_what_its_accesses_lack(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  store(s, T1, Z, 1, RSAN_RELEASE);
  load(s, T2, Y, RSAN_ACQUIRE);
  load(s, T2, Z, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  struct rsan_explanation why = explain(s, T2, X, RSAN_RELAXED);
  assert_int_equal(why.repair_count, 1); // of Z, the later one
  assert_int_equal(why.sibling_count, 1);
  assert_false(why.siblings[0].releases);
  assert_true(why.siblings[0].acquires);
}

static void what_the_reader_has_not_seen_is_no_sibling(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELEASE);
  store(s, T1, Z, 1, RSAN_RELEASE);
  load(s, T2, Z, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  struct rsan_explanation why = explain(s, T2, X, RSAN_RELAXED);
  assert_int_equal(why.repair_count, 1);
  assert_int_equal(why.sibling_count, 0);
}

// An unlock that a lock has not seen does not come before it.
static void a_lock_notes_the_unlocks_that_it_saw(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *mutex = rsan_sync_new(s->engine);
  struct rsan_log_snapshot snapshot;
  rsan_acquire(s->threads[T2], mutex, RSAN_CERTAIN); // none: nothing is noted
  assert_int_equal(rsan_log_head(s->threads[T2]->log), 0);
  rsan_release(s->threads[T1], mutex, RSAN_CERTAIN);
  rsan_acquire(s->threads[T2], mutex, RSAN_CERTAIN);
  rsan_release_merge(s->threads[T3], mutex, RSAN_CERTAIN);
  rsan_log_snapshot(&s->engine->logs, s->threads[T2]->log, UINT64_MAX, &snapshot);
  const struct rsan_log_entry *lock = &snapshot.entries[snapshot.threads[snapshot.own].first];
  assert_int_equal(lock->step, RSAN_STEP_LOCK);
  assert_int_equal(lock->object, mutex->object);
  assert_int_equal(lock->number, 1);
  assert_int_equal(mutex->releases, 2);
  rsan_log_snapshot_clear(&snapshot);
  rsan_sync_free(mutex);
}

static void without_logs_there_is_no_explanation(void **state) {
  store_buffering(*state);
  struct rsan_explanation why = explain(*state, T2, X, RSAN_RELAXED);
  assert_int_equal(why.state, RSAN_UNEXPLAINED);
  assert_int_equal(why.step_count, 0);
  assert_int_equal(why.repair_count, 0);
}

static void a_chain_that_has_left_the_logs_is_not_made_up(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  for (uint64_t i = 0; i < 100; i++)
    store(s, T1, Z, i, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELAXED);
  assert_true(load(s, T2, X, RSAN_RELAXED));
  struct rsan_explanation why = explain(s, T2, X, RSAN_RELAXED);
  assert_int_equal(why.state, RSAN_EXPLAIN_LEFT_LOG);
  assert_int_equal(why.step_count, 0);
  assert_int_equal(why.repair_count, 0);
  assert_int_equal(why.history, 64);
  assert_int_equal(stat(s, RSAN_STAT_unexplained), 1);
}

// Reads of the same version one after the other, and fences, are noted once.
static void what_repeats_does_not_fill_the_log(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  for (int i = 0; i < 100; i++) {
    load(s, T1, Z, RSAN_RELAXED);
    fence(s, T1, RSAN_ACQUIRE);
    fence(s, T1, RSAN_ACQUIRE);
  }
  uint64_t noted = rsan_log_head(s->threads[T1]->log);
  for (int i = 0; i < 100; i++)
    load(s, T1, Z, RSAN_RELAXED);
  assert_int_equal(rsan_log_head(s->threads[T1]->log), noted + 1);
  for (int i = 0; i < 100; i++)
    fence(s, T1, RSAN_SEQ_CST);
  assert_int_equal(rsan_log_head(s->threads[T1]->log), noted + 2);
  bool fences = s->engine->options.seq_cst == RSAN_SEQ_CST_FENCE; // before each of these:
  for (int i = 0; i < 100; i++)
    load(s, T1, Z, RSAN_SEQ_CST);
  assert_int_equal(rsan_log_head(s->threads[T1]->log), noted + (fences ? 102 : 3));
}

// Where a mutex is unlocked by who has not locked it, nothing says that its unlocks are ordered.
static void unlocks_are_one_object_only_where_locks_connect_them(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *mutex = rsan_sync_new(s->engine);
  store(s, T1, X, 1, RSAN_RELAXED); // what T2 has to learn
  rsan_release(s->threads[T1], mutex, RSAN_CERTAIN);
  uint64_t object = mutex->object;
  assert_int_not_equal(object, 0);
  rsan_acquire(s->threads[T2], mutex, RSAN_CERTAIN);
  rsan_release(s->threads[T2], mutex, RSAN_CERTAIN);
  assert_int_equal(mutex->object, object);
  assert_int_equal(mutex->releases, 2);
  rsan_release(s->threads[T3], mutex, RSAN_CERTAIN);
  assert_int_not_equal(mutex->object, object);
  assert_int_equal(mutex->releases, 1);
  object = mutex->object;
  rsan_release_merge(s->threads[T4], mutex, RSAN_CERTAIN); // adds
  assert_int_equal(mutex->object, object);
  rsan_release(s->threads[T4], mutex, RSAN_UNCERTAIN);
  rsan_acquire(s->threads[T1], mutex, RSAN_CERTAIN);
  assert_int_equal(mutex->object, 0);
  rsan_sync_free(mutex);
}

static void each_beginning_of_a_history_is_another_object(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  uint64_t object = s->locations[X]->object;
  store(s, T1, X, 2, RSAN_RELAXED);
  assert_int_equal(s->locations[X]->object, object);
  scenario_poke(s, X, 7);
  load(s, T1, X, RSAN_RELAXED);
  assert_int_not_equal(s->locations[X]->object, object);
  object = s->locations[X]->object;
  unchecked(s, T1, X, (struct rsan_access){.kind = RSAN_WRITE, .written = {9, 0}});
  assert_int_not_equal(s->locations[X]->object, object);
}

#define WITH_LOGS(test) RSAN_ENGINE(test, with_logs)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_LOGS(the_cycle_has_four_steps),
      WITH_LOGS(a_fence_that_is_there_is_not_proposed),
      WITH_LOGS(a_message_needs_orders_only),
      WITH_LOGS(a_hand_over_has_its_sibling),
      WITH_LOGS(a_sibling_lacks_what_its_accesses_lack),
      WITH_LOGS(what_the_reader_has_not_seen_is_no_sibling),
      WITH_LOGS(a_lock_notes_the_unlocks_that_it_saw),
      RSAN_ENGINE(without_logs_there_is_no_explanation, bounded),
      WITH_LOGS(a_chain_that_has_left_the_logs_is_not_made_up),
      WITH_LOGS(what_repeats_does_not_fill_the_log),
      {"what_repeats_does_not_fill_the_log (fences)", what_repeats_does_not_fill_the_log,
       scenario_begin, scenario_end, &as_fences},
      WITH_LOGS(unlocks_are_one_object_only_where_locks_connect_them),
      WITH_LOGS(each_beginning_of_a_history_is_another_object),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
