// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scenario.h"

struct rsan_options scenario_bounded = {.clocks = RSAN_CLOCKS_COMPACT,
                                        .history = RSAN_HISTORY_BOUNDED};
struct rsan_options scenario_exact = {.clocks = RSAN_CLOCKS_COMPACT, .history = RSAN_HISTORY_EXACT};
struct rsan_options scenario_explicit = {.clocks = RSAN_CLOCKS_EXPLICIT,
                                         .history = RSAN_HISTORY_EXACT};
struct rsan_options scenario_with_logs = {.explain_history = 64};
struct rsan_options scenario_fence = {.history = RSAN_HISTORY_BOUNDED,
                                      .seq_cst = RSAN_SEQ_CST_FENCE};
struct rsan_options scenario_explicit_fence = {
    .clocks = RSAN_CLOCKS_EXPLICIT, .history = RSAN_HISTORY_EXACT, .seq_cst = RSAN_SEQ_CST_FENCE};

static struct scenario scenario;

int scenario_begin(void **state) {
  scenario = (struct scenario){.engine = rsan_engine_new(*state)};
  for (uint32_t t = 0; t < SCENARIO_THREADS; t++)
    scenario.threads[t] = rsan_thread_create(scenario.engine, NULL, OWNER_OF_T1 + t);
  for (uint32_t x = 0; x < SCENARIO_LOCATIONS; x++)
    scenario.locations[x] = rsan_location_new(scenario.engine, 0, 8);
  *state = &scenario;
  return 0;
}

int scenario_end(void **state) {
  struct scenario *s = *state;
  for (uint32_t t = 0; t < SCENARIO_THREADS; t++)
    rsan_thread_free(s->threads[t]);
  for (uint32_t x = 0; x < SCENARIO_LOCATIONS; x++)
    rsan_location_free(s->engine, s->locations[x]);
  rsan_engine_free(s->engine);
  return unit_check_memory();
}

void scenario_replace_thread(struct scenario *s, int t, struct rsan_thread *thread) {
  rsan_thread_free(s->threads[t]);
  s->threads[t] = thread;
}

void scenario_poke(struct scenario *s, int x, uint64_t value) {
  s->memory[x].low = value;
}

// One step: an access that leaves `value` if it writes.
static bool step(struct scenario *s, int t, int x, struct rsan_access access, uint64_t value) {
  access.size = 8;
  access.site = SITE_OF_STEP_1 + s->steps++;
  access.pc = access.site;
  access.seen = s->memory[x];
  if (access.kind != RSAN_READ)
    access.written = s->memory[x] = (struct rsan_value){value, 0};
  return rsan_atomic_access(s->threads[t], s->locations[x], &access, &s->violation);
}

bool load(struct scenario *s, int t, int x, enum rsan_order order) {
  return step(s, t, x,
              (struct rsan_access){.kind = RSAN_READ, .check = RSAN_CHECK_READ, .order = order}, 0);
}

bool store(struct scenario *s, int t, int x, uint64_t value, enum rsan_order order) {
  return step(s, t, x,
              (struct rsan_access){.kind = RSAN_WRITE, .check = RSAN_CHECK_WRITE, .order = order},
              value);
}

bool add(struct scenario *s, int t, int x, uint64_t value, enum rsan_order order) {
  return step(s, t, x,
              (struct rsan_access){.kind = RSAN_RMW, .check = RSAN_CHECK_WRITE, .order = order},
              s->memory[x].low + value);
}

static bool compare_exchange(struct scenario *s, int t, int x, enum rsan_check check,
                             uint64_t expected, uint64_t value, enum rsan_order order) {
  struct rsan_access access = {
      .kind = s->memory[x].low == expected ? RSAN_RMW : RSAN_READ,
      .check = check,
      .weak = check == RSAN_CHECK_READ,
      .order = order,
      .expected = rsan_equals((struct rsan_value){expected, 0}),
  };
  return step(s, t, x, access, value);
}

bool cas(struct scenario *s, int t, int x, uint64_t expected, uint64_t value,
         enum rsan_order order) {
  return compare_exchange(s, t, x, RSAN_CHECK_STRONG_CAS, expected, value, order);
}

bool weak_cas(struct scenario *s, int t, int x, uint64_t expected, uint64_t value,
              enum rsan_order order) {
  return compare_exchange(s, t, x, RSAN_CHECK_READ, expected, value, order);
}

// Takes place if memory satisfies the condition, else blocks on arrival.
static bool blocking(struct scenario *s, int t, int x, struct rsan_access access, uint64_t value) {
  if (rsan_condition_holds(&access.expected, s->memory[x]))
    return step(s, t, x, access, value);
  access.site = SITE_OF_STEP_1 + s->steps++;
  access.seen = s->memory[x];
  return rsan_arrive_blocked(s->threads[t], s->locations[x], &access, &s->violation);
}

bool wait_until(struct scenario *s, int t, int x, struct rsan_condition condition,
                enum rsan_order order) {
  struct rsan_access access = {
      .kind = RSAN_READ, .check = RSAN_CHECK_WAIT, .order = order, .expected = condition};
  return blocking(s, t, x, access, 0);
}

bool bcas_when(struct scenario *s, int t, int x, struct rsan_condition condition, uint64_t value,
               enum rsan_order order) {
  struct rsan_access access = {
      .kind = RSAN_RMW, .check = RSAN_CHECK_BCAS, .order = order, .expected = condition};
  return blocking(s, t, x, access, value);
}

bool kernel_compares(struct scenario *s, int t, int x, uint64_t expected) {
  struct rsan_access access = {.kind = RSAN_READ,
                               .check = RSAN_CHECK_KERNEL_COMPARE,
                               .order = RSAN_RELAXED,
                               .expected = rsan_equals((struct rsan_value){expected, 0})};
  return step(s, t, x, access, 0);
}

bool kernel_writes(struct scenario *s, int t, int x, uint64_t value) {
  struct rsan_access access = {
      .kind = RSAN_RMW, .check = RSAN_CHECK_KERNEL_UPDATE, .order = RSAN_SEQ_CST};
  return step(s, t, x, access, value);
}

bool wait_for(struct scenario *s, int t, int x, uint64_t expected, enum rsan_order order) {
  return wait_until(s, t, x, rsan_equals((struct rsan_value){expected, 0}), order);
}

bool bcas(struct scenario *s, int t, int x, uint64_t expected, uint64_t value,
          enum rsan_order order) {
  return bcas_when(s, t, x, rsan_equals((struct rsan_value){expected, 0}), value, order);
}

void track(struct scenario *s, int x, uint64_t value) {
  rsan_track(s->locations[x], (struct rsan_value){value, 0});
}

static struct rsan_access with_values(struct scenario *s, int x, struct rsan_access access) {
  access.size = 8;
  access.seen = s->memory[x];
  if (access.kind != RSAN_READ)
    s->memory[x] = access.written;
  return access;
}

void unchecked(struct scenario *s, int t, int x, struct rsan_access access) {
  access = with_values(s, x, access);
  rsan_unchecked_access(s->threads[t], s->locations[x], &access);
}

void primitive(struct scenario *s, int t, int x, struct rsan_access access) {
  access = with_values(s, x, access);
  rsan_primitive_access(s->threads[t], s->locations[x], &access);
}

void fence(struct scenario *s, int t, enum rsan_order order) {
  rsan_fence(s->threads[t], order);
}

uint64_t stat(const struct scenario *s, enum rsan_stat stat) {
  return rsan_engine_stat(s->engine, stat);
}
