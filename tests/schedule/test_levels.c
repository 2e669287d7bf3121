// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/schedule/levels.h: the bounds of an exploration, from small ones to those that are asked
// for.

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "schedule/levels.h"

static const uint32_t all = RSAN_DPOR_UNBOUNDED;

static const struct rsan_level_cut nothing,
    preemptions = {.preemptions = true}, loops = {.loop = true}, writes = {.unroll = true},
    both = {.preemptions = true, .loop = true}, steps = {.steps = true};

// The levels from the first one on, at each of which this is cut: `cut[i]` at the i-th, the last
// one at all that follow.
static const char *levels(struct rsan_level asked, uint32_t first, const struct rsan_level_cut *cut,
                          uint32_t count) {
  static char text[512];
  struct rsan_level level = rsan_level_first(&asked, first);
  uint32_t i = 0;
  *text = 0;
  do {
    char one[64], bound[16] = "-";
    if (level.preemptions != all)
      snprintf(bound, sizeof bound, "%u", level.preemptions);
    snprintf(one, sizeof one, "%s%s/%u/%u", *text ? " " : "", bound, level.loop, level.unroll);
    strcat(text, one);
    assert_true(++i < 20);
  } while (rsan_level_next(&level, &asked, &cut[i <= count ? i - 1 : count - 1]));
  return text;
}

static void what_is_not_cut_is_the_end(void **state) {
  (void)state;
  const struct rsan_level asked = {all, 25, 0, 0};
  assert_string_equal(levels(asked, 0, &nothing, 1), "0/4/0");
  assert_string_equal(levels(asked, all, &nothing, 1), "-/2/0");
  assert_string_equal(levels(asked, 0, (struct rsan_level_cut[]){preemptions, nothing}, 2),
                      "0/4/0 1/4/0");
}

static void few_preemptions_come_first(void **state) {
  (void)state;
  assert_string_equal(levels((struct rsan_level){all, 25, 0, 0}, 0, &preemptions, 1),
                      "0/4/0 1/4/0 2/4/0 -/2/0");
  assert_string_equal(levels((struct rsan_level){4, 25, 0, 0}, 0, &preemptions, 1),
                      "0/4/0 1/4/0 2/4/0 3/4/0 4/4/0");
  assert_string_equal(levels((struct rsan_level){0, 25, 0, 0}, 0, &preemptions, 1), "0/4/0");
}

static void turns_grow_to_what_is_asked_for(void **state) {
  (void)state;
  const struct rsan_level_cut few[] = {both, both, both, loops};
  assert_string_equal(levels((struct rsan_level){all, 25, 0, 0}, all, &loops, 1),
                      "-/2/0 -/4/0 -/8/0 -/16/0 -/25/0");
  assert_string_equal(levels((struct rsan_level){all, 25, 0, 0}, 0, few, 4),
                      "0/4/0 1/4/0 2/4/0 -/2/0 -/4/0 -/8/0 -/16/0 -/25/0");
  assert_string_equal(levels((struct rsan_level){all, 3, 0, 0}, all, &loops, 1), "-/2/0 -/3/0");
  assert_string_equal(levels((struct rsan_level){all, 1, 0, 0}, all, &loops, 1), "-/1/0");
  // With a bound of preemptions as well.
  assert_string_equal(levels((struct rsan_level){1, 9, 0, 0}, 0, &both, 1),
                      "0/4/0 1/4/0 1/8/0 1/9/0");
}

static void writes_have_the_bound_that_is_asked_for(void **state) {
  (void)state;
  assert_string_equal(levels((struct rsan_level){all, 25, 3, 0}, all, &writes, 1), "-/2/3");
  assert_string_equal(levels((struct rsan_level){all, 25, 3, 0}, all, &steps, 1), "-/2/3");
}

static void too_many_steps_ask_for_a_bound_of_writes(void **state) {
  (void)state;
  const struct rsan_level asked = {all, 25, 0, 0};
  const struct rsan_level_cut grows[] = {steps, writes}, stays[] = {steps, nothing},
                              early[] = {preemptions, steps, preemptions, preemptions, writes};
  assert_string_equal(levels(asked, all, grows, 2), "-/2/0 -/2/2 -/2/4 -/2/8 -/2/16 -/2/25");
  assert_string_equal(levels(asked, all, stays, 2), "-/2/0 -/2/2");
  assert_string_equal(levels(asked, 0, early, 5),
                      "0/4/0 1/4/0 1/4/2 2/4/2 -/2/2 -/2/4 -/2/8 -/2/16 -/2/25");
}

static bool commutes_after(struct rsan_level level, struct rsan_level_cut cut) {
  const struct rsan_level asked = {all, 25, 0, 1}, before = level;
  const bool goes_on = rsan_level_next(&level, &asked, &cut);
  assert_int_equal(goes_on, cut.fences || cut.preemptions);
  if (cut.fences && before.commute) {
    assert_int_equal(level.preemptions, before.preemptions);
    assert_int_equal(level.loop, before.loop);
  }
  return level.commute;
}

static void fences_commute_until_their_order_matters(void **state) {
  (void)state;
  const struct rsan_level ordered = {all, 25, 0, 0}, asked = {all, 25, 0, 1};
  assert_int_equal(rsan_level_first(&ordered, 0).commute, 0);
  const struct rsan_level first = rsan_level_first(&asked, 0);
  assert_int_equal(first.commute, 1);
  assert_true(commutes_after(first, preemptions));
  assert_false(commutes_after(first, (struct rsan_level_cut){.preemptions = true, .fences = true}));
  assert_false(commutes_after(first, (struct rsan_level_cut){.fences = true}));
  struct rsan_level later = first;
  later.commute = 0;
  assert_false(commutes_after(later, preemptions));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_cut_is_the_end),
      cmocka_unit_test(few_preemptions_come_first),
      cmocka_unit_test(turns_grow_to_what_is_asked_for),
      cmocka_unit_test(writes_have_the_bound_that_is_asked_for),
      cmocka_unit_test(too_many_steps_ask_for_a_bound_of_writes),
      cmocka_unit_test(fences_commute_until_their_order_matters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
