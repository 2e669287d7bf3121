// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "collect_script.h"

struct rsan_hb hb[THREADS];
struct rsan_view view[THREADS];
struct rsan_views views;
struct rsan_history history;
struct rsan_records records;
struct rsan_counters counters;
static const struct rsan_index_table indices; // no forced reuse

int script_begin(void **state) {
  (void)state;
  counters = (struct rsan_counters){0};
  views = (struct rsan_views){0};
  for (uint32_t i = 0; i < THREADS; i++) {
    rsan_hb_init(&hb[i], i, 1, &indices);
    view[i] = (struct rsan_view){.hb = &hb[i]};
    rsan_views_add(&views, &view[i]);
  }
  return 0;
}

int script_end(void **state) {
  (void)state;
  for (uint32_t i = 0; i < THREADS; i++)
    rsan_hb_clear(&hb[i]);
  rsan_history_clear(&history);
  rsan_records_clear(&records);
  return unit_check_memory();
}

void write_value(enum rsan_access_kind kind, uint64_t value) {
  struct rsan_access access = {.kind = kind, .written = {value, 0}};
  rsan_history_append(&history, &access, P, 0, history.newest + 1);
  rsan_records_add(&records, P, rsan_hb_epoch(&hb[P]), history.newest);
  rsan_hb_tick(&hb[P]);
}

void write_all(void) {
  for (uint64_t i = 1; i <= VERSIONS; i++)
    write_value(RSAN_RMW, i);
}

void read_by_q(void) {
  rsan_records_add(&records, Q, rsan_hb_epoch(&hb[Q]), history.newest);
}

void collect(bool bounded) {
  assert_true(rsan_collect(&history, &records, &views, bounded, true, UINT64_MAX, &counters));
}

void collect_with(uint32_t others, bool first_knows) {
  struct rsan_hb hbs[2 * RSAN_COLLECT_THREADS_FOR_ONE] = {0};
  struct rsan_view more[2 * RSAN_COLLECT_THREADS_FOR_ONE];
  for (uint32_t i = 0; i < others; i++) {
    rsan_hb_init(&hbs[i], THREADS + i, 1, &indices);
    if (i > 0 || first_knows)
      stamp_set(&hbs[i].c, P, VERSIONS - 1);
    more[i] = (struct rsan_view){.hb = &hbs[i]};
    rsan_views_add(&views, &more[i]);
  }
  collect(true);
  for (uint32_t i = 0; i < others; i++) {
    rsan_views_remove(&views, &more[i]);
    rsan_hb_clear(&hbs[i]);
  }
}

bool has_version(uint64_t number) {
  for (uint32_t i = 0; i < history.count; i++)
    if (history.at[i].number == number)
      return true;
  return false;
}

uint64_t known(int thread) {
  return rsan_records_known(&records, &hb[thread].c);
}

void knows(int thread, uint64_t epoch) {
  stamp_set(&hb[thread].c, P, epoch);
}

void knows_q(int thread, uint64_t epoch) {
  stamp_set(&hb[thread].c, Q, epoch);
}
