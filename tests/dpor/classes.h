// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brute force: all interleavings of a program, and how many classes they are in. Two of them are in
// one class if they differ in the order of steps alone that touch nothing together, or read it
// only. This says so of sets of things that a step reads and writes, and shares nothing with the
// explorer.

#ifndef RSAN_TESTS_DPOR_CLASSES_H
#define RSAN_TESTS_DPOR_CLASSES_H

#include "explore.h"

struct hashes {
  uint64_t *at;
  uint32_t count, room;
};

bool hashes_add(struct hashes *h, uint64_t hash); // true: it is new
bool hashes_equal(const struct hashes *a, const struct hashes *b);
void hashes_free(struct hashes *h);

// The class of a run by its entries: equal for runs of one class.
uint64_t class_of(const struct dpor_program *p, const struct run *run);

// Sees each interleaving, to its end. False: there are more than `most`, or the visitor ended it.
bool enumerate_interleavings(const struct dpor_program *p, uint64_t most, run_visitor visit,
                             void *context);
// What they are in. False: there are more than `most`.
bool enumerate_classes(const struct dpor_program *p, uint64_t most, struct hashes *classes,
                       struct hashes *outcomes, uint64_t *interleavings);

#endif
