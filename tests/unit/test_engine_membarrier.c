// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asymmetric fences (rsan/engine/membarrier.c): shapes with twins, and the two facts that the
// exploration of all schedules rests on (docs/internals/MODEL.md section 10), on random runs:
//
//   - A membarrier whose fences are in no order among themselves shows what some order of them
//   does.
//   - Wherever the other threads' fences are between begin and return of the call, what the run
//   shows
//     is shown by one in which all of them are at one moment in between, or by one without the
//     call.

#include "scenario.h"

#include <stdio.h>

enum { CALLER = T1, OTHERS = SCENARIO_THREADS - 1, ORDERS = 6, STEPS = 16, RUNS = 6000 };

static struct rsan_options scenario_x86 = {.targets = RSAN_TARGET_X86};
static struct rsan_options scenario_armv8 = {.targets = RSAN_TARGET_ARM};

static const int orders[ORDERS][OTHERS] = {{T2, T3, T4}, {T2, T4, T3}, {T3, T2, T4},
                                           {T3, T4, T2}, {T4, T2, T3}, {T4, T3, T2}};

// All others pass their fences; `order`: in which order, if one of them is asked for.
static void make_membarrier(struct scenario *s, int caller, const int *order) {
  struct rsan_membarrier *membarrier = rsan_membarrier_begin(s->threads[caller]);
  for (int i = 0; i < OTHERS; i++) {
    int t = order ? order[i] : (caller + 1 + i) % SCENARIO_THREADS;
    if (s->threads[t])
      rsan_membarrier_pass(membarrier, s->threads[t]);
  }
  rsan_membarrier_end(membarrier, false);
}

enum fence { NO_FENCE, OWN_FENCE, MEMBARRIER };

static void pass(struct scenario *s, int t, enum fence fenced) {
  if (fenced == OWN_FENCE)
    fence(s, t, RSAN_SEQ_CST);
  else if (fenced == MEMBARRIER)
    make_membarrier(s, t, NULL);
}

// Store buffering: T2 has a compiler barrier alone. Its accesses are before the membarrier, or
// after it.
static bool store_buffering_later(struct scenario *s, enum fence fenced) {
  store(s, T2, X, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  pass(s, T1, fenced);
  return load(s, T1, X, RSAN_RELAXED);
}
static bool store_buffering_earlier(struct scenario *s, enum fence fenced) {
  store(s, T1, Y, 1, RSAN_RELAXED);
  pass(s, T1, fenced);
  load(s, T1, X, RSAN_RELAXED);
  store(s, T2, X, 1, RSAN_RELAXED);
  return load(s, T2, Y, RSAN_RELAXED);
}
static void what_came_before_is_fenced(void **state) {
  assert_false(store_buffering_later(*state, MEMBARRIER));
}
static void else_it_is_not(void **state) {
  assert_true(store_buffering_later(*state, OWN_FENCE));
}
static void what_comes_later_is_fenced(void **state) {
  assert_false(store_buffering_earlier(*state, MEMBARRIER));
}
static void else_that_is_not(void **state) {
  assert_true(store_buffering_earlier(*state, NO_FENCE));
}

// For a machine, too, the fences are in an order.
static void a_machine_has_their_order(void **state) {
  assert_false(store_buffering_earlier(*state, MEMBARRIER));
}
static void a_machine_misses_what_is_not_fenced(void **state) {
  assert_true(store_buffering_earlier(*state, NO_FENCE));
}

// The fence of T2 is a release fence as well, and one of T3 an acquire fence.
static bool message(struct scenario *s, enum fence fenced) {
  store(s, T2, X, 1, RSAN_RELAXED);
  pass(s, T1, fenced);
  store(s, T2, Y, 1, RSAN_RELAXED);
  load(s, T3, Y, RSAN_ACQUIRE);
  return load(s, T3, X, RSAN_RELAXED);
}
static void what_it_releases_is_acquired(void **state) {
  assert_false(message(*state, MEMBARRIER));
}
static void without_it_nothing_is(void **state) {
  assert_true(message(*state, NO_FENCE));
}

// What a thread has done that has ended.
static bool ended(struct scenario *s, enum fence fenced) {
  store(s, T1, Y, 1, RSAN_RELAXED);
  store(s, T2, X, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  rsan_thread_ending(s->threads[T2]);
  rsan_thread_finish(s->threads[T2]);
  scenario_replace_thread(s, T2, NULL);
  store(s, T1, Y, 2, RSAN_RELAXED);
  pass(s, T1, fenced);
  return load(s, T1, X, RSAN_RELAXED);
}
static void who_has_ended_is_done(void **state) {
  assert_false(ended(*state, MEMBARRIER));
}
static void else_who_has_ended_is_not(void **state) {
  assert_true(ended(*state, OWN_FENCE));
}

// Threads that run: T2 passes its fence before its next step.
static bool running(struct scenario *s, bool passes) {
  store(s, T1, Y, 1, RSAN_RELAXED);
  rsan_membarrier_end(rsan_membarrier_begin(s->threads[T1]), true);
  load(s, T1, X, RSAN_RELAXED);
  if (passes)
    fence(s, T2, RSAN_SEQ_CST);
  store(s, T2, X, 1, RSAN_RELAXED);
  return load(s, T2, Y, RSAN_RELAXED);
}
static bool running_before(struct scenario *s, bool others_run) {
  store(s, T2, X, 1, RSAN_RELAXED);
  load(s, T2, Y, RSAN_RELAXED);
  store(s, T1, Y, 1, RSAN_RELAXED);
  rsan_membarrier_end(rsan_membarrier_begin(s->threads[T1]), others_run);
  return load(s, T1, X, RSAN_RELAXED);
}
static void what_those_have_done_is_known(void **state) {
  assert_false(running_before(*state, true));
}
static void else_it_is_not_known(void **state) {
  assert_true(running_before(*state, false));
}
static void who_runs_passes_it_later(void **state) {
  assert_false(running(*state, true));
  assert_int_equal(stat(*state, RSAN_STAT_membarriers), 1);
}
static void else_it_has_none(void **state) {
  assert_true(running(*state, false));
}

// -- random runs --

struct act {
  int kind; // 0 load, 1 store, 2 add, 3 fence
  int thread, location;
  enum rsan_order order;
};

static uint64_t seed;
static uint32_t draw(uint32_t count) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % count;
}

static void draw_run(struct act run[STEPS], bool seq_cst, int idle_from, int idle_to) {
  static const enum rsan_order allowed[4][3] = {{RSAN_RELAXED, RSAN_RELAXED, RSAN_ACQUIRE},
                                                {RSAN_RELAXED, RSAN_RELAXED, RSAN_RELEASE},
                                                {RSAN_RELAXED, RSAN_ACQUIRE, RSAN_RELEASE},
                                                {RSAN_ACQUIRE, RSAN_RELEASE, RSAN_SEQ_CST}};
  for (int i = 0; i < STEPS; i++) {
    bool is_idle = i >= idle_from && i < idle_to; // the caller is
    int kind = draw(10) < 9 ? (int)draw(3) : 3;
    run[i] = (struct act){.kind = kind,
                          .thread = is_idle ? T2 + (int)draw(OTHERS) : (int)draw(SCENARIO_THREADS),
                          .location = (int)draw(SCENARIO_LOCATIONS),
                          .order = allowed[kind][draw(3)]};
    if (seq_cst && kind != 3 && draw(3) == 0)
      run[i].order = RSAN_SEQ_CST;
  }
}

static bool make_act(struct scenario *s, const struct act *act) {
  uint64_t value = s->steps + 1;
  switch (act->kind) {
  case 0:
    return load(s, act->thread, act->location, act->order);
  case 1:
    return store(s, act->thread, act->location, value, act->order);
  case 2:
    return add(s, act->thread, act->location, value, act->order);
  default:
    fence(s, act->thread, act->order);
    return false;
  }
}

// Where the fences are: before which step. STEPS + 1: nowhere.
struct fences {
  int first, last;   // the caller's
  int other[OTHERS]; // T2, T3, T4
};

// The steps that are flagged, as bits. `order`: a membarrier at `at`, with its fences in that order
// or (`in_turn` false) in none; NULL: the fences where `fences` says.
static uint32_t make_run(struct rsan_options *options, const struct act run[STEPS], int at,
                         const int *order, bool as_fences, const struct fences *fences) {
  void *state = options;
  scenario_begin(&state);
  struct scenario *s = state;
  uint32_t flagged = 0;
  for (int t = T1; t <= T4; t++) // views of S are kept, if at all, from the first step on
    load(s, t, X, options->seq_cst == RSAN_SEQ_CST_EXACT ? RSAN_SEQ_CST : RSAN_RELAXED);
  for (int i = 0; i < STEPS; i++) {
    if (!fences && i == at && !as_fences)
      make_membarrier(s, CALLER, order);
    if (!fences && i == at && as_fences) {
      fence(s, CALLER, RSAN_SEQ_CST);
      for (int n = 0; n < OTHERS; n++)
        fence(s, order[n], RSAN_SEQ_CST);
      fence(s, CALLER, RSAN_SEQ_CST);
    }
    if (fences && i == fences->first)
      fence(s, CALLER, RSAN_SEQ_CST);
    for (int n = 0; fences && n < OTHERS; n++)
      if (i == fences->other[n])
        fence(s, T2 + n, RSAN_SEQ_CST);
    if (fences && i == fences->last)
      fence(s, CALLER, RSAN_SEQ_CST);
    flagged |= (uint32_t)make_act(s, &run[i]) << i;
  }
  scenario_end(&state);
  return flagged;
}

static uint32_t in_some_order(struct rsan_options *options, const struct act run[STEPS], int at) {
  uint32_t flagged = 0;
  for (int i = 0; i < ORDERS; i++)
    flagged |= make_run(options, run, at, orders[i], true, NULL);
  return flagged;
}

static struct rsan_options relaxed = {.history = RSAN_HISTORY_EXACT, .seq_cst = RSAN_SEQ_CST_FENCE};
static struct rsan_options exact = {.history = RSAN_HISTORY_EXACT, .seq_cst = RSAN_SEQ_CST_EXACT};

static void no_order_is_some_order(void **state) {
  (void)state;
  uint32_t shown = 0, differs = 0;
  for (uint64_t run_of = 1; run_of < RUNS; run_of++) {
    seed = run_of;
    struct act run[STEPS];
    int at = (int)draw(STEPS);
    draw_run(run, false, STEPS, STEPS);
    uint32_t some = in_some_order(&relaxed, run, at);
    uint32_t none = make_run(&relaxed, run, at, NULL, false, NULL);
#ifdef RSAN_VERIFY // explicit clocks begin anew: less is shown, and nothing else
    some &= none;
#endif
    if (some != none)
      fprintf(stderr, "seed %d: %x in some order, %x in none\n", (int)run_of, some, none);
    assert_int_equal(some, none);
    differs += some != make_run(&relaxed, run, at, orders[0], true, NULL);
    shown += none != 0;
  }
#ifdef RSAN_VERIFY
  (void)shown, (void)differs;
#else
  assert_true(shown > RUNS / 10);
  assert_true(differs > 0); // one order alone shows less
#endif
}

// All of them at one moment in between; or, for a step before the return, without the call.
static uint32_t at_some_moment(struct rsan_options *options, const struct act run[STEPS],
                               const struct fences *fences) {
  uint32_t flagged = 0;
  for (int at = fences->first; at <= fences->last; at++)
    flagged |= in_some_order(options, run, at);
  uint32_t before = (1u << fences->last) - 1;
  return flagged | (make_run(options, run, STEPS + 1, NULL, false, NULL) & before);
}

static void one_moment_is_enough(struct rsan_options *options) {
  uint32_t shown = 0;
  for (uint64_t run_of = 1; run_of < RUNS / 4; run_of++) {
    seed = run_of;
    struct act run[STEPS];
    int first = (int)draw(STEPS - 4), last = first + 1 + (int)draw(4);
    struct fences fences = {.first = first, .last = last};
    for (int n = 0; n < OTHERS; n++)
      fences.other[n] = first + (int)draw((uint32_t)(last - first + 1));
    draw_run(run, options->seq_cst == RSAN_SEQ_CST_EXACT, first, last);
    uint32_t anywhere = make_run(options, run, STEPS + 1, NULL, false, &fences);
    uint32_t lost = anywhere & ~at_some_moment(options, run, &fences);
    if (lost)
      fprintf(stderr, "seed %d: %x is shown at no moment\n", (int)run_of, lost);
    assert_int_equal(lost, 0);
    shown += anywhere != 0;
  }
  assert_true(shown > RUNS / 40);
}
static void one_moment_is_enough_for_happens_before(void **state) {
  (void)state;
  one_moment_is_enough(&relaxed);
}
static void one_moment_is_enough_for_seq_cst(void **state) {
  (void)state;
  one_moment_is_enough(&exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RSAN_EVERY_ENGINE(what_came_before_is_fenced),
      RSAN_EVERY_ENGINE(else_it_is_not),
      RSAN_EVERY_ENGINE(what_comes_later_is_fenced),
      RSAN_EVERY_ENGINE(else_that_is_not),
      RSAN_ENGINE(a_machine_has_their_order, x86),
      RSAN_ENGINE(a_machine_has_their_order, armv8),
      RSAN_ENGINE(a_machine_misses_what_is_not_fenced, x86),
      RSAN_ENGINE(a_machine_misses_what_is_not_fenced, armv8),
      RSAN_EVERY_ENGINE(what_it_releases_is_acquired),
      RSAN_EVERY_ENGINE(without_it_nothing_is),
      RSAN_EVERY_ENGINE(who_has_ended_is_done),
      RSAN_EVERY_ENGINE(else_who_has_ended_is_not),
      RSAN_EVERY_ENGINE(what_those_have_done_is_known),
      RSAN_EVERY_ENGINE(else_it_is_not_known),
      RSAN_EVERY_ENGINE(who_runs_passes_it_later),
      RSAN_ENGINE(else_it_has_none, bounded), // (explicit clocks begin anew)
      RSAN_ENGINE(else_it_has_none, exact),
      cmocka_unit_test(no_order_is_some_order),
      cmocka_unit_test(one_moment_is_enough_for_happens_before),
      cmocka_unit_test(one_moment_is_enough_for_seq_cst),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
