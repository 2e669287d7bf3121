// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/condition.h: every relation beside its twin, which differs in one number or one bit.

#include "unit.h"

#include "condition.h"

static struct rsan_value value(uint64_t low) {
  return (struct rsan_value){low, 0};
}

static bool holds(enum rsan_relation relation, unsigned size, uint64_t mask, uint64_t low,
                  uint64_t operand) {
  struct rsan_condition condition = {.operand = value(operand),
                                     .mask = mask,
                                     .relation = (uint8_t)relation,
                                     .size = (uint8_t)size};
  return rsan_condition_holds(&condition, value(low));
}

// Does it hold for a value below the operand, the operand, one above?
static const struct {
  enum rsan_relation relation;
  bool is_signed, below, equal, above;
} relations[] = {
    {RSAN_EQUAL, false, false, true, false},     {RSAN_NOT_EQUAL, false, true, false, true},
    {RSAN_U_LESS, false, true, false, false},    {RSAN_U_AT_MOST, false, true, true, false},
    {RSAN_U_GREATER, false, false, false, true}, {RSAN_U_AT_LEAST, false, false, true, true},
    {RSAN_S_LESS, true, true, false, false},     {RSAN_S_AT_MOST, true, true, true, false},
    {RSAN_S_GREATER, true, false, false, true},  {RSAN_S_AT_LEAST, true, false, true, true},
};
enum { ROWS = sizeof relations / sizeof relations[0] };

// All bits of an object of so many bytes, and the greatest positive number in it.
static uint64_t all_bits(unsigned size) {
  return UINT64_MAX >> (64 - 8 * size);
}
static uint64_t greatest(unsigned size) {
  return all_bits(size) >> 1;
}

static void expect(size_t row, unsigned size, uint64_t below, uint64_t equal, uint64_t above) {
  enum rsan_relation relation = relations[row].relation;
  assert_int_equal(holds(relation, size, 0, below, equal), relations[row].below);
  assert_int_equal(holds(relation, size, 0, equal, equal), relations[row].equal);
  assert_int_equal(holds(relation, size, 0, above, equal), relations[row].above);
}

static void the_table_has_every_relation_once(void **state) {
  (void)state;
  assert_int_equal(ROWS, RSAN_RELATIONS);
  for (size_t i = 0; i < ROWS; i++)
    assert_int_equal(relations[i].relation, i);
}

static void every_relation_on_small_numbers(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++)
    for (unsigned size = 1; size <= 8; size *= 2)
      expect(i, size, 4, 5, 6);
}

// 0x7f.. is below 0x80.. as a number without sign, and above it in two's complement.
static void the_sign_is_the_objects_top_bit(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++)
    for (unsigned size = 1; size <= 8; size *= 2) {
      uint64_t positive = greatest(size), negative = positive + 1;
      if (relations[i].is_signed)
        expect(i, size, negative, 0, positive);
      else
        expect(i, size, positive, negative, all_bits(size));
    }
}

static void minus_one_is_all_bits(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++)
    for (unsigned size = 1; size <= 8; size *= 2)
      if (relations[i].is_signed)
        expect(i, size, all_bits(size) - 1, all_bits(size), 0);
}

// The twin of the above: the same bits in a wider object are a positive number.
static void the_same_bits_in_a_wider_object(void **state) {
  (void)state;
  for (unsigned size = 1; size <= 4; size *= 2) {
    assert_true(holds(RSAN_S_LESS, size, 0, all_bits(size), 0));
    assert_false(holds(RSAN_S_LESS, size * 2, 0, all_bits(size), 0));
    assert_true(holds(RSAN_S_GREATER, size * 2, 0, all_bits(size), 0));
  }
}

static void an_operand_has_a_sign_too(void **state) {
  (void)state;
  for (unsigned size = 1; size <= 8; size *= 2) {
    assert_true(holds(RSAN_S_GREATER, size, 0, 0, all_bits(size))); // 0 > -1
    assert_false(holds(RSAN_U_GREATER, size, 0, 0, all_bits(size)));
    assert_true(holds(RSAN_S_GREATER, size, 0, 0, UINT64_MAX)); // extended or not
  }
}

static void sign_extension(void **state) {
  (void)state;
  for (unsigned size = 1; size <= 8; size *= 2) {
    assert_true(rsan_sign_extend(all_bits(size), size) == -1);
    assert_true(rsan_sign_extend(greatest(size), size) == (int64_t)greatest(size));
    assert_true(rsan_sign_extend(greatest(size) + 1, size) == -(int64_t)greatest(size) - 1);
  }
  assert_true(rsan_sign_extend(UINT64_MAX, 0) == -1); // no size: all of it
}

// --- masks ---

static void a_mask_leaves_some_bits(void **state) {
  (void)state;
  assert_true(holds(RSAN_EQUAL, 8, 0xf0, 0x5a, 0x50));
  assert_false(holds(RSAN_EQUAL, 8, 0xff, 0x5a, 0x50));
  assert_false(holds(RSAN_EQUAL, 8, 0xf0, 0x6a, 0x50));
}

static void no_mask_is_all_bits(void **state) {
  (void)state;
  uint64_t top = (uint64_t)1 << 63;
  assert_false(holds(RSAN_EQUAL, 8, 0, top | 1, 1));
  assert_true(holds(RSAN_EQUAL, 8, ~top, top | 1, 1));
  assert_true(holds(RSAN_EQUAL, 8, 0, top | 1, top | 1));
}

static void every_relation_sees_the_mask(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    enum rsan_relation relation = relations[i].relation;
    assert_int_equal(holds(relation, 4, 0x0f, 0x74, 5), relations[i].below);
    assert_int_equal(holds(relation, 4, 0x0f, 0x75, 5), relations[i].equal);
    assert_int_equal(holds(relation, 4, 0x0f, 0x76, 5), relations[i].above);
  }
}

// The test of one bit, as loops have it: (value & bit) == 0 and != 0.
static void a_bit_that_is_waited_for(void **state) {
  (void)state;
  for (unsigned bit = 0; bit < 64; bit++) {
    uint64_t mask = (uint64_t)1 << bit;
    assert_true(holds(RSAN_EQUAL, 8, mask, ~mask, 0));
    assert_false(holds(RSAN_EQUAL, 8, mask, mask, 0));
    assert_false(holds(RSAN_NOT_EQUAL, 8, mask, ~mask, 0));
    assert_true(holds(RSAN_NOT_EQUAL, 8, mask, mask, 0));
  }
}

// What the mask leaves has the object's sign: the mask may take the sign bit away.
static void a_mask_may_take_the_sign(void **state) {
  (void)state;
  assert_true(holds(RSAN_S_LESS, 1, 0xff, 0x85, 0));
  assert_false(holds(RSAN_S_LESS, 1, 0x7f, 0x85, 0));
  assert_true(holds(RSAN_S_LESS, 1, 0x80, 0x85, 0));
}

// --- 16 bytes: == and != ---

static void the_high_half_counts(void **state) {
  (void)state;
  struct rsan_condition equal = rsan_equals((struct rsan_value){1, 2}), different = equal;
  different.relation = RSAN_NOT_EQUAL;
  static const struct rsan_value values[] = {{1, 2}, {1, 3}, {2, 2}, {2, 1}};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    assert_int_equal(rsan_condition_holds(&equal, values[i]), i == 0);
    assert_int_equal(rsan_condition_holds(&different, values[i]), i != 0);
  }
}

static void values_are_equal_in_both_halves(void **state) {
  (void)state;
  struct rsan_value a = {1, 2};
  assert_true(rsan_value_equal(a, (struct rsan_value){1, 2}));
  assert_false(rsan_value_equal(a, (struct rsan_value){1, 3}));
  assert_false(rsan_value_equal(a, (struct rsan_value){2, 2}));
}

// --- the same condition again ---

static void conditions_are_equal_in_all_that_they_ask(void **state) {
  (void)state;
  struct rsan_condition a = {.operand = {1, 2}, .mask = 3, .relation = RSAN_U_LESS, .size = 8};
  struct rsan_condition b = a;
  assert_true(rsan_condition_equal(&a, &b));
  b.operand.low = 9;
  assert_false(rsan_condition_equal(&a, &b));
  b = a;
  b.operand.high = 9;
  assert_false(rsan_condition_equal(&a, &b));
  b = a;
  b.mask = 9;
  assert_false(rsan_condition_equal(&a, &b));
  b = a;
  b.relation = RSAN_S_LESS;
  assert_false(rsan_condition_equal(&a, &b));
}

static void equals_asks_for_the_value(void **state) {
  (void)state;
  struct rsan_condition condition = rsan_equals((struct rsan_value){1, 2});
  assert_int_equal(condition.relation, RSAN_EQUAL);
  assert_int_equal(condition.mask, 0);
  assert_true(rsan_value_equal(condition.operand, (struct rsan_value){1, 2}));
}

static void an_unknown_relation_never_holds(void **state) {
  (void)state;
  for (uint64_t low = 0; low < 3; low++)
    assert_false(holds(RSAN_RELATIONS, 8, 0, low, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_has_every_relation_once),
      cmocka_unit_test(every_relation_on_small_numbers),
      cmocka_unit_test(the_sign_is_the_objects_top_bit),
      cmocka_unit_test(minus_one_is_all_bits),
      cmocka_unit_test(the_same_bits_in_a_wider_object),
      cmocka_unit_test(an_operand_has_a_sign_too),
      cmocka_unit_test(sign_extension),
      cmocka_unit_test(a_mask_leaves_some_bits),
      cmocka_unit_test(no_mask_is_all_bits),
      cmocka_unit_test(every_relation_sees_the_mask),
      cmocka_unit_test(a_bit_that_is_waited_for),
      cmocka_unit_test(a_mask_may_take_the_sign),
      cmocka_unit_test(the_high_half_counts),
      cmocka_unit_test(values_are_equal_in_both_halves),
      cmocka_unit_test(conditions_are_equal_in_all_that_they_ask),
      cmocka_unit_test(equals_asks_for_the_value),
      cmocka_unit_test(an_unknown_relation_never_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
