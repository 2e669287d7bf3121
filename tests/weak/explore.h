// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All runs of a small program in which accesses may depart: every interleaving, every choice of the
// model, any number of departures. The execution graph of each run is held against the axioms
// (tests/oracle), and so are its races.
#ifndef RSAN_TESTS_WEAK_EXPLORE_H
#define RSAN_TESTS_WEAK_EXPLORE_H

#include "model.h"

// The values read by the accesses of a run, in the order of the program. For programs of at
// most four accesses that leave values below 16.
typedef uint16_t outcome;

struct outcomes {
  uint64_t bits[1 << 16 >> 6];
};

static inline bool outcomes_has(const struct outcomes *outcomes, outcome o) {
  return outcomes->bits[o / 64] >> o % 64 & 1;
}

struct explored {
  uint64_t runs, departing, graphs; // complete or stuck; graphs of those with departures
  uint64_t departures;              // in all of them
  // What must not be:
  uint64_t inconsistent; // graphs that the memory model forbids
  uint64_t not_stale;    // first departures after which the graph is sequentially consistent
  uint64_t wrong_values; // departures that the operation cannot make
  uint64_t false_races;  // races by the model that are ordered by the graph's happens-before
  uint64_t missed_races; // and the other way round
};

// Adds to `sum`. `rules`: as of model_begin; `most`: departures of a run; `outcomes` may be
// NULL. Ends early where `stops`, at the first thing that must not be.
void explore(const struct program *program, uint32_t rules, uint32_t most, bool stops,
             struct explored *sum, struct outcomes *outcomes);

// The same outcomes by the axioms alone: of all consistent graphs.
void outcomes_allowed(const struct program *program, struct outcomes *outcomes);

// Does the program have a seq_cst access? Only then are graphs checked against C++20's axioms of
// seq_cst.
bool has_seq_cst(const struct program *program);

static inline uint64_t explored_bad(const struct explored *e) {
  return e->inconsistent + e->not_stale + e->wrong_values + e->false_races + e->missed_races;
}

#endif
