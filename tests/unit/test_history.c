// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/lc/history.h: versions, and which of them matters to which check (docs/internals/MODEL.md
// section 1); and the witness (engine/check.h).

#include "unit.h"

#include "engine/check.h"

static struct rsan_history history;
enum { FIRST = RSAN_VERSIONS_FIRST / sizeof(struct rsan_version) };

static int end(void **state) {
  (void)state;
  rsan_history_clear(&history);
  return unit_check_memory();
}

static struct rsan_value value(uint64_t low) {
  return (struct rsan_value){low, 0};
}

// Appends a version with `low` as its value, by the thread with the index 4 and the number 44.
static void append(enum rsan_access_kind kind, uint64_t low) {
  struct rsan_access access = {
      .kind = kind, .order = RSAN_RELEASE, .site = 100 + (uint32_t)low, .written = value(low)};
  rsan_history_append(&history, &access, 4, 44, 1000 + low);
}

// Number of the first version above `known` that matters; 0: none.
static uint64_t first(uint64_t known, enum rsan_check check, uint64_t expected) {
  struct rsan_access access = {.check = check, .expected = rsan_equals(value(expected))};
  const struct rsan_version *found = rsan_history_first(&history, known, &access);
  return found ? found->number : 0;
}

static struct rsan_version *version(uint32_t i) {
  return &history.at[i];
}

// Takes a version out, as a collection may.
static void drop(uint64_t number) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < history.count; i++)
    if (version(i)->number != number)
      *version(kept++) = *version(i);
  history.count = kept;
}

static void a_new_history_has_version_0_only(void **state) {
  (void)state;
  rsan_history_restart(&history, value(7));
  assert_int_equal(history.newest, 0);
  assert_true(rsan_value_equal(history.value, value(7)));
  assert_int_equal(first(0, RSAN_CHECK_READ, 0), 0);
}

static void append_keeps_everything_of_the_write(void **state) {
  (void)state;
  rsan_history_restart(&history, value(7));
  append(RSAN_WRITE, 1);
  append(RSAN_RMW, 2);
  assert_int_equal(history.newest, 2);
  assert_true(rsan_value_equal(history.value, value(2)));
  assert_int_equal(version(0)->number, 1);
  assert_true(rsan_value_equal(version(0)->overwrote, value(7)));
  assert_true(rsan_value_equal(version(0)->wrote, value(1)));
  assert_int_equal(version(0)->sc_index, 1001);
  assert_int_equal(version(0)->writer, 4);
  assert_int_equal(version(0)->owner, 44);
  assert_int_equal(version(0)->site, 101);
  assert_int_equal(version(0)->order, RSAN_RELEASE);
  assert_true(version(0)->plain);
  assert_int_equal(version(1)->number, 2);
  assert_true(rsan_value_equal(version(1)->overwrote, value(1)));
  assert_false(version(1)->plain);
}

static void growing_keeps_the_versions(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 100; i++)
    append(RSAN_WRITE, i);
  for (uint64_t i = 1; i <= 100; i++)
    assert_int_equal(version((uint32_t)i - 1)->sc_index, 1000 + i);
  assert_int_equal(history.newest, 100);
  assert_int_equal(history.count, 100);
}

static void without_a_write_it_needs_no_memory(void **state) {
  (void)state;
  struct rsan_access read = {.check = RSAN_CHECK_READ};
  assert_null(rsan_history_first(&history, 0, &read));
  assert_int_equal(rsan_host_live_blocks(), 0);
  for (uint64_t i = 1; i <= FIRST + 1; i++)
    append(RSAN_WRITE, i);
  assert_int_equal(rsan_host_live_blocks(), 1);
  for (uint32_t i = 0; i < FIRST; i++)
    assert_int_equal(version(i)->sc_index, 1001 + i);
}

// One row of section 1's table: does a version that overwrote 5 matter to the check, which expects
// `expected`?
static const struct {
  enum rsan_check check;
  uint64_t expected;
  bool store, rmw; // the version is a plain store; a read-modify-write
} rows[] = {
    {RSAN_CHECK_READ, 5, true, true},        {RSAN_CHECK_READ, 6, true, true},
    {RSAN_CHECK_WRITE, 5, true, false},      {RSAN_CHECK_WRITE, 6, true, false},
    {RSAN_CHECK_WAIT, 5, true, true},        {RSAN_CHECK_WAIT, 6, false, false},
    {RSAN_CHECK_BCAS, 5, true, false},       {RSAN_CHECK_BCAS, 6, false, false},
    {RSAN_CHECK_STRONG_CAS, 5, true, false}, // it would succeed: plain ones only
    {RSAN_CHECK_STRONG_CAS, 6, true, true},  // it would fail where it did not
};

static void the_table_of_checks(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct rsan_access access = {.check = rows[i].check,
                                 .expected = rsan_equals(value(rows[i].expected))};
    struct rsan_version left = {.overwrote = value(5), .plain = true};
    assert_int_equal(rsan_history_matters(&left, &access), rows[i].store);
    left.plain = false;
    assert_int_equal(rsan_history_matters(&left, &access), rows[i].rmw);
  }
}

// A wait or BCAS may name another condition than equality.
static void a_condition_in_place_of_a_value(void **state) {
  (void)state;
  struct rsan_condition below_6 = {.operand = value(6), .relation = RSAN_U_LESS, .size = 8};
  struct rsan_access access = {.check = RSAN_CHECK_WAIT, .expected = below_6};
  struct rsan_version left = {.overwrote = value(5), .plain = true};
  assert_true(rsan_history_matters(&left, &access));
  access.check = RSAN_CHECK_BCAS;
  assert_true(rsan_history_matters(&left, &access));
  left.plain = false;
  assert_false(rsan_history_matters(&left, &access));
  left = (struct rsan_version){.overwrote = value(6), .plain = true};
  assert_false(rsan_history_matters(&left, &access));
  access.check = RSAN_CHECK_WAIT;
  assert_false(rsan_history_matters(&left, &access));
}

static void first_starts_above_what_is_known(void **state) {
  (void)state;
  append(RSAN_WRITE, 1);
  append(RSAN_WRITE, 2);
  assert_int_equal(first(0, RSAN_CHECK_READ, 0), 1);
  assert_int_equal(first(1, RSAN_CHECK_READ, 0), 2);
  assert_int_equal(first(2, RSAN_CHECK_READ, 0), 0);
}

static void first_skips_what_does_not_matter(void **state) {
  (void)state;
  append(RSAN_RMW, 1);
  append(RSAN_WRITE, 2); // overwrote 1
  append(RSAN_WRITE, 3); // overwrote 2
  assert_int_equal(first(0, RSAN_CHECK_WRITE, 0), 2);
  assert_int_equal(first(0, RSAN_CHECK_WAIT, 2), 3);
  assert_int_equal(first(0, RSAN_CHECK_WAIT, 9), 0);
  assert_int_equal(first(0, RSAN_CHECK_BCAS, 0), 0); // version 1 overwrote 0, by an RMW
  assert_int_equal(first(0, RSAN_CHECK_STRONG_CAS, 0), 2);
}

static void after_is_the_next_version_that_is_kept(void **state) {
  (void)state;
  for (uint64_t i = 1; i <= 9; i++)
    append(RSAN_WRITE, i);
  drop(4);
  drop(5);
  drop(1);
  assert_int_equal(rsan_history_after(&history, 0)->number, 2);
  assert_int_equal(rsan_history_after(&history, 2)->number, 3);
  assert_int_equal(rsan_history_after(&history, 3)->number, 6);
  assert_int_equal(rsan_history_after(&history, 5)->number, 6);
  assert_int_equal(rsan_history_after(&history, 8)->number, 9);
  assert_null(rsan_history_after(&history, 9));
  assert_int_equal(first(3, RSAN_CHECK_READ, 0), 6);
  assert_int_equal(history.newest, 9);
}

static void numbers_go_on_when_the_newest_version_is_dropped(void **state) {
  (void)state;
  append(RSAN_WRITE, 1);
  append(RSAN_WRITE, 2);
  drop(2);
  assert_int_equal(first(1, RSAN_CHECK_READ, 0), 0);
  append(RSAN_WRITE, 3);
  assert_int_equal(first(1, RSAN_CHECK_READ, 0), 3);
  assert_true(rsan_value_equal(version(1)->overwrote, value(2)));
}

static void name_critical(uint64_t low) {
  struct rsan_condition condition = rsan_equals(value(low));
  rsan_history_add_critical(&history, &condition);
}

static bool is_critical(struct rsan_condition condition) {
  for (uint32_t i = 0; i < rsan_history_criticals(&history); i++)
    if (rsan_condition_equal(&history.critical->at[i], &condition))
      return true;
  return false;
}

static void critical_conditions_are_those_named_last(void **state) {
  (void)state;
  for (uint64_t i = 0; i < RSAN_CRITICAL_CONDITIONS; i++)
    name_critical(i);
  assert_int_equal(rsan_history_criticals(&history), RSAN_CRITICAL_CONDITIONS);
  name_critical(0); // again: now the newest
  assert_int_equal(rsan_history_criticals(&history), RSAN_CRITICAL_CONDITIONS);
  assert_true(rsan_value_equal(history.critical->at[0].operand, value(0)));
  name_critical(100); // gives up 1, the one named longest ago
  assert_int_equal(rsan_history_criticals(&history), RSAN_CRITICAL_CONDITIONS);
  assert_true(is_critical(rsan_equals(value(100))));
  for (uint64_t i = 0; i < RSAN_CRITICAL_CONDITIONS; i++)
    assert_int_equal(is_critical(rsan_equals(value(i))), i != 1);
}

static void a_condition_is_more_than_its_operand(void **state) {
  (void)state;
  struct rsan_condition masked = rsan_equals(value(5)), below = masked;
  masked.mask = 0xff;
  below.relation = RSAN_U_LESS;
  name_critical(5);
  rsan_history_add_critical(&history, &masked);
  rsan_history_add_critical(&history, &below);
  rsan_history_add_critical(&history, &masked);
  assert_int_equal(rsan_history_criticals(&history), 3);
  assert_true(is_critical(rsan_equals(value(5))));
  assert_true(is_critical(masked));
  assert_true(is_critical(below));
}

static struct rsan_violation witness(uint32_t at, uint64_t known) {
  const struct rsan_thread thread = {0};
  const struct rsan_location location = {.object = 5};
  const struct rsan_access access = {.check = RSAN_CHECK_WAIT};
  return rsan_witness(&thread, &location, &access, (struct rsan_verdict){version(at), known});
}

static void the_witness_is_the_missed_version(void **state) {
  (void)state;
  rsan_history_restart(&history, value(7));
  append(RSAN_WRITE, 1);
  append(RSAN_RMW, 2);
  struct rsan_violation violation = witness(0, 0);
  assert_int_equal(violation.check, RSAN_CHECK_WAIT);
  assert_int_equal(violation.known, 0);
  assert_int_equal(violation.missed, 1);
  assert_true(rsan_value_equal(violation.stale, value(7)));
  assert_true(rsan_value_equal(violation.missed_value, value(1)));
  assert_int_equal(violation.site, 101);
  assert_int_equal(violation.owner, 44);
  assert_int_equal(violation.order, RSAN_RELEASE);
  assert_true(violation.plain);
  assert_int_equal(violation.object, 5);
  violation = witness(1, 1);
  assert_int_equal(violation.known, 1);
  assert_int_equal(violation.missed, 2);
  assert_false(violation.plain);
}

static void restart_forgets_all_versions(void **state) {
  (void)state;
  append(RSAN_WRITE, 1);
  rsan_history_restart(&history, value(9));
  assert_int_equal(history.newest, 0);
  assert_int_equal(first(0, RSAN_CHECK_READ, 0), 0);
  append(RSAN_WRITE, 2);
  assert_true(rsan_value_equal(version(0)->overwrote, value(9)));
  assert_int_equal(version(0)->number, 1);
}

static size_t blocks_after_restart(uint32_t writes) {
  for (uint32_t i = 0; i < writes; i++)
    append(RSAN_WRITE, i);
  rsan_history_restart(&history, value(9));
  return rsan_host_live_blocks();
}

static void restart_keeps_room_for_a_few(void **state) {
  (void)state;
  assert_int_equal(blocks_after_restart(RSAN_RESTART_KEPT_ROOM), 1);
}

static void restart_keeps_no_room_for_many(void **state) {
  (void)state;
  assert_int_equal(blocks_after_restart(RSAN_RESTART_KEPT_ROOM + 1), 0);
}

static void restart_keeps_what_is_waited_for(void **state) {
  (void)state;
  name_critical(1);
  rsan_history_restart(&history, value(9));
  assert_int_equal(rsan_history_criticals(&history), 1);
  assert_true(is_critical(rsan_equals(value(1))));
  rsan_history_clear(&history);
  assert_int_equal(rsan_history_criticals(&history), 0);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_teardown(name, end)
  const struct CMUnitTest tests[] = {
      TEST(a_new_history_has_version_0_only),
      TEST(append_keeps_everything_of_the_write),
      TEST(growing_keeps_the_versions),
      TEST(without_a_write_it_needs_no_memory),
      TEST(the_table_of_checks),
      TEST(a_condition_in_place_of_a_value),
      TEST(first_starts_above_what_is_known),
      TEST(first_skips_what_does_not_matter),
      TEST(after_is_the_next_version_that_is_kept),
      TEST(numbers_go_on_when_the_newest_version_is_dropped),
      TEST(critical_conditions_are_those_named_last),
      TEST(a_condition_is_more_than_its_operand),
      TEST(the_witness_is_the_missed_version),
      TEST(restart_forgets_all_versions),
      TEST(restart_keeps_room_for_a_few),
      TEST(restart_keeps_no_room_for_many),
      TEST(restart_keeps_what_is_waited_for),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
