// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One location and three threads for the tests of rsan/memory/collect.h: P writes versions 1, 2,
// ... in its epochs 1, 2, ...; what of them is kept depends on what the others know.

#ifndef COLLECT_SCRIPT_H
#define COLLECT_SCRIPT_H

#include "stamps.h"

#include "memory/collect.h"

enum { P, Q, R, THREADS };
enum { VERSIONS = 3 * RSAN_COLLECT_KEPT };

extern struct rsan_hb hb[THREADS];
extern struct rsan_view view[THREADS];
extern struct rsan_views views;
extern struct rsan_history history;
extern struct rsan_records records;
extern struct rsan_counters counters;

int script_begin(void **state);
int script_end(void **state);

// P writes `value`: the next version, in an epoch of its own.
void write_value(enum rsan_access_kind kind, uint64_t value);
void write_all(void); // VERSIONS read-modify-writes
// Q has read the newest version, in the epoch that it is in.
void read_by_q(void);

void collect(bool bounded);
// With `others` threads more that know all but the last version, the first one perhaps nothing.
void collect_with(uint32_t others, bool first_knows);
bool has_version(uint64_t number);

// Newest version that the thread knows. And: it knows P's epochs up to this one, or Q's.
uint64_t known(int thread);
void knows(int thread, uint64_t epoch);
void knows_q(int thread, uint64_t epoch);

#endif
