// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// race/hb.h, deviation 4: a sync object that says already what the thread would release is left as
// it is. Whatever comes in between is not: each of the cases would be missed, or made up.

#include "scenario.h"

#include "explain/log.h"

static void release(struct scenario *s, int t, struct rsan_sync *sync) {
  rsan_release(s->threads[t], sync, RSAN_CERTAIN);
}

static void release_merge(struct scenario *s, int t, struct rsan_sync *sync) {
  rsan_release_merge(s->threads[t], sync, RSAN_CERTAIN);
}

static void acquire(struct scenario *s, int t, struct rsan_sync *sync) {
  rsan_acquire(s->threads[t], sync, RSAN_CERTAIN);
}

static uint64_t epoch(const struct scenario *s, int t) {
  return rsan_hb_epoch(&s->threads[t]->hb);
}

static void nothing_new_is_not_released(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = rsan_sync_new(s->engine), *other = rsan_sync_new(s->engine);
  release(s, T1, sync);
  release(s, T1, other);
  uint64_t before = epoch(s, T1);
  for (int i = 0; i < 3; i++) {
    acquire(s, T1, sync);
    release(s, T1, sync);
    release_merge(s, T1, other);
  }
  assert_int_equal(epoch(s, T1), before);
  load(s, T1, X, RSAN_RELAXED); // of what all know
  release(s, T1, sync);
  assert_int_equal(epoch(s, T1), before);
  rsan_sync_free(sync);
  rsan_sync_free(other);
}

static void a_write_is_released(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  release(s, T1, sync);
  store(s, T1, X, 1, RSAN_RELAXED);
  uint64_t before = epoch(s, T1);
  release(s, T1, sync);
  assert_true(epoch(s, T1) > before);
  acquire(s, T2, sync);
  assert_false(load(s, T2, X, RSAN_RELAXED));
  rsan_sync_free(sync);
}

// T2's write of X comes to T1 by a relaxed read, and may count from an acquire fence on.
static bool misses_what_a_fence_taught(struct scenario *s, bool fences) {
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  store(s, T2, X, 1, RSAN_RELAXED);
  store(s, T2, Y, 1, RSAN_RELEASE);
  load(s, T1, Y, RSAN_RELAXED);
  release(s, T1, sync);
  if (fences)
    fence(s, T1, RSAN_ACQUIRE);
  release(s, T1, sync);
  acquire(s, T3, sync);
  rsan_sync_free(sync);
  return load(s, T3, X, RSAN_RELAXED);
}

static void what_a_fence_taught_is_released(void **state) {
  assert_false(misses_what_a_fence_taught(*state, true));
}

static void without_the_fence_there_is_nothing(void **state) {
  assert_true(misses_what_a_fence_taught(*state, false));
}

// T1 learns of X, which its SC view has, between its last two releases to others than `sync`.
static bool misses_what_came_before_the_last(struct scenario *s, bool again) {
  struct rsan_sync *sync = rsan_sync_new(s->engine), *from = rsan_sync_new(s->engine),
                   *other = rsan_sync_new(s->engine);
  store(s, T2, X, 1, RSAN_RELAXED);
  release(s, T2, from);
  store(s, T2, Z, 1, RSAN_RELAXED);
  load(s, T1, Z, RSAN_RELAXED);
  release(s, T1, sync);
  acquire(s, T1, from);
  release(s, T1, other);
  if (again)
    release(s, T1, sync);
  acquire(s, T3, sync);
  rsan_sync_free(sync);
  rsan_sync_free(from);
  rsan_sync_free(other);
  return load(s, T3, X, RSAN_RELAXED);
}

static void the_last_release_is_to_this_object(void **state) {
  assert_false(misses_what_came_before_the_last(*state, true));
}

static void else_it_is_not_enough(void **state) {
  assert_true(misses_what_came_before_the_last(*state, false));
}

// T2 sees T4's write of X in the SC order and does not know it.
static void show_x_to_t2(struct scenario *s) {
  store(s, T4, X, 1, RSAN_RELAXED);
  store(s, T4, Z, 1, RSAN_RELAXED);
  load(s, T2, Z, RSAN_RELAXED);
}

// T1 knows T2's release by SC fences, and learns what is SC-before it, X, when it acquires that.
static bool sees_what_was_acquired(struct scenario *s, bool acquires) {
  struct rsan_sync *sync = rsan_sync_new(s->engine), *from = rsan_sync_new(s->engine);
  show_x_to_t2(s);
  release(s, T2, from);
  fence(s, T2, RSAN_SEQ_CST);
  fence(s, T1, RSAN_SEQ_CST);
  release_merge(s, T1, sync);
  if (acquires)
    acquire(s, T1, from);
  release_merge(s, T1, sync);
  acquire(s, T3, sync);
  rsan_sync_free(sync);
  rsan_sync_free(from);
  return load(s, T3, X, RSAN_RELAXED);
}

static void sc_order_is_released(void **state) {
  assert_true(sees_what_was_acquired(*state, true));
}

static void not_without_the_acquire(void **state) {
  assert_false(sees_what_was_acquired(*state, false));
}

// T2's SC view, which T1 has merged with its own there and does not have itself.
static bool sees_what_was_replaced(struct scenario *s, bool replaces) {
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  show_x_to_t2(s);
  release(s, T2, sync);
  rsan_acquire(s->threads[T1], sync, RSAN_UNCERTAIN);
  release_merge(s, T1, sync);
  if (replaces)
    release(s, T1, sync);
  acquire(s, T3, sync);
  rsan_sync_free(sync);
  return load(s, T3, X, RSAN_RELAXED);
}

static void what_is_replaced_is_gone(void **state) {
  assert_false(sees_what_was_replaced(*state, true));
}

static void what_is_merged_is_there(void **state) {
  assert_true(sees_what_was_replaced(*state, false));
}

// --- the log ---

static void one_unlock_in_a_row_is_noted(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  release(s, T1, sync);
  uint64_t before = rsan_log_head(s->threads[T1]->log);
  acquire(s, T1, sync);
  release(s, T1, sync);
  assert_int_equal(rsan_log_head(s->threads[T1]->log), before);
  load(s, T1, X, RSAN_RELAXED);
  release(s, T1, sync);
  assert_int_equal(rsan_log_head(s->threads[T1]->log), before + 2);
  rsan_sync_free(sync);
}

static void anothers_lock_is_noted(void **state) {
  struct scenario *s = *state;
  struct rsan_sync *sync = rsan_sync_new(s->engine);
  release(s, T1, sync);
  release(s, T2, sync);
  uint64_t before = rsan_log_head(s->threads[T1]->log);
  acquire(s, T1, sync);
  assert_int_equal(rsan_log_head(s->threads[T1]->log), before + 1);
  rsan_sync_free(sync);
}

static const struct CMUnitTest tests[] = {
    RSAN_ENGINE(nothing_new_is_not_released, bounded),
    RSAN_ENGINE(nothing_new_is_not_released, exact),
    RSAN_EVERY_ENGINE(a_write_is_released),
    RSAN_EVERY_ENGINE(what_a_fence_taught_is_released),
    RSAN_EVERY_ENGINE(without_the_fence_there_is_nothing),
    RSAN_EVERY_ENGINE(the_last_release_is_to_this_object),
    RSAN_EVERY_ENGINE(else_it_is_not_enough),
    RSAN_EVERY_ENGINE(sc_order_is_released),
    RSAN_EVERY_ENGINE(not_without_the_acquire),
    RSAN_EVERY_ENGINE(what_is_replaced_is_gone),
    RSAN_EVERY_ENGINE(what_is_merged_is_there),
    RSAN_ENGINE(one_unlock_in_a_row_is_noted, with_logs),
    RSAN_ENGINE(anothers_lock_is_noted, with_logs),
};

int main(void) {
  return cmocka_run_group_tests(tests, NULL, NULL);
}
