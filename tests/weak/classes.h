// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The complete classes of programs of two threads with two accesses each, of two locations: loads,
// stores and exchanges of all orders but seq_cst; or such with at least one seq_cst access. Each
// write leaves another value, so an outcome says what each access reads from. Programs that differ
// only in the names of threads and locations count once.
#ifndef RSAN_TESTS_WEAK_CLASSES_H
#define RSAN_TESTS_WEAK_CLASSES_H

#include "explore.h"

struct class_result {
  uint64_t programs, weak_programs; // weak: with an outcome that no sequentially consistent run has
  uint64_t weak, not_reached;       // such outcomes that the memory model allows, and of those
  struct explored sum;
};

// All programs, or those whose number is `first` modulo `one_of`. Prints each difference.
void class_run(bool seq_cst, uint64_t one_of, uint64_t first, struct class_result *result);

#endif
