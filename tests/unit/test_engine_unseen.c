// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes that the host does not see (rsan/engine/unseen.h): a thread that acquires such a value
// knows all that was done before. In the twin of each test the host has seen the write, and its
// value tells the thread nothing.

#include "host_libc.h"
#include "scenario.h"

static struct rsan_options scenario_armv8 = {.targets = RSAN_TARGET_ARM};

// T1 writes X and Y. Something else then writes Z.
static void begin(struct scenario *s) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Z, RSAN_RELAXED);
  scenario_poke(s, Z, 1);
}

// The next access is the first one to find what was written.
static bool find(struct scenario *s, bool unseen, int t, enum rsan_order order) {
  rsan_host_writer = unseen ? RSAN_WRITER_UNSEEN : RSAN_WRITER_SEEN;
  bool flagged = load(s, t, Z, order);
  rsan_host_writer = RSAN_WRITER_SEEN;
  return flagged;
}

// T2 sees X's write by Y.
static bool misses_x(struct scenario *s, int t) {
  load(s, t, Y, RSAN_RELAXED);
  return load(s, t, X, RSAN_RELAXED);
}

static bool misses_x_after_acquire(struct scenario *s, bool unseen) {
  begin(s);
  find(s, unseen, T2, RSAN_ACQUIRE);
  return misses_x(s, T2);
}
static void who_acquires_it_knows_what_was_done(void **state) {
  assert_false(misses_x_after_acquire(*state, true));
  assert_int_equal(stat(*state, RSAN_STAT_unseen_writes), 1);
}
static void a_foreign_write_says_nothing(void **state) {
  assert_true(misses_x_after_acquire(*state, false));
  assert_int_equal(stat(*state, RSAN_STAT_unseen_writes), 0);
}

static bool misses_x_after_fence(struct scenario *s, bool fences) {
  begin(s);
  find(s, true, T2, RSAN_RELAXED);
  if (fences)
    fence(s, T2, RSAN_ACQUIRE);
  return misses_x(s, T2);
}
static void an_acquire_fence_after_a_relaxed_read_does(void **state) {
  assert_false(misses_x_after_fence(*state, true));
}
static void a_relaxed_read_alone_does_not(void **state) {
  assert_true(misses_x_after_fence(*state, false));
}

// T3 finds it, T2 reads it later, or what T3 has written over it.
static bool misses_x_after_another(struct scenario *s, bool overwritten) {
  begin(s);
  find(s, true, T3, RSAN_RELAXED);
  if (overwritten)
    store(s, T3, Z, 2, RSAN_RELAXED);
  load(s, T2, Z, RSAN_ACQUIRE);
  return misses_x(s, T2);
}
static void not_only_the_first_reader_does(void **state) {
  assert_false(misses_x_after_another(*state, false));
}
static void who_reads_another_value_does_not(void **state) {
  assert_true(misses_x_after_another(*state, true));
}

// A read-modify-write continues the release sequence of what it has found.
static void a_read_modify_write_hands_it_on(void **state) {
  struct scenario *s = *state;
  begin(s);
  rsan_host_writer = RSAN_WRITER_UNSEEN;
  add(s, T3, Z, 1, RSAN_RELAXED);
  rsan_host_writer = RSAN_WRITER_SEEN;
  load(s, T2, Z, RSAN_ACQUIRE);
  assert_false(misses_x(s, T2));
}

// What T1 has done in its present epoch before counts, what it does from then on does not.
static void later_writes_are_missed(void **state) {
  struct scenario *s = *state;
  begin(s);
  find(s, true, T2, RSAN_ACQUIRE);
  store(s, T1, X, 2, RSAN_RELAXED);
  store(s, T1, Y, 2, RSAN_RELAXED);
  assert_true(misses_x(s, T2));
}

// A thread that has ended and that nobody has joined.
static bool misses_x_of_the_ended(struct scenario *s, bool unseen) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  rsan_thread_finish(s->threads[T1]);
  scenario_replace_thread(s, T1, NULL);
  load(s, T2, Z, RSAN_RELAXED);
  scenario_poke(s, Z, 1);
  find(s, unseen, T2, RSAN_ACQUIRE);
  return misses_x(s, T2);
}
static void of_threads_that_have_ended_as_well(void **state) {
  assert_false(misses_x_of_the_ended(*state, true));
}
static void else_they_are_not_known(void **state) {
  assert_true(misses_x_of_the_ended(*state, false));
}

// T1 learns of T3's write of X by M and then releases that with the epoch that T2 has of it: if
// the end of the epoch was lost, T2 must not take that publication for known.
static void what_the_epoch_releases_later_is_not_taken_for_known(void **state) {
  struct scenario *s = *state;
  begin(s);
  find(s, true, T2, RSAN_ACQUIRE);
  s->threads[T1]->hb.c.index -= 2 * RSAN_HB_MARGIN; // both moved it on at once
  store(s, T3, X, 2, RSAN_RELAXED);
  store(s, T3, Y, 2, RSAN_RELEASE);
  load(s, T1, Y, RSAN_ACQUIRE);
  store(s, T1, Z, 2, RSAN_RELEASE);
  load(s, T2, Z, RSAN_ACQUIRE);
  assert_false(misses_x(s, T2));
}

// T1 releases at X while its epoch is ended for T2, so that the end is lost. Its records of that
// epoch, which T2 has, stay, though nobody has taken what T1 released with it.
static void records_of_the_epoch_stay(void **state) {
  struct scenario *s = *state;
  uint64_t *epoch = &s->threads[T1]->hb.c.index;
  begin(s);
  store(s, T1, X, 2, RSAN_RELEASE);
  --*epoch;
  find(s, true, T2, RSAN_ACQUIRE);
  *epoch -= 2 * RSAN_HB_MARGIN - 1;
  store(s, T1, X, 3, RSAN_RELEASE);
  assert_false(misses_x(s, T2));
}

// What T1 has done in its present epoch counts, what it does from then on does not.
static bool misses_x_after_everything(struct scenario *s, bool acquires) {
  begin(s);
  if (acquires)
    rsan_acquire_everything(s->threads[T2], RSAN_STAT_unseen_answers);
  return misses_x(s, T2);
}
static void who_acquires_everything_knows_what_was_done(void **state) {
  assert_false(misses_x_after_everything(*state, true));
  assert_int_equal(stat(*state, RSAN_STAT_unseen_answers), 1);
}
static void else_nobody_does(void **state) {
  assert_true(misses_x_after_everything(*state, false));
  assert_int_equal(stat(*state, RSAN_STAT_unseen_answers), 0);
}
static void it_does_not_know_later_writes(void **state) {
  struct scenario *s = *state;
  begin(s);
  rsan_acquire_everything(s->threads[T2], RSAN_STAT_unseen_answers);
  store(s, T1, X, 2, RSAN_RELAXED);
  store(s, T1, Y, 2, RSAN_RELAXED);
  assert_true(misses_x(s, T2));
}

// Between a look at a thread's epoch and its end the thread may move on by any number.
static struct scenario *moving;
static void move_on(void) {
  for (int i = 0; i < 10 * SCENARIO_THREADS; i++)
    fence(moving, i % SCENARIO_THREADS, RSAN_RELEASE);
}
static void the_epoch_of_a_busy_thread_is_ended(void **state) {
  struct scenario *s = moving = *state;
  begin(s);
  rsan_host_at_alloc = move_on; // at that of the floors
  rsan_acquire_everything(s->threads[T2], RSAN_STAT_unseen_answers);
  assert_null(rsan_host_at_alloc);
  assert_false(misses_x(s, T2));
}

// With `ending` T1's function has returned. Then T3 finds a value at Z that T1 may have written at
// its end, and the reader acquires it. May it miss T1's write of X?
static bool misses_x_of_the_ending(struct scenario *s, bool ending, int reader) {
  begin(s);
  if (ending)
    rsan_thread_ending(s->threads[T1]);
  rsan_host_writer = RSAN_WRITER_ENDING;
  load(s, T3, Z, RSAN_ACQUIRE);
  rsan_host_writer = RSAN_WRITER_SEEN;
  load(s, reader, Z, RSAN_ACQUIRE);
  return misses_x(s, reader);
}
static void what_ending_threads_have_done_is_known(void **state) {
  assert_false(misses_x_of_the_ending(*state, true, T3));
}
static void to_later_readers_too(void **state) {
  assert_false(misses_x_of_the_ending(*state, true, T2));
}
static void also_by_a_machine(void **state) {
  assert_false(misses_x_of_the_ending(*state, true, T2));
}
static void else_a_machine_shows_it(void **state) {
  assert_true(misses_x_of_the_ending(*state, false, T2));
}

// T4's write of X is S-before its read of Y, and that before T1's write and fence. No
// happens-before leads from T4 to T1.
static bool misses_what_the_fence_knows(struct scenario *s, bool ending) {
  store(s, T4, X, 1, RSAN_SEQ_CST);
  load(s, T4, Y, RSAN_SEQ_CST);
  store(s, T1, Y, 1, RSAN_SEQ_CST);
  fence(s, T1, RSAN_SEQ_CST);
  load(s, T2, Z, RSAN_RELAXED);
  scenario_poke(s, Z, 1);
  if (ending)
    rsan_thread_ending(s->threads[T1]);
  rsan_host_writer = RSAN_WRITER_ENDING;
  load(s, T3, Z, RSAN_ACQUIRE);
  rsan_host_writer = RSAN_WRITER_SEEN;
  load(s, T2, Z, RSAN_ACQUIRE);
  return misses_x(s, T2);
}
static void what_their_fences_know_is_known_to_later_readers(void **state) {
  assert_false(misses_what_the_fence_knows(*state, true));
}
static void what_the_fences_of_others_know_is_not(void **state) {
  assert_true(misses_what_the_fence_knows(*state, false));
}

static void what_others_have_done_is_not(void **state) {
  assert_true(misses_x_of_the_ending(*state, false, T3));
}

static const struct CMUnitTest tests[] = {
    RSAN_EVERY_ENGINE(who_acquires_it_knows_what_was_done),
    RSAN_EVERY_ENGINE(a_foreign_write_says_nothing),
    RSAN_EVERY_ENGINE(an_acquire_fence_after_a_relaxed_read_does),
    RSAN_ENGINE(a_relaxed_read_alone_does_not, bounded),
    RSAN_ENGINE(a_relaxed_read_alone_does_not, exact),
    RSAN_EVERY_ENGINE(not_only_the_first_reader_does),
    RSAN_ENGINE(who_reads_another_value_does_not, bounded),
    RSAN_ENGINE(who_reads_another_value_does_not, exact),
    RSAN_EVERY_ENGINE(a_read_modify_write_hands_it_on),
    RSAN_EVERY_ENGINE(later_writes_are_missed),
    RSAN_EVERY_ENGINE(of_threads_that_have_ended_as_well),
    RSAN_EVERY_ENGINE(else_they_are_not_known),
    RSAN_ENGINE(what_the_epoch_releases_later_is_not_taken_for_known, bounded),
    RSAN_ENGINE(what_the_epoch_releases_later_is_not_taken_for_known, exact),
    RSAN_ENGINE(records_of_the_epoch_stay, bounded),
    RSAN_ENGINE(records_of_the_epoch_stay, exact),
    RSAN_EVERY_ENGINE(who_acquires_everything_knows_what_was_done),
    RSAN_EVERY_ENGINE(else_nobody_does),
    RSAN_EVERY_ENGINE(it_does_not_know_later_writes),
    RSAN_ENGINE(the_epoch_of_a_busy_thread_is_ended, bounded),
    RSAN_EVERY_ENGINE(what_ending_threads_have_done_is_known),
    RSAN_EVERY_ENGINE(to_later_readers_too),
    RSAN_ENGINE(also_by_a_machine, armv8),
    RSAN_ENGINE(else_a_machine_shows_it, armv8),
    RSAN_EVERY_ENGINE(what_their_fences_know_is_known_to_later_readers),
    RSAN_EVERY_ENGINE(what_the_fences_of_others_know_is_not),
    RSAN_EVERY_ENGINE(what_others_have_done_is_not),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
