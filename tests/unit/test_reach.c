// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan/memory/reach.h: the fast form of a collection's look at the clocks finds what the obvious
// one (rsan_plain_mark) does.

#include "stamps.h"

#include "memory/reach.h"

// In each fourth round there are more threads than the structure itself has room for.
enum { FEW = 6, THREADS = RSAN_REACH_THREADS + 16, RECORDS = 40, ROUNDS = 3000 };

static uint32_t threads, most_records;

static uint64_t state;

static uint32_t draw(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 32) * below >> 32);
}

// Threads that share a slot, and one that has the last entry of a small clock.
static uint32_t index_of(uint32_t thread) {
  static const uint32_t indices[FEW] = {0,
                                        RSAN_REACH_SLOTS,
                                        1,
                                        RSAN_REACH_SLOTS + 1,
                                        2 * RSAN_REACH_SLOTS,
                                        RSAN_CLOCK_MIN_ENTRIES - 1};
  return thread < FEW ? indices[thread] : 3 * RSAN_REACH_SLOTS + 3 * thread;
}

static void fill(struct rsan_records *records, uint64_t epochs[THREADS]) {
  uint64_t version = 1;
  uint32_t count = draw(most_records);
  for (uint32_t i = 0; i < THREADS; i++)
    epochs[i] = 1;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t thread = draw(threads);
    epochs[thread] += draw(3) == 0;
    version += draw(3) != 0;
    rsan_records_add(records, index_of(thread), epochs[thread], version);
  }
}

// Entries of other threads, about as high as the records' epochs.
static void fill_clock(struct rsan_stamp *clock, const uint64_t epochs[THREADS]) {
  uint32_t entries = draw(threads + 1);
  for (uint32_t i = 0; i < entries; i++) {
    uint32_t thread = draw(threads);
    uint64_t epoch = draw((uint32_t)epochs[thread] + 2);
    if (index_of(thread) != clock->thread)
      stamp_set(clock, index_of(thread), epoch);
  }
}

static void look(struct rsan_records *records, struct rsan_records *plain,
                 const uint64_t epochs[THREADS], struct rsan_reach *reach) {
  uint32_t own = draw(threads);
  struct rsan_stamp c = {.thread = index_of(own), .index = 1 + draw((uint32_t)epochs[own] + 1)};
  struct rsan_stamp a = {.thread = RSAN_MERGED}, r = {0};
  fill_clock(&c, epochs);
  if (draw(2)) {
    struct rsan_stamp read = {.thread = index_of(draw(threads)), .index = 1};
    fill_clock(&read, epochs);
    rsan_stamp_merge(&a, &read);
    rsan_stamp_clear(&read);
  }
  if (draw(2)) { // as of a release fence, since when the thread has learnt something or not
    rsan_stamp_assign(&r, &c);
    r.index = draw((uint32_t)c.index) + 1;
    if (draw(2))
      fill_clock(&c, epochs);
  }
  struct rsan_hb_clocks clocks = {&c, &a, &r};
  (reach->block ? rsan_reach_mark_many : rsan_reach_mark)(reach, &clocks);
  rsan_plain_mark(plain, &clocks);
  for (uint32_t i = 0; i < records->count; i++)
    assert_int_equal(records->at[i].live, plain->at[i].live);
  rsan_stamp_clear(&c);
  rsan_stamp_clear(&a);
  rsan_stamp_clear(&r);
}

static void both_forms_find_the_same(void **unused) {
  uint32_t blocks = 0;
  (void)unused;
  for (state = 0; state < ROUNDS; state++) {
    threads = state % 4 ? FEW : THREADS;
    most_records = state % 4 ? RECORDS : 4 * THREADS;
    uint64_t seed = state, epochs[THREADS];
    struct rsan_records records = {0}, plain = {0};
    struct rsan_reach reach;
    fill(&records, epochs);
    state = seed;
    fill(&plain, epochs);
    rsan_plain_link(&plain);
    const enum rsan_reach_form form = rsan_reach_begin(&reach, records.at, records.count);
    assert_int_equal(form, reach.block ? RSAN_REACH_MANY : RSAN_REACH_FEW);
    blocks += form == RSAN_REACH_MANY;
    for (uint32_t i = 0; i < records.count; i++) {
      assert_int_equal(records.at[i].next, plain.at[i].next);
      assert_int_equal(records.at[i].rank, plain.at[i].rank);
    }
    for (int clocks = 0; clocks < 3; clocks++)
      look(&records, &plain, epochs, &reach);
    rsan_reach_end(&reach);
    rsan_records_clear(&records);
    rsan_records_clear(&plain);
    state = seed;
  }
  assert_in_range(blocks, ROUNDS / 8, ROUNDS / 4);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

// One thread after the other, and again in the same order.
static enum rsan_reach_form begin_with(uint32_t of, uint32_t count) {
  struct rsan_records records = {0};
  static struct rsan_reach reach;
  for (uint32_t i = 0; i < count; i++)
    rsan_records_add(&records, i % of, 1 + i / of, 1 + i);
  const enum rsan_reach_form form = rsan_reach_begin(&reach, records.at, records.count);
  if (form)
    assert_int_equal((form == RSAN_REACH_FEW ? reach.few : reach.of)[of - 1].thread, 0);
  rsan_reach_end(&reach);
  rsan_records_clear(&records);
  return form;
}

static void many_threads_have_a_block(void **unused) {
  (void)unused;
  assert_int_equal(begin_with(RSAN_REACH_THREADS, 2 * RSAN_REACH_THREADS), RSAN_REACH_FEW);
  assert_int_equal(begin_with(RSAN_REACH_THREADS + 1, RSAN_REACH_THREADS + 1), RSAN_REACH_MANY);
  assert_int_equal(begin_with(RSAN_RECORD_DISTANCE_MAX, RSAN_RECORD_DISTANCE_MAX), RSAN_REACH_MANY);
  assert_int_equal(rsan_host_live_blocks(), 0);
}

static void records_too_far_apart_are_left_to_the_obvious_form(void **unused) {
  (void)unused;
  assert_int_equal(begin_with(3, RSAN_RECORD_DISTANCE_MAX), RSAN_REACH_FEW);
  assert_int_equal(begin_with(3, RSAN_RECORD_DISTANCE_MAX + 1), RSAN_REACH_NONE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_forms_find_the_same),
    cmocka_unit_test(many_threads_have_a_block),
    cmocka_unit_test(records_too_far_apart_are_left_to_the_obvious_form),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
