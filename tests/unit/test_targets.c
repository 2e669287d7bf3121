// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// machines/machines.h: what the random tests have no events for. Most tests are store buffering
// with something in between that makes it impossible, and their twins without that.

#include "machines/names.h"
#include "scenario.h"

static struct rsan_options x86 = {.targets = RSAN_TARGET_X86};
static struct rsan_options x86_explicit = {.clocks = RSAN_CLOCKS_EXPLICIT,
                                           .targets = RSAN_TARGET_X86};
static struct rsan_options both = {.targets = RSAN_TARGET_C11 | RSAN_TARGET_X86};
static struct rsan_options c11 = {.targets = RSAN_TARGET_C11};

typedef void between(struct scenario *s, int t);

static bool store_buffering(struct scenario *s, between *first, between *second) {
  store(s, T1, X, 1, RSAN_RELEASE);
  if (first)
    first(s, T1);
  load(s, T1, Y, RSAN_ACQUIRE);
  store(s, T2, Y, 1, RSAN_RELEASE);
  if (second)
    second(s, T2);
  return load(s, T2, X, RSAN_ACQUIRE);
}

static bool message_passing(struct scenario *s) {
  store(s, T1, X, 1, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  return load(s, T2, X, RSAN_RELAXED);
}

static void store_buffering_is_shown(void **state) {
  struct scenario *s = *state;
  assert_true(store_buffering(s, NULL, NULL));
  assert_int_equal(s->violation.shown, RSAN_TARGET_C11 | RSAN_TARGET_X86);
  assert_int_equal(s->violation.missed, 1);
  assert_int_equal(stat(s, RSAN_STAT_violations), 1);
}

static void message_passing_is_not_shown(void **state) {
  assert_false(message_passing(*state));
  assert_int_equal(stat(*state, RSAN_STAT_violations), 0);
}

static void message_passing_is_shown_by_c11(void **state) {
  struct scenario *s = *state;
  assert_true(message_passing(s));
  assert_int_equal(s->violation.shown, RSAN_TARGET_C11);
  assert_int_equal(stat(s, RSAN_STAT_violations), 1);
}

static void c11_alone_says_nothing(void **state) {
  struct scenario *s = *state;
  assert_true(message_passing(s));
  assert_int_equal(s->violation.shown, 0);
  assert_null(s->engine->machines);
}

// T2 has seen version 2 of X before something else wrote there.
static bool after_a_foreign_write(struct scenario *s, bool foreign) {
  store(s, T1, X, 1, RSAN_RELEASE);
  store(s, T1, X, 2, RSAN_RELEASE);
  fence(s, T1, RSAN_SEQ_CST);
  load(s, T2, X, RSAN_ACQUIRE);
  if (foreign)
    scenario_poke(s, X, 9);
  return store_buffering(s, NULL, NULL);
}

static void a_foreign_write_ends_coherence(void **state) {
  struct scenario *s = *state;
  assert_true(after_a_foreign_write(s, true));
  assert_int_equal(s->violation.known, 0);
  assert_int_equal(stat(s, RSAN_STAT_foreign_writes), 1);
}

static void coherence_lasts_without_one(void **state) {
  struct scenario *s = *state;
  assert_true(after_a_foreign_write(s, false));
  assert_int_equal(s->violation.known, 2);
}

static void an_unchecked_access(struct scenario *s, int t) {
  unchecked(s, t, Z, (struct rsan_access){.kind = RSAN_WRITE, .written = {7, 0}});
}

static void a_withdrawn_location(struct scenario *s, int t) {
  rsan_location_withdraw(s->engine, s->locations[Z], 8);
  load(s, t, Z, RSAN_RELAXED);
}

static void exchange(struct scenario *s, int t) {
  add(s, t, Z, 1, RSAN_RELAXED);
}

static void sc_fence(struct scenario *s, int t) {
  fence(s, t, RSAN_SEQ_CST);
}

static void fence_of_c11(struct scenario *s, int t) {
  rsan_fence_of_access(s->threads[t]);
}

static void release_and_acquire_fence(struct scenario *s, int t) {
  fence(s, t, RSAN_ACQ_REL);
}

// In both threads it forbids the outcome, in one alone it does not.
static void is_a_fence(struct scenario *s, between *what) {
  assert_false(store_buffering(s, what, what));
}

static void an_unchecked_access_is_a_fence(void **state) {
  is_a_fence(*state, an_unchecked_access);
}
static void a_withdrawn_location_is_a_fence(void **state) {
  is_a_fence(*state, a_withdrawn_location);
}
static void an_exchange_is_a_fence(void **state) {
  is_a_fence(*state, exchange);
}
static void an_sc_fence_is_a_fence(void **state) {
  is_a_fence(*state, sc_fence);
}
static void the_second_alone_is_none(void **state) {
  assert_true(store_buffering(*state, NULL, exchange));
}
static void the_first_alone_is_none(void **state) {
  assert_true(store_buffering(*state, sc_fence, NULL));
}
static void the_fence_of_c11_is_none(void **state) {
  assert_true(store_buffering(*state, fence_of_c11, fence_of_c11));
}
static void another_fence_is_none(void **state) {
  assert_true(store_buffering(*state, release_and_acquire_fence, release_and_acquire_fence));
}

// What T1 releases in one way after its store, T2 takes before its load.
static struct rsan_sync *sync;

static void release_uncertainly(struct scenario *s, int t) {
  sync = rsan_sync_new(s->engine);
  rsan_release(s->threads[t], sync, RSAN_UNCERTAIN);
}
static void acquire_uncertainly(struct scenario *s, int t) {
  rsan_acquire(s->threads[t], sync, RSAN_UNCERTAIN);
}
static void store_z(struct scenario *s, int t) {
  store(s, t, Z, 1, RSAN_RELAXED);
}
static void acquire_z(struct scenario *s, int t) {
  rsan_acquire_location(s->threads[t], s->locations[Z]);
}
static void withdraw_z(struct scenario *s, int t) {
  store(s, t, Z, 1, RSAN_RELAXED);
  rsan_location_withdraw(s->engine, s->locations[Z], 8);
}
static void load_z(struct scenario *s, int t) {
  load(s, t, Z, RSAN_RELAXED);
}

static void uncertain_synchronisation_passes_on(void **state) {
  assert_false(store_buffering(*state, release_uncertainly, acquire_uncertainly));
  rsan_sync_free(sync);
}
static void an_acquire_beside_passes_on(void **state) {
  assert_false(store_buffering(*state, store_z, acquire_z));
}
static void a_store_that_nobody_reads_does_not(void **state) {
  assert_true(store_buffering(*state, store_z, NULL));
}
static void a_withdrawn_location_passes_on(void **state) {
  assert_false(store_buffering(*state, withdraw_z, load_z));
}

// X: a read-modify-write of T1, which T2 knows of by the SC order alone. A compare-exchange by T2
// from the value before it would break its atomicity, if it did not fail for no reason.
static bool misses_the_exchange(struct scenario *s, bool weak, uint64_t expected) {
  add(s, T1, X, 1, RSAN_RELAXED);
  load(s, T1, Y, RSAN_RELAXED);
  store(s, T3, Y, 1, RSAN_RELAXED);
  load(s, T3, Z, RSAN_RELAXED);
  store(s, T2, Z, 1, RSAN_RELAXED);
  return weak ? weak_cas(s, T2, X, expected, 5, RSAN_RELAXED)
              : cas(s, T2, X, expected, 5, RSAN_RELAXED);
}

static void a_weak_exchange_is_a_strong_one(void **state) {
  assert_false(misses_the_exchange(*state, true, 0));
}
static void and_so_is_it_of_another_value(void **state) {
  assert_true(misses_the_exchange(*state, true, 3));
}
static void a_strong_one_from_the_same(void **state) {
  assert_false(misses_the_exchange(*state, false, 0));
}

// T2's last load of X repeats the one before, after a fence that shows a store of its own. T3
// overwrites X then, which comes after T1's store of X for all, and so after the one of Y.
static bool overwrites_what_was_read_again(struct scenario *s, bool fenced) {
  store(s, T1, Y, 1, RSAN_RELAXED);
  store(s, T1, X, 1, RSAN_RELAXED);
  load(s, T2, X, RSAN_RELAXED);
  fence(s, T2, RSAN_SEQ_CST); // so that the next one is no news of others
  load(s, T2, X, RSAN_RELAXED);
  store(s, T2, Z, 1, RSAN_RELAXED);
  fence(s, T2, RSAN_SEQ_CST);
  load(s, T2, X, RSAN_RELAXED);
  store(s, T3, X, 2, RSAN_RELAXED);
  if (fenced)
    fence(s, T3, RSAN_SEQ_CST);
  return load(s, T3, Y, RSAN_RELAXED);
}

static void a_repeated_load_keeps_the_write(void **state) {
  assert_false(overwrites_what_was_read_again(*state, true));
}
static void a_load_before_its_store_may_miss_it(void **state) {
  assert_true(overwrites_what_was_read_again(*state, false));
}

static void names(void **state) {
  (void)state;
  static const char *const bad[] = {"",         "+",      "c11+",           "+c11",
                                    "c11++x86", "C11",    "c11+c11",        "x8",
                                    "x86-lse",  "armv8-", "armv8-lse-llsc", "armv8ldar"};
  uint32_t targets = 77;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(rsan_targets_parse(bad[i], &targets));
  assert_int_equal(targets, 77);
  assert_true(rsan_targets_parse("x86,c11", &targets));
  assert_int_equal(targets, RSAN_TARGET_C11 | RSAN_TARGET_X86);
  assert_true(rsan_targets_parse("armv8", &targets));
  assert_int_equal(targets, RSAN_TARGET_ARM);
  assert_true(rsan_targets_parse("armv8-lse-ldar+c11", &targets));
  assert_int_equal(targets,
                   RSAN_TARGET_ARM | RSAN_TARGET_ARM_LSE | RSAN_TARGET_ARM_LDAR | RSAN_TARGET_C11);
  char text[RSAN_TARGETS_TEXT], small[8];
  rsan_targets_describe(RSAN_TARGET_ARM | RSAN_TARGET_X86, RSAN_TARGET_C11 | RSAN_TARGET_ARM, text,
                        sizeof text);
  assert_string_equal(text, "C11 yes, x86-64 no, ARMv8 may (needs a missing dependency)");
  rsan_targets_describe(RSAN_TARGET_X86, RSAN_TARGET_C11, text, sizeof text);
  assert_string_equal(text, "C11 yes, x86-64 no");
  rsan_targets_describe(RSAN_TARGET_C11, RSAN_TARGET_C11, text, sizeof text);
  assert_string_equal(text, "C11 yes");
  rsan_targets_describe(RSAN_TARGET_X86, 0, small, sizeof small);
  assert_string_equal(small, "C11 no,");
}

#define ON_X86(test)                                                                               \
  {#test, test, scenario_begin, scenario_end, &x86}, {                                             \
    #test " (explicit)", test, scenario_begin, scenario_end, &x86_explicit                         \
  }

int main(void) {
  const struct CMUnitTest tests[] = {
      ON_X86(store_buffering_is_shown),
      ON_X86(message_passing_is_not_shown),
      {"both", store_buffering_is_shown, scenario_begin, scenario_end, &both},
      {"c11 of both", message_passing_is_shown_by_c11, scenario_begin, scenario_end, &both},
      {"c11 alone", c11_alone_says_nothing, scenario_begin, scenario_end, &c11},
      ON_X86(a_foreign_write_ends_coherence),
      ON_X86(coherence_lasts_without_one),
      ON_X86(an_unchecked_access_is_a_fence),
      ON_X86(a_withdrawn_location_is_a_fence),
      ON_X86(an_exchange_is_a_fence),
      ON_X86(an_sc_fence_is_a_fence),
      ON_X86(the_second_alone_is_none),
      ON_X86(the_first_alone_is_none),
      ON_X86(the_fence_of_c11_is_none),
      ON_X86(another_fence_is_none),
      ON_X86(uncertain_synchronisation_passes_on),
      ON_X86(an_acquire_beside_passes_on),
      ON_X86(a_store_that_nobody_reads_does_not),
      ON_X86(a_withdrawn_location_passes_on),
      ON_X86(a_weak_exchange_is_a_strong_one),
      ON_X86(and_so_is_it_of_another_value),
      ON_X86(a_strong_one_from_the_same),
      ON_X86(a_repeated_load_keeps_the_write),
      ON_X86(a_load_before_its_store_may_miss_it),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
