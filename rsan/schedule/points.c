// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "points.h"

#include "../host.h"

#define NO_SLOT RSAN_LABEL_SLOTS

void rsan_points_init(struct rsan_points *p) {
  *p = (struct rsan_points){0};
  for (uint32_t i = 0; i <= RSAN_LABEL_SLOTS; i++)
    p->after[i] = NO_SLOT;
}

void rsan_points_clear(struct rsan_points *p) {
  rsan_host_free(p->before);
  rsan_points_init(p);
}

uint16_t rsan_points_slot(struct rsan_label label) {
  return (label.point * 31 + label.kind) * 0x9E3779B97F4A7C15u >> 56;
}

bool rsan_points_has(const struct rsan_points *p, struct rsan_label label) {
  uint16_t slot = rsan_points_slot(label);
  return p->used[slot] && rsan_label_same(p->label[slot], label);
}

static uint16_t before(const struct rsan_points *p, uint32_t thread) {
  return thread < p->threads ? p->before[thread] : NO_SLOT;
}

uint16_t rsan_points_expected(const struct rsan_points *p, uint32_t thread) {
  return p->after[before(p, thread)];
}

void rsan_points_step(struct rsan_points *p, uint32_t thread, struct rsan_label label) {
  if (thread >= p->threads) {
    uint32_t room = p->threads ? p->threads * 2 : 16;
    while (room <= thread)
      room *= 2;
    p->before = rsan_resize(p->before, p->threads * sizeof *p->before, room * sizeof *p->before);
    while (p->threads < room)
      p->before[p->threads++] = NO_SLOT;
  }
  uint16_t slot = rsan_points_slot(label);
  p->label[slot] = label;
  p->used[slot] = true;
  p->after[p->before[thread]] = slot;
  p->before[thread] = slot;
}
