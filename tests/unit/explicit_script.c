// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "explicit_script.h"

struct rsan_explicit_thread threads[THREADS];
struct rsan_explicit_location locations[LOCATIONS];
static uint64_t memory[LOCATIONS];
struct rsan_clock f[RSAN_FAMILIES];
_Atomic uint32_t next_value_id;

int script_begin(void **state) {
  (void)state;
  for (uint32_t i = 0; i < LOCATIONS; i++) {
    locations[i].id = i;
    memory[i] = 0;
  }
  next_value_id = 0;
  return 0;
}

int script_end(void **state) {
  (void)state;
  for (unsigned i = 0; i < THREADS; i++)
    RSAN_CLOCKS_CLEAR(&threads[i]);
  for (unsigned i = 0; i < LOCATIONS; i++)
    rsan_explicit_location_clear(&locations[i]);
  RSAN_CLOCKS_CLEAR(&f);
  return unit_check_memory();
}

void act(int thread, int x, enum rsan_access_kind kind, uint64_t low, enum rsan_order order) {
  struct rsan_access access = {
      .kind = kind, .order = order, .seen = {memory[x], 0}, .written = {low, 0}};
  if (kind != RSAN_READ)
    memory[x] = low;
  rsan_explicit_update(&threads[thread], &locations[x], &access, &next_value_id);
}

bool check(int thread, int x, enum rsan_check kind, uint64_t expected) {
  struct rsan_access access = {.check = kind,
                               .expected = rsan_equals((struct rsan_value){expected, 0})};
  uint64_t known[RSAN_FAMILIES];
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    known[family] = rsan_clock_get(&threads[thread].c[family], locations[x].id);
  return rsan_explicit_check(&threads[thread], &locations[x], &access, known);
}

uint64_t known(int thread, int x) {
  return rsan_clock_get(&threads[thread].c[RSAN_ALL], locations[x].id);
}
uint64_t known_plain(int thread, int x) {
  return rsan_clock_get(&threads[thread].c[RSAN_PLAIN], (uint32_t)x);
}
uint64_t sc(int thread, int x) {
  return rsan_clock_get(&threads[thread].sc[RSAN_ALL], (uint32_t)x);
}
uint64_t sc_plain(int thread, int x) {
  return rsan_clock_get(&threads[thread].sc[RSAN_PLAIN], (uint32_t)x);
}
