// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "thread_index.h"

#include "../host.h"

#define NONE UINT32_MAX

static uint32_t find_exact(const struct rsan_index_table *table, const struct rsan_stamp *c,
                           const struct rsan_stamp *vs) {
  for (uint32_t i = 0; c && i < table->count; i++) {
    const struct rsan_index_entry *entry = &table->entries[i];
    if (entry->finished && rsan_stamp_get(c, i) >= entry->epoch &&
        rsan_stamp_get(vs, i) >= entry->sc_index)
      return i;
  }
  return NONE;
}

static uint32_t find_longest_finished(const struct rsan_index_table *table) {
  uint32_t found = NONE;
  for (uint32_t i = 0; i < table->count && i < RSAN_THREAD_INDEX_FLOORS; i++) {
    const struct rsan_index_entry *entry = &table->entries[i];
    if (entry->finished &&
        (found == NONE || entry->finish_order < table->entries[found].finish_order))
      found = i;
  }
  return found;
}

static struct rsan_index_floor *floor_of(struct rsan_index_table *table, uint32_t index) {
  struct rsan_index_floor *floors = atomic_load_explicit(&table->floors, memory_order_relaxed);
  if (!floors) {
    floors = rsan_host_alloc((RSAN_THREAD_INDEX_FLOORS + 1) * sizeof *floors);
    for (uint32_t i = 0; i <= RSAN_THREAD_INDEX_FLOORS; i++) {
      atomic_init(&floors[i].epoch, 0);
      atomic_init(&floors[i].sc_index, 0);
    }
    atomic_store_explicit(&table->floors, floors, memory_order_release);
  }
  return &floors[index < RSAN_THREAD_INDEX_FLOORS ? index : RSAN_THREAD_INDEX_FLOORS];
}

void rsan_index_raise_epoch_floor(struct rsan_index_table *table, uint32_t index, uint64_t epoch) {
  struct rsan_index_floor *floor = floor_of(table, index);
  if (atomic_load_explicit(&floor->epoch, memory_order_relaxed) < epoch)
    atomic_store_explicit(&floor->epoch, epoch, memory_order_seq_cst); // before what follows
}

static void raise_floors(struct rsan_index_table *table, uint32_t index) {
  const struct rsan_index_entry *entry = &table->entries[index];
  rsan_index_raise_epoch_floor(table, index, entry->epoch);
  atomic_store_explicit(&floor_of(table, index)->sc_index, entry->sc_index, memory_order_relaxed);
  table->taken_by_force = true;
}

static uint32_t make_fresh(struct rsan_index_table *table) {
  table->entries =
      rsan_make_room(table->entries, &table->room, table->count, sizeof *table->entries);
  return table->count++;
}

uint32_t rsan_index_take(struct rsan_index_table *table, const struct rsan_stamp *c,
                         const struct rsan_stamp *vs, uint64_t *epoch, uint64_t *sc_index,
                         struct rsan_counters *counters) {
  uint32_t index = find_exact(table, c, vs);
  if (index != NONE)
    RSAN_COUNT(counters, index_reuse);
  if (index == NONE && table->count >= RSAN_THREAD_INDEX_SOFT_MAX) {
    index = find_longest_finished(table);
    if (index != NONE) {
      raise_floors(table, index);
      RSAN_COUNT(counters, forced_reuse);
    }
  }
  if (index == NONE)
    index = make_fresh(table);
  struct rsan_index_entry *entry = &table->entries[index];
  entry->finished = false;
  *epoch = entry->epoch + 1;
  *sc_index = entry->sc_index;
  return index;
}

void rsan_index_give(struct rsan_index_table *table, uint32_t index, uint64_t epoch,
                     uint64_t sc_index) {
  table->entries[index] = (struct rsan_index_entry){
      .finished = true,
      .finish_order = ++table->finishes,
      .epoch = epoch,
      .sc_index = sc_index,
  };
}

void rsan_index_table_clear(struct rsan_index_table *table) {
  rsan_host_free(table->entries);
  rsan_host_free(atomic_load_explicit(&table->floors, memory_order_relaxed));
  *table = (struct rsan_index_table){0};
}
