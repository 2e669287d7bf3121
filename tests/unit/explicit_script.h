// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scripted threads on the explicit clocks alone: what the tests of rsan/lc/explicit.h share.

#ifndef EXPLICIT_SCRIPT_H
#define EXPLICIT_SCRIPT_H

#include "unit.h"

#include "lc/explicit.h"

enum { P, Q, R, THREADS };
enum { X, Y, LOCATIONS };

extern struct rsan_explicit_thread threads[THREADS];
extern struct rsan_explicit_location locations[LOCATIONS];
extern struct rsan_clock f[RSAN_FAMILIES]; // of the SC fences' location
extern _Atomic uint32_t next_value_id;

int script_begin(void **state);
int script_end(void **state);

void act(int thread, int x, enum rsan_access_kind kind, uint64_t low, enum rsan_order order);

static inline void read(int thread, int x, enum rsan_order order) {
  act(thread, x, RSAN_READ, 0, order);
}
static inline void write(int thread, int x, uint64_t low, enum rsan_order order) {
  act(thread, x, RSAN_WRITE, low, order);
}
static inline void rmw(int thread, int x, uint64_t low, enum rsan_order order) {
  act(thread, x, RSAN_RMW, low, order);
}

bool check(int thread, int x, enum rsan_check kind, uint64_t expected);

// Newest version known by happens-before; newest that every SC run puts before the next step. The
// _plain ones count plain writes alone.
uint64_t known(int thread, int x);
uint64_t known_plain(int thread, int x);
uint64_t sc(int thread, int x);
uint64_t sc_plain(int thread, int x);

#endif
