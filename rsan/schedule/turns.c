// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "turns.h"

#include "../host.h"

void rsan_turns_forget(struct rsan_turns *t) {
  rsan_host_memset(t, 0, sizeof *t);
}

// The place of a point, or of the one that is forgotten for it: of the fewest turns.
static uint32_t place_of(const struct rsan_turns *t, uint64_t point) {
  uint32_t place = 0;
  for (uint32_t i = 0; i < RSAN_TURNS_POINTS; i++) {
    if (t->at[i].count && t->at[i].point == point)
      return i;
    if (t->at[i].count < t->at[place].count)
      place = i;
  }
  return place;
}

// The turns at the point are counted at the step's object from now on.
static void begin_at(struct rsan_turns *t, uint32_t i, const struct rsan_op *op,
                     uint32_t most_others) {
  t->at[i].point = op->point;
  t->at[i].object = op->object;
  t->at[i].value = op->before;
  t->at[i].count = 1;
  t->at[i].others = 0;
  t->at[i].most_others = most_others;
}

void rsan_turns_make(struct rsan_turns *t, const struct rsan_op *op) {
  if (rsan_turns_ends(op)) {
    rsan_turns_forget(t);
    return;
  }
  uint32_t i = place_of(t, op->point);
  bool known = t->at[i].count && t->at[i].point == op->point;
  if (known && t->at[i].object != op->object) {
    if (++t->at[i].others > t->at[i].most_others)
      begin_at(t, i, op, 2 * t->at[i].most_others + 1);
    return;
  }
  if (known && rsan_value_equal(t->at[i].value, op->before)) {
    t->at[i].count++;
    t->at[i].others = 0;
    return;
  }
  if (known)
    rsan_turns_forget(t);
  begin_at(t, i, op, 0);
}

uint32_t rsan_turns_made(const struct rsan_turns *t, const struct rsan_op *op) {
  uint32_t i = place_of(t, op->point);
  return t->at[i].point == op->point && t->at[i].object == op->object ? t->at[i].count : 0;
}

uint32_t rsan_turns_most(const struct rsan_turns *t) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < RSAN_TURNS_POINTS; i++)
    most = t->at[i].count > most ? t->at[i].count : most;
  return most;
}
