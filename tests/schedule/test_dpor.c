// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rsan/schedule/dpor.h makes of traces that no program of tests/dpor has: what is not known,
// runs that were given up, and runs that do not follow their prefix. And what depends on what
// (rsan/schedule/dependence.h).

#include "unit.h"

#include "schedule/dpor.h"
#include "schedule/threads.h"

static struct rsan_dpor d;

static int end(void **state) {
  (void)state;
  rsan_dpor_clear(&d);
  return unit_check_memory();
}

static struct rsan_dpor_step step(uint32_t thread, uint64_t enabled, struct rsan_op op) {
  return (struct rsan_dpor_step){.op = op, .enabled = enabled, .thread = thread};
}

static struct rsan_op store(uint64_t object) {
  return (struct rsan_op){.object = object, .kind = RSAN_KIND_STORE, .writes = true};
}

static const struct rsan_op unknown_lock = {
    .object = 1, .kind = RSAN_KIND_LOCK, .writes = true, .blocks = true, .unknown = true};
static const struct rsan_op unknown_unlock = {
    .object = 1, .kind = RSAN_KIND_UNLOCK, .writes = true, .before = {1, 0}, .unknown = true};

static bool executed(const struct rsan_dpor_step *steps, uint32_t count, enum rsan_dpor_end how) {
  const struct rsan_dpor_trace trace = {.step = steps, .count = count, .end = how};
  return rsan_dpor_executed(&d, rsan_dpor_next(&d), &trace);
}

// The thread of the next run's new step; RSAN_NO_THREAD: there is no run.
static uint32_t asked(void) {
  struct rsan_dpor_step prefix[8];
  struct rsan_dpor_node *node = rsan_dpor_next(&d);
  if (!node)
    return RSAN_NO_THREAD;
  const uint32_t count = rsan_dpor_prefix(node, prefix);
  rsan_dpor_withdraw(&d, node);
  return prefix[count - 1].thread;
}

static void a_run_that_is_given_up_for_a_bound_is_cut(void **state) {
  (void)state;
  const struct rsan_dpor_step one = step(0, 1, store(1));
  rsan_dpor_init(&d, 1);
  executed(&one, 1, RSAN_DPOR_CUT);
  assert_int_equal(d.cut, 1);
  assert_int_equal(d.asleep, 0);
  rsan_dpor_clear(&d);
  rsan_dpor_init(&d, 1);
  executed(&one, 1, RSAN_DPOR_ASLEEP);
  assert_int_equal(d.cut, 0);
  assert_int_equal(d.asleep, 1);
}

// The thread that waits for the unlock may, by what is known, have been able to go on before it. It
// was not, so another thread may be what lets it go on.
static void all_are_explored_where_nobody_can_begin(void **state) {
  (void)state;
  const struct rsan_dpor_step steps[] = {step(0, 5, unknown_unlock), step(1, 6, unknown_lock)};
  rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
  assert_true(executed(steps, 2, RSAN_DPOR_ENDED));
  assert_int_equal(d.unmatched, 1);
  assert_int_equal(asked(), 2);
}

static void what_is_known_not_to_be_possible_is_not_explored(void **state) {
  (void)state;
  struct rsan_dpor_step steps[] = {step(0, 5, unknown_unlock), step(1, 6, unknown_lock)};
  steps[0].op.unknown = false;
  rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
  assert_true(executed(steps, 2, RSAN_DPOR_ENDED));
  assert_int_equal(d.unmatched, 0);
  assert_int_equal(asked(), RSAN_NO_THREAD);
  rsan_dpor_clear(&d);
  // The value of what is read beside the object says nothing.
  steps[0].enabled = 7;
  steps[1].op.object = 2;
  steps[1].op.also = 1;
  rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
  assert_true(executed(steps, 2, RSAN_DPOR_ENDED));
  assert_int_equal(asked(), 1);
}

// Two stores by two threads: the other order is asked for.
static void begin_two(void) {
  const struct rsan_dpor_step steps[] = {step(0, 3, store(1)), step(1, 2, store(1))};
  rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
  assert_true(executed(steps, 2, RSAN_DPOR_ENDED));
  assert_int_equal(asked(), 1);
}

// The rest of what the prefix leads to is given up.
static void diverges(const struct rsan_dpor_step *steps, uint32_t count) {
  begin_two();
  assert_false(executed(steps, count, RSAN_DPOR_ENDED));
  assert_int_equal(d.diverged, 1);
  assert_int_equal(asked(), RSAN_NO_THREAD);
  rsan_dpor_clear(&d);
}

static void a_run_that_does_not_follow_its_prefix_diverges(void **state) {
  (void)state;
  const struct rsan_dpor_step right[] = {step(1, 3, store(1)), step(0, 1, store(1))};
  begin_two();
  assert_true(executed(right, 2, RSAN_DPOR_ENDED));
  assert_int_equal(d.diverged, 0);
  assert_int_equal(asked(), RSAN_NO_THREAD);
  rsan_dpor_clear(&d);
  struct rsan_dpor_step other = right[0];
  diverges(NULL, 0);
  other.thread = 0;
  diverges(&other, 1);
  other = right[0];
  other.enabled = 7;
  diverges(&other, 1);
  other = right[0];
  other.choices = 2;
  diverges(&other, 1);
}

// The same where the prefix's earlier steps are others.
static void earlier_steps_have_to_be_the_same(void **state) {
  (void)state;
  const struct rsan_dpor_step steps[] = {step(0, 3, store(9)), step(0, 3, store(1)),
                                         step(1, 2, store(1))};
  struct rsan_dpor_step again[] = {step(0, 3, store(9)), step(1, 3, store(1)),
                                   step(0, 1, store(1))};
  for (int wrong = 0; wrong < 4; wrong++) {
    rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
    assert_true(executed(steps, 3, RSAN_DPOR_ENDED));
    again[0] = steps[0];
    again[0].op.object += wrong == 1;
    again[0].op.point += wrong == 2;
    again[0].op.kind += wrong == 3;
    assert_int_equal(executed(again, 3, RSAN_DPOR_ENDED), wrong == 0);
    assert_int_equal(d.diverged, wrong != 0);
    rsan_dpor_clear(&d);
  }
}

static void what_depends_on_what(void **state) {
  (void)state;
  const struct rsan_op load = {.object = 1, .kind = RSAN_KIND_LOAD};
  const struct rsan_op fence = {.kind = RSAN_KIND_FENCE}, nothing = {.kind = RSAN_KIND_YIELD};
  const struct rsan_op exit = {.kind = RSAN_KIND_EXIT, .ends = true};
  const struct rsan_op waits = {
      .object = 1, .also = 2, .kind = RSAN_KIND_COND_WAIT, .writes = true};
  const struct rsan_op reads_both = {.object = 1, .also = 2, .kind = RSAN_KIND_LOAD};
  const struct rsan_op one = store(1), two = store(2);
  const struct rsan_op all = {.kind = RSAN_KIND_MEMBARRIER}, end = {.kind = RSAN_KIND_END};
  const struct rsan_op start = {.kind = RSAN_KIND_START};
  const struct rsan_op commutes = {.kind = RSAN_KIND_FENCE, .commutes = true};
  const struct rsan_op word = {.object = 16, .bytes = 4, .kind = RSAN_KIND_STORE, .writes = true};
  const struct rsan_op half = {.object = 18, .bytes = 2, .kind = RSAN_KIND_LOAD};
  const struct rsan_op beside = {.object = 20, .bytes = 2, .kind = RSAN_KIND_LOAD};
  const struct {
    const struct rsan_op *a, *b;
    bool depend;
  } rows[] = {
      {&load, &load, false},       {&load, &one, true},           {&one, &one, true},
      {&one, &two, false},         {&fence, &fence, true},        {&fence, &one, false},
      {&nothing, &one, false},     {&nothing, &fence, false},     {&nothing, &nothing, false},
      {&exit, &nothing, true},     {&exit, &load, true},          {&waits, &two, true},
      {&waits, &one, true},        {&waits, &load, true},         {&reads_both, &two, true},
      {&reads_both, &load, false}, {&all, &load, true},           {&all, &fence, true},
      {&all, &all, true},          {&all, &nothing, true},        {&all, &start, true},
      {&all, &end, false},         {&commutes, &commutes, false}, {&commutes, &fence, true},
      {&commutes, &all, true},     {&word, &half, true},          {&word, &beside, false},
      {&half, &half, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(rsan_ops_depend(rows[i].a, rows[i].b), rows[i].depend);
    assert_int_equal(rsan_ops_depend(rows[i].b, rows[i].a), rows[i].depend);
  }
}

static void whether_a_step_was_possible_before(void **state) {
  (void)state;
  struct rsan_op lock = unknown_lock, unlock = unknown_unlock;
  unlock.unknown = false;
  unlock.before.low = 1;
  assert_false(rsan_op_was_enabled(&lock, &unlock));
  unlock.bytes = 2; // whose value is not what is waited for
  assert_true(rsan_op_was_enabled(&lock, &unlock));
  unlock.bytes = 0;
  unlock.before.low = 0;
  assert_true(rsan_op_was_enabled(&lock, &unlock));
  unlock.before.low = 1;
  unlock.unknown = true;
  assert_true(rsan_op_was_enabled(&lock, &unlock));
  unlock.unknown = false;
  lock.blocks = false;
  assert_true(rsan_op_was_enabled(&lock, &unlock));
  lock.blocks = true;
  unlock.object = 2; // what `lock` may read beside its object says nothing
  assert_true(rsan_op_was_enabled(&lock, &unlock));
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_that_is_given_up_for_a_bound_is_cut),
      TEST(all_are_explored_where_nobody_can_begin),
      TEST(what_is_known_not_to_be_possible_is_not_explored),
      TEST(a_run_that_does_not_follow_its_prefix_diverges),
      TEST(earlier_steps_have_to_be_the_same),
      TEST(what_depends_on_what),
      TEST(whether_a_step_was_possible_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
