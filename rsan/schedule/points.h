// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How steps are named in a recorded schedule: writer and reader keep the same small memory of
// program points, so most steps need no name at all.
//
// A *label* is a kind of operation at a program point. It has one of 256 slots by its hash; a label
// that is not in its slot is written in full and takes it. Behind each label stands the one that
// the same thread had next the last time: a step that has it is *expected*. In a loop all steps
// are, from its second turn on.

#ifndef RSAN_SCHEDULE_POINTS_H
#define RSAN_SCHEDULE_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#define RSAN_LABEL_SLOTS   256
#define RSAN_LABEL_EXPIRED 0x80 // in `kind`: the time of a wait was over

struct rsan_label {
  uint64_t point;
  uint8_t kind; // enum rsan_kind
};

static inline bool rsan_label_same(struct rsan_label a, struct rsan_label b) {
  return a.point == b.point && a.kind == b.kind;
}

struct rsan_points {
  struct rsan_label label[RSAN_LABEL_SLOTS];
  bool used[RSAN_LABEL_SLOTS];
  // Slots, those that were not known yet the last one: the first label of threads.
  uint16_t after[RSAN_LABEL_SLOTS + 1];
  uint16_t *before; // the slot of each thread's newest step
  uint32_t threads;
};

void rsan_points_init(struct rsan_points *p);
void rsan_points_clear(struct rsan_points *p);

uint16_t rsan_points_slot(struct rsan_label label);
// Is it the one in its slot?
bool rsan_points_has(const struct rsan_points *p, struct rsan_label label);
// The slot of the step that is expected of the thread; RSAN_LABEL_SLOTS: none is.
uint16_t rsan_points_expected(const struct rsan_points *p, uint32_t thread);
// The thread has made the step.
void rsan_points_step(struct rsan_points *p, uint32_t thread, struct rsan_label label);

#endif
