// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/fast/again.h, rsan/fast/alone.h: what random runs seldom ask of repeated accesses.

#include "scenario.h"

#include "fast/again.h"
#include "fast/alone.h"

// T1 writes n different values to X.
static void write_again_and_again(struct scenario *s, uint64_t n, enum rsan_order order) {
  for (uint64_t value = 1; value <= n; value++)
    assert_false(store(s, T1, X, value, order));
}

// T1 has written 1 to 9 to X, the last by the step at `site`. T2, which the SC order puts after
// that through the other location, waits for the value that the last write has overwritten.
static void expect_last_of_nine(struct scenario *s, int through, uint32_t site) {
  store(s, T1, through, 1, RSAN_RELAXED);
  load(s, T2, through, RSAN_RELAXED);
  assert_true(wait_for(s, T2, X, 8, RSAN_RELAXED));
  assert_int_equal(s->violation.missed, 9);
  assert_int_equal(s->violation.site, site);
  assert_int_equal(s->violation.stale.low, 8);
  assert_int_equal(s->violation.missed_value.low, 9);
}

static void a_repeated_write_is_what_is_missed(void **state) {
  struct scenario *s = *state;
  write_again_and_again(s, 9, RSAN_RELAXED);
  expect_last_of_nine(s, Y, SITE_OF_STEP_1 + 8);
}

// The SC order has told T1 of Z before the first of the writes; happens-before does between them.
static struct scenario *learn_between_releases(void **state, enum rsan_order learn) {
  struct scenario *s = *state;
  store(s, T3, Z, 1, RSAN_RELAXED);
  store(s, T3, Y, 1, RSAN_RELEASE);
  load(s, T1, Y, RSAN_RELAXED);
  write_again_and_again(s, 6, RSAN_RELEASE);
  load(s, T1, Y, learn);
  store(s, T1, X, 7, RSAN_RELEASE);
  load(s, T2, X, RSAN_ACQUIRE);
  return s;
}

static void a_repeated_release_releases_news(void **state) {
  assert_false(load(learn_between_releases(state, RSAN_ACQUIRE), T2, Z, RSAN_RELAXED));
}

static void a_repeated_release_releases_no_more(void **state) {
  assert_true(load(learn_between_releases(state, RSAN_RELAXED), T2, Z, RSAN_RELAXED));
}

static bool streak_stands_after_read_by(struct scenario *s, int reader) {
  write_again_and_again(s, 6, RSAN_RELAXED);
  assert_true(s->locations[X]->write.repeatable_write);
  load(s, reader, X, RSAN_RELAXED);
  return s->locations[X]->write.repeatable_write;
}

static void a_streak_s_word_comes_back_as_it_was(void **state) {
  (void)state;
  for (uint32_t number = 1; number < 1u << 28; number = 3 * number + 1) {
    struct rsan_thread thread = {.writer = {.writer_number = number << RSAN_FAST_WRITER}};
    struct rsan_thread next = {.writer = {.writer_number = (number + 1) << RSAN_FAST_WRITER}};
    for (uint32_t order = RSAN_RELAXED; order <= RSAN_SEQ_CST; order++)
      for (uint32_t plain = 0; plain < 2; plain++) {
        struct rsan_location location = {
            .write = {
                rsan_fast_write_of(thread.writer.writer_number, (enum rsan_order)order, plain)}};
        assert_true(rsan_fast_is_writer(&location.write, &thread.writer));
        assert_false(rsan_fast_is_writer(&location.write, &next.writer));
        assert_int_equal(location.write.repeatable_write >> 1 & 7, order);
        assert_int_equal(location.write.repeatable_write & 1, plain);
        assert_int_not_equal(location.write.repeatable_write, UINT32_MAX); // which is nobody's
      }
  }
}

// The host's number of the newest version's writer, if the number changes after six writes.
static uint32_t writer_after(struct scenario *s, uint32_t owner) {
  write_again_and_again(s, 6, RSAN_RELAXED);
  rsan_thread_set_owner(s->threads[T1], owner);
  write_again_and_again(s, 1, RSAN_RELAXED);
  const struct rsan_history *history = &s->locations[X]->history;
  return history->at[history->count - 1].owner;
}

static void another_owner_s_write_repeats_nothing(void **state) {
  assert_int_equal(writer_after(*state, 77), 77);
}

static void own_reads_end_no_streak(void **state) {
  assert_true(streak_stands_after_read_by(*state, T1));
}

static void the_reads_of_others_do(void **state) {
  assert_false(streak_stands_after_read_by(*state, T2));
}

// T1 knows the first of T2's writes to Y. X has been read by T2 and T3, and T1 comes after both.
static bool second_write_is_missed(struct scenario *s, bool reads_again) {
  store(s, T2, Y, 1, RSAN_RELEASE);
  load(s, T1, Y, RSAN_ACQUIRE);
  store(s, T3, Z, 1, RSAN_RELAXED);
  load(s, T2, X, RSAN_RELAXED);
  load(s, T3, X, RSAN_RELAXED);
  store(s, T2, Y, 2, RSAN_RELAXED);
  if (reads_again)
    load(s, T2, X, RSAN_RELAXED);
  store(s, T1, X, 1, RSAN_RELAXED);
  return load(s, T1, Y, RSAN_RELAXED);
}

static void a_read_of_what_is_known_has_a_place_in_the_sc_order(void **state) {
  assert_true(second_write_is_missed(*state, true));
}

static void a_read_of_what_is_known_has_that_place_alone(void **state) {
  assert_false(second_write_is_missed(*state, false));
}

// T2 has read T1's X without an acquire, and reads it once more.
static bool write_before_is_missed(struct scenario *s, enum rsan_order order) {
  store(s, T1, Z, 1, RSAN_RELAXED);
  store(s, T1, X, 1, RSAN_RELEASE);
  load(s, T2, X, RSAN_RELAXED);
  load(s, T2, X, order);
  return load(s, T2, Z, RSAN_RELAXED);
}

static void a_read_of_what_is_known_acquires(void **state) {
  assert_false(write_before_is_missed(*state, RSAN_ACQUIRE));
}

static void a_relaxed_read_of_what_is_known_does_not(void **state) {
  assert_true(write_before_is_missed(*state, RSAN_RELAXED));
}

// A relaxed load that is said to repeat one of the thread's.
static void load_again(struct scenario *s, int t, int x) {
  struct rsan_access again = {.kind = RSAN_READ,
                              .check = RSAN_CHECK_READ,
                              .order = RSAN_RELAXED,
                              .size = 8,
                              .repeats = true,
                              .seen = s->memory[x]};
  rsan_atomic_access(s->threads[t], s->locations[x], &again, &s->violation);
}

// As second_write_is_missed has it, but T2's last load of X is said to repeat its first one.
static bool second_write_is_missed_after(struct scenario *s, bool repeats) {
  store(s, T2, Y, 1, RSAN_RELEASE);
  load(s, T1, Y, RSAN_ACQUIRE);
  load(s, T2, X, RSAN_RELAXED);
  store(s, T2, Y, 2, RSAN_RELAXED);
  if (repeats)
    load_again(s, T2, X);
  store(s, T1, X, 1, RSAN_RELAXED);
  return load(s, T1, Y, RSAN_RELAXED);
}

static void a_load_that_repeats_has_a_place_in_the_sc_order(void **state) {
  assert_true(second_write_is_missed_after(*state, true));
}

static void a_load_that_is_not_repeated_has_its_first_place(void **state) {
  assert_false(second_write_is_missed_after(*state, false));
}

// What a load finds that something else has changed is nothing that it repeats.
static void a_load_of_another_value_repeats_nothing(void **state) {
  struct scenario *s = *state;
  load(s, T2, X, RSAN_RELAXED);
  scenario_poke(s, X, 7);
  load_again(s, T2, X);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 1);
}

#ifndef RSAN_VERIFY // which keeps the explicit clocks: rsan_store_repeats does nothing
// T1 writes 9 times and then asks for one more write as hosts do: first whether it repeats the
// last.
static enum rsan_repeated asks(struct scenario *s, enum rsan_order order, uint32_t site) {
  struct rsan_value *x = &s->memory[X];
  enum rsan_repeated repeated =
      rsan_store_repeats(s->threads[T1], s->locations[X], order, site, x->low, x->low + 1);
  x->low += repeated != RSAN_NOT_REPEATED;
  return repeated;
}

static uint32_t write_nine_times(struct scenario *s) {
  write_again_and_again(s, 9, RSAN_RELAXED);
  return SITE_OF_STEP_1 + s->steps - 1;
}

static void a_store_that_repeats_the_last_one_is_done(void **state) {
  struct scenario *s = *state;
  uint32_t site = write_nine_times(s);
  assert_int_equal(asks(s, RSAN_RELAXED, site), RSAN_REPEATED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  assert_true(wait_for(s, T2, X, 9, RSAN_RELAXED));
  assert_int_equal(s->violation.missed, 10);
  assert_int_equal(s->violation.missed_value.low, 10);
}

static void a_store_that_repeats_nothing_is_not(void **state) {
  struct scenario *s = *state;
  uint32_t site = write_nine_times(s);
  assert_int_equal(asks(s, RSAN_RELEASE, site), RSAN_NOT_REPEATED);
  load(s, T2, X, RSAN_RELAXED);
  assert_int_equal(asks(s, RSAN_RELAXED, site), RSAN_NOT_REPEATED);
}

static void an_add_is_no_store_that_repeats(void **state) {
  struct scenario *s = *state;
  uint32_t site = write_nine_times(s);
  for (int i = 0; i < 3; i++)
    add(s, T1, X, 1, RSAN_RELAXED);
  assert_int_equal(asks(s, RSAN_RELAXED, site), RSAN_NOT_REPEATED);
  assert_int_equal(rsan_rmw_repeats(s->threads[T1], s->locations[X], RSAN_RELAXED, site,
                                    s->memory[X].low, s->memory[X].low),
                   RSAN_REPEATED_UNNOTED); // of another program point
}
#endif

// With explicit clocks no write counts as a repetition, with a streak and without.
static void with_explicit_clocks_nothing_is_asked_first(void **state) {
  struct scenario *s = *state;
  uint64_t value = s->memory[X].low;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(
        rsan_rmw_repeats(s->threads[T1], s->locations[X], RSAN_RELAXED, 0, value, value),
        RSAN_NOT_REPEATED);
    assert_int_equal(
        rsan_store_repeats(s->threads[T1], s->locations[X], RSAN_RELAXED, 0, value, value),
        RSAN_NOT_REPEATED);
    add(s, T1, X, 0, RSAN_RELAXED);
  }
}

// T1 writes n different values to X, and releases at Y in between.
static void write_in_turns(struct scenario *s, uint64_t n, enum rsan_order order) {
  for (uint64_t value = 1; value <= n; value++) {
    assert_false(store(s, T1, X, value, order));
    assert_false(store(s, T1, Y, value, RSAN_RELEASE));
  }
}

// Would T1's next write of X be one of fast/alone.h?
static bool writes_alone(const struct scenario *s, enum rsan_order order) {
  struct rsan_access access = {
      .kind = RSAN_RMW, .check = RSAN_CHECK_WRITE, .order = order, .size = 8, .seen = s->memory[X]};
  return rsan_alone_applies(s->threads[T1], s->locations[X], &access);
}

static void who_wrote_last_writes_alone(void **state) {
  struct scenario *s = *state;
  write_in_turns(s, 6, RSAN_RELEASE);
  assert_true(writes_alone(s, RSAN_ACQ_REL));
  assert_true(writes_alone(s, RSAN_RELAXED));
  assert_false(writes_alone(s, RSAN_SEQ_CST));
  scenario_poke(s, X, 9);
  assert_false(writes_alone(s, RSAN_ACQ_REL)); // something else has changed the value
  scenario_poke(s, X, 6);
  store(s, T1, X, 7, RSAN_RELEASE);
  assert_false(writes_alone(s, RSAN_ACQ_REL)); // its last release is the one here
}

static void not_after_others(void **state) {
  struct scenario *s = *state;
  write_in_turns(s, 4, RSAN_RELEASE);
  load(s, T2, X, RSAN_RELAXED);
  assert_false(writes_alone(s, RSAN_ACQ_REL));
  store(s, T1, X, 7, RSAN_RELEASE);
  store(s, T1, Y, 7, RSAN_RELEASE);
  assert_true(writes_alone(s, RSAN_ACQ_REL));
  add(s, T2, X, 1, RSAN_RELAXED);
  assert_false(writes_alone(s, RSAN_ACQ_REL));
}

static void a_write_in_turns_is_what_is_missed(void **state) {
  struct scenario *s = *state;
  write_in_turns(s, 9, RSAN_RELAXED);
  expect_last_of_nine(s, Z, SITE_OF_STEP_1 + 16);
}

// T3 writes Z. T1 writes X six times, reads Z, and writes X once more: by the order of its read it
// learns what T3 has released, or not.
static struct scenario *learn_between_turns(void **state, enum rsan_order learn) {
  struct scenario *s = *state;
  store(s, T3, Z, 1, RSAN_RELEASE);
  write_in_turns(s, 6, RSAN_RELEASE);
  load(s, T1, Z, learn);
  store(s, T1, X, 7, RSAN_RELEASE);
  load(s, T2, X, RSAN_ACQUIRE);
  return s;
}

static void a_release_in_turns_releases_news(void **state) {
  assert_false(load(learn_between_turns(state, RSAN_ACQUIRE), T2, Z, RSAN_RELAXED));
}

// T2 writes Z and reads X, or does not, between T1's writes of X.
static struct scenario *write_around_t2(void **state, bool reads) {
  struct scenario *s = *state;
  write_in_turns(s, 6, RSAN_RELEASE);
  store(s, T2, Z, 1, RSAN_RELAXED);
  if (reads)
    load(s, T2, X, RSAN_RELAXED);
  store(s, T1, X, 7, RSAN_RELEASE);
  return s;
}

static void a_write_in_turns_is_after_its_reader(void **state) {
  assert_true(load(write_around_t2(state, true), T1, Z, RSAN_RELAXED));
}

static void a_write_in_turns_is_after_nobody_else(void **state) {
  assert_false(load(write_around_t2(state, false), T1, Z, RSAN_RELAXED));
}

// What T2 releases by a read-modify-write of X, T1 acquires by its next one.
static struct scenario *add_around_t2(void **state, enum rsan_order order) {
  struct scenario *s = *state;
  write_in_turns(s, 6, RSAN_RELEASE);
  store(s, T2, Z, 1, RSAN_RELAXED);
  add(s, T2, X, 1, order);
  add(s, T1, X, 1, RSAN_ACQ_REL);
  return s;
}

static void an_add_in_turns_acquires(void **state) {
  assert_false(load(add_around_t2(state, RSAN_RELEASE), T1, Z, RSAN_RELAXED));
}

static void an_add_in_turns_acquires_no_more(void **state) {
  assert_true(load(add_around_t2(state, RSAN_RELAXED), T1, Z, RSAN_RELAXED));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RSAN_EVERY_ENGINE(a_repeated_write_is_what_is_missed),
      RSAN_EVERY_ENGINE(a_repeated_release_releases_news),
      RSAN_EVERY_ENGINE(a_repeated_release_releases_no_more),
      RSAN_EVERY_ENGINE(a_read_of_what_is_known_has_a_place_in_the_sc_order),
      RSAN_EVERY_ENGINE(a_read_of_what_is_known_has_that_place_alone),
      RSAN_EVERY_ENGINE(a_read_of_what_is_known_acquires),
      RSAN_EVERY_ENGINE(a_relaxed_read_of_what_is_known_does_not),
      RSAN_EVERY_ENGINE(a_load_that_repeats_has_a_place_in_the_sc_order),
      RSAN_EVERY_ENGINE(a_load_that_is_not_repeated_has_its_first_place),
      RSAN_EVERY_ENGINE(a_load_of_another_value_repeats_nothing),
#ifndef RSAN_VERIFY
      RSAN_ENGINE(a_store_that_repeats_the_last_one_is_done, bounded),
      RSAN_ENGINE(a_store_that_repeats_nothing_is_not, bounded),
      RSAN_ENGINE(an_add_is_no_store_that_repeats, bounded),
#endif
      RSAN_ENGINE(with_explicit_clocks_nothing_is_asked_first, explicit),
      cmocka_unit_test(a_streak_s_word_comes_back_as_it_was),
      RSAN_ENGINE(another_owner_s_write_repeats_nothing, bounded),
      RSAN_ENGINE(own_reads_end_no_streak, bounded),
      RSAN_ENGINE(the_reads_of_others_do, bounded),
      RSAN_ENGINE(who_wrote_last_writes_alone, bounded),
      RSAN_ENGINE(not_after_others, bounded),
      RSAN_EVERY_ENGINE(a_write_in_turns_is_what_is_missed),
      RSAN_EVERY_ENGINE(a_release_in_turns_releases_news),
      RSAN_EVERY_ENGINE(a_write_in_turns_is_after_its_reader),
      RSAN_EVERY_ENGINE(a_write_in_turns_is_after_nobody_else),
      RSAN_EVERY_ENGINE(an_add_in_turns_acquires),
      RSAN_EVERY_ENGINE(an_add_in_turns_acquires_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
