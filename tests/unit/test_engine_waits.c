// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/engine.h: waits and blocking read-modify-writes until any condition holds. T1 leaves other
// values in X, T2 sees that by Y and knows nothing of it. What is asked: would a value that was
// overwritten have satisfied the condition?

#include "scenario.h"

static struct rsan_condition condition(enum rsan_relation relation, uint64_t operand) {
  return (struct rsan_condition){.operand = {operand, 0}, .relation = (uint8_t)relation, .size = 8};
}

static void pass_to_t2(struct scenario *s) {
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
}

// X was `old` and is `next`.
static struct scenario *changed(void **state, uint64_t old, uint64_t next) {
  struct scenario *s = *state;
  scenario_poke(s, X, old);
  store(s, T1, X, next, RSAN_RELAXED);
  pass_to_t2(s);
  return s;
}

// Each relation, on three old values: below the operand 5, equal, above.
static const struct {
  enum rsan_relation relation;
  bool below, equal, above;
} relations[] = {
    {RSAN_EQUAL, false, true, false},     {RSAN_NOT_EQUAL, true, false, true},
    {RSAN_U_LESS, true, false, false},    {RSAN_U_AT_MOST, true, true, false},
    {RSAN_U_GREATER, false, false, true}, {RSAN_U_AT_LEAST, false, true, true},
    {RSAN_S_LESS, true, false, false},    {RSAN_S_AT_MOST, true, true, false},
    {RSAN_S_GREATER, false, false, true}, {RSAN_S_AT_LEAST, false, true, true},
};
enum { ROWS = sizeof relations / sizeof relations[0] };

// T2 is to know none of it again: it becomes a thread without creator, who sees what T1 did.
static bool flagged_after(struct scenario *s, uint64_t old, struct rsan_condition asked, bool rmw) {
  scenario_replace_thread(s, T2, rsan_thread_create(s->engine, NULL, 0));
  store(s, T1, X, old, RSAN_RELAXED);
  load(s, T2, X, RSAN_RELAXED);
  store(s, T1, X, 1000, RSAN_RELAXED); // satisfies some of the conditions, blocks the others
  pass_to_t2(s);
  return rmw ? bcas_when(s, T2, X, asked, 1001, RSAN_RELAXED)
             : wait_until(s, T2, X, asked, RSAN_RELAXED);
}

static void each_relation(struct scenario *s, bool rmw) {
  for (size_t i = 0; i < ROWS; i++) {
    struct rsan_condition asked = condition(relations[i].relation, 5);
    assert_int_equal(flagged_after(s, 4, asked, rmw), relations[i].below);
    assert_int_equal(flagged_after(s, 5, asked, rmw), relations[i].equal);
    assert_int_equal(flagged_after(s, 6, asked, rmw), relations[i].above);
  }
}

static void a_wait_until_each_relation_holds(void **state) {
  each_relation(*state, false);
}
static void a_blocking_rmw_when_each_relation_holds(void **state) {
  each_relation(*state, true);
}

// --- blocked or not, the check is the same ---

static void a_wait_that_blocks(void **state) { // X is 9 now
  struct scenario *s = changed(state, 3, 9);
  assert_true(wait_until(s, T2, X, condition(RSAN_U_LESS, 5), RSAN_ACQUIRE));
  assert_int_equal(s->violation.missed, 1);
  assert_true(rsan_value_equal(s->violation.stale, (struct rsan_value){3, 0}));
}
static void a_wait_that_goes_on(void **state) {
  struct scenario *s = changed(state, 3, 4);
  assert_true(wait_until(s, T2, X, condition(RSAN_U_LESS, 5), RSAN_ACQUIRE));
}
static void a_wait_that_would_have_waited_longer(void **state) {
  struct scenario *s = changed(state, 9, 4);
  assert_false(wait_until(s, T2, X, condition(RSAN_U_LESS, 5), RSAN_ACQUIRE));
}

// --- a value that serves nothing but the condition ---

static struct rsan_condition alone(enum rsan_relation relation, uint64_t operand) {
  struct rsan_condition asked = condition(relation, operand);
  asked.alone = true;
  return asked;
}

static void a_stale_value_as_good_as_the_new_one(void **state) {
  struct scenario *s = changed(state, 3, 4);
  assert_false(wait_until(s, T2, X, alone(RSAN_U_LESS, 5), RSAN_ACQUIRE));
}
static void a_stale_value_in_place_of_one_that_blocks(void **state) {
  struct scenario *s = changed(state, 3, 9);
  assert_true(wait_until(s, T2, X, alone(RSAN_U_LESS, 5), RSAN_ACQUIRE));
}
static void a_new_value_that_some_run_lacks(void **state) {
  struct scenario *s = changed(state, 3, 9);
  store(s, T3, X, 4, RSAN_RELAXED); // T2 might come before it, and block
  assert_true(wait_until(s, T2, X, alone(RSAN_U_LESS, 5), RSAN_ACQUIRE));
}

// --- of several versions the first that counts ---

static void the_first_that_satisfied_it_is_named(void **state) {
  struct scenario *s = *state;
  wait_until(s, T3, X, condition(RSAN_U_AT_LEAST, 2), RSAN_RELAXED); // so that none is dropped
  for (uint64_t i = 1; i <= 4; i++)
    store(s, T1, X, i, RSAN_RELAXED); // version i overwrote i - 1
  pass_to_t2(s);
  assert_true(wait_until(s, T2, X, condition(RSAN_U_AT_LEAST, 2), RSAN_RELAXED));
  assert_int_equal(s->violation.missed, 3);
}

static void one_that_is_known_is_not_missed(void **state) {
  struct scenario *s = *state;
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, X, 2, RSAN_RELAXED);
  load(s, T2, X, RSAN_RELAXED); // knows that 1 is over
  store(s, T1, X, 3, RSAN_RELAXED);
  pass_to_t2(s);
  assert_false(wait_until(s, T2, X, condition(RSAN_U_LESS, 2), RSAN_RELAXED));
  scenario_replace_thread(s, T2, rsan_thread_create(s->engine, NULL, 0));
  pass_to_t2(s);
  assert_true(wait_until(s, T2, X, condition(RSAN_U_LESS, 2), RSAN_RELAXED));
}

// --- blocking read-modify-writes ask for stores ---

static bool after_a_change(struct scenario *s, bool by_store, bool rmw) {
  if (by_store)
    store(s, T1, X, 9, RSAN_RELAXED);
  else
    add(s, T1, X, 9, RSAN_RELAXED);
  pass_to_t2(s);
  struct rsan_condition below_5 = condition(RSAN_U_LESS, 5);
  return rmw ? bcas_when(s, T2, X, below_5, 7, RSAN_RELAXED)
             : wait_until(s, T2, X, below_5, RSAN_RELAXED);
}

static void a_blocking_rmw_misses_a_store(void **state) {
  assert_true(after_a_change(*state, true, true));
}
static void a_blocking_rmw_misses_no_rmw(void **state) {
  assert_false(after_a_change(*state, false, true));
}
static void a_wait_misses_an_rmw(void **state) {
  assert_true(after_a_change(*state, false, false));
}

// --- masks and signs ---

static void a_masked_wait(void **state) {
  struct scenario *s = changed(state, 0x25, 0x35);
  struct rsan_condition low = condition(RSAN_EQUAL, 5);
  low.mask = 0x0f;
  assert_true(wait_until(s, T2, X, low, RSAN_RELAXED));
}
static void without_the_mask(void **state) {
  struct scenario *s = changed(state, 0x25, 0x35);
  assert_false(wait_until(s, T2, X, condition(RSAN_EQUAL, 5), RSAN_RELAXED));
}

static void a_signed_wait(void **state) {
  struct scenario *s = changed(state, (uint64_t)-1, 9);
  assert_true(wait_until(s, T2, X, condition(RSAN_S_LESS, 5), RSAN_RELAXED));
}
static void its_unsigned_twin(void **state) {
  struct scenario *s = changed(state, (uint64_t)-1, 9);
  assert_false(wait_until(s, T2, X, condition(RSAN_U_LESS, 5), RSAN_RELAXED));
}

static void sixteen_bytes(void **state) {
  struct scenario *s = *state;
  struct rsan_access write = {.kind = RSAN_WRITE, .check = RSAN_CHECK_WRITE, .size = 16};
  write.seen = (struct rsan_value){1, 2};
  write.written = (struct rsan_value){1, 3};
  rsan_atomic_access(s->threads[T1], s->locations[X], &write, &s->violation);
  pass_to_t2(s);
  struct rsan_access wait = {.check = RSAN_CHECK_WAIT, .size = 16, .seen = {1, 3}};
  wait.expected = rsan_equals((struct rsan_value){1, 2});
  assert_true(rsan_arrive_blocked(s->threads[T2], s->locations[X], &wait, &s->violation));
  wait.expected = rsan_equals((struct rsan_value){1, 4});
  assert_false(rsan_arrive_blocked(s->threads[T2], s->locations[X], &wait, &s->violation));
  wait.expected.relation = RSAN_NOT_EQUAL;
  assert_true(rsan_arrive_blocked(s->threads[T2], s->locations[X], &wait, &s->violation));
}

// What blocks at an object that is left out was not checked, as what goes on there was not.
static uint64_t counted_at_a_wait(struct scenario *s, bool withdraws) {
  struct rsan_access wait = {.check = RSAN_CHECK_WAIT, .size = 4, .order = RSAN_ACQUIRE};
  wait.expected = rsan_equals((struct rsan_value){1, 0});
  store(s, T1, X, 0, RSAN_RELAXED);
  if (withdraws)
    rsan_location_withdraw(s->engine, s->locations[X], 8);
  uint64_t before = stat(s, RSAN_STAT_mixed_accesses);
  rsan_arrive_blocked(s->threads[T2], s->locations[X], &wait, &s->violation);
  return stat(s, RSAN_STAT_mixed_accesses) - before;
}

static void a_wait_at_an_object_that_is_left_out(void **state) {
  assert_int_equal(counted_at_a_wait(*state, true), 1);
}
static void a_wait_at_another_object(void **state) {
  assert_int_equal(counted_at_a_wait(*state, false), 0);
}

// --- history=bounded looks after conditions as after values ---

static bool waits_for_an_old_value(struct scenario *s, bool named) {
  struct rsan_condition above_1000 = condition(RSAN_U_GREATER, 1000);
  if (named)
    wait_until(s, T2, X, above_1000, RSAN_RELAXED); // blocks: X is 0
  for (uint64_t i = 0; i < 100; i++)
    store(s, T1, X, i == 5 ? 7777 : i + 100, RSAN_RELAXED);
  pass_to_t2(s);
  return wait_until(s, T2, X, above_1000, RSAN_RELAXED);
}

static void what_is_waited_for_is_kept(void **state) {
  assert_true(waits_for_an_old_value(*state, true));
}
static void bounded_folds_other_values(void **state) {
  struct scenario *s = *state;
  assert_false(waits_for_an_old_value(s, false));
  assert_true(stat(s, RSAN_STAT_folded_versions) > 0);
}
static void exact_keeps_all_values(void **state) {
  struct scenario *s = *state;
  assert_true(waits_for_an_old_value(s, false));
  assert_int_equal(stat(s, RSAN_STAT_folded_versions), 0);
}

#define TEST(name) RSAN_EVERY_ENGINE(name)
static const struct CMUnitTest tests[] = {
    TEST(a_wait_until_each_relation_holds),
    TEST(a_blocking_rmw_when_each_relation_holds),
    TEST(a_wait_that_blocks),
    TEST(a_wait_that_goes_on),
    TEST(a_wait_that_would_have_waited_longer),
    TEST(a_stale_value_as_good_as_the_new_one),
    TEST(a_stale_value_in_place_of_one_that_blocks),
    TEST(a_new_value_that_some_run_lacks),
    TEST(the_first_that_satisfied_it_is_named),
    TEST(one_that_is_known_is_not_missed),
    TEST(a_blocking_rmw_misses_a_store),
    TEST(a_blocking_rmw_misses_no_rmw),
    TEST(a_wait_misses_an_rmw),
    TEST(a_masked_wait),
    TEST(without_the_mask),
    TEST(a_signed_wait),
    TEST(its_unsigned_twin),
    TEST(sixteen_bytes),
    TEST(a_wait_at_an_object_that_is_left_out),
    TEST(a_wait_at_another_object),
    RSAN_ENGINE(what_is_waited_for_is_kept, bounded),
    RSAN_ENGINE(what_is_waited_for_is_kept, explicit),
    RSAN_ENGINE(bounded_folds_other_values, bounded),
    RSAN_ENGINE(exact_keeps_all_values, exact),
    RSAN_ENGINE(exact_keeps_all_values, explicit),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
