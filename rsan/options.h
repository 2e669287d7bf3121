// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host may choose when it makes an engine.

#ifndef RSAN_OPTIONS_H
#define RSAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum rsan_clocks {
  RSAN_CLOCKS_COMPACT,  // thread-indexed clocks and a version history (docs/internals/ALGORITHM.md
                        // section 2)
  RSAN_CLOCKS_EXPLICIT, // the paper's location clocks, literally (section 2): the slow reference
};

// How much of a location's past the compact clocks keep (memory/collect.h). With the explicit
// clocks everything is kept.
enum rsan_history_mode {
  RSAN_HISTORY_BOUNDED, // memory bounded by live threads and locations; a few violations are missed
  RSAN_HISTORY_EXACT,   // all that any thread may still ask for
};

// What may show a violation (machines/machines.h): bits. 0 is C11 alone.
enum rsan_target {
  RSAN_TARGET_C11 = 1,          // the memory model: whatever it allows
  RSAN_TARGET_X86 = 2,          // x86-TSO with the standard mapping
  RSAN_TARGET_ARM = 4,          // ARMv8; shown: if no dependency forbids it
  RSAN_TARGET_ARM_DEFINITE = 8, // shown by it whatever the dependencies
  // The mapping to ARMv8, of what is asked for: acquire loads are LDAR (else LDAPR), read-modify-
  // writes are LSE's (else exclusives).
  RSAN_TARGET_ARM_LDAR = 16,
  RSAN_TARGET_ARM_LSE = 32,
};

// What a seq_cst access is, beside an acquire and release access.
enum rsan_seq_cst_mode {
  RSAN_SEQ_CST_EXACT,   // has a place in C++20's single total order S
  RSAN_SEQ_CST_FENCE,   // has an SC fence right before it: some violations are missed
  RSAN_SEQ_CST_ACQ_REL, // nothing: reports what seq_cst forbids
};

struct rsan_options {
  enum rsan_clocks clocks;
  enum rsan_history_mode history;
  enum rsan_seq_cst_mode seq_cst;
  // history=bounded: while more than large_locations have a history of as many bytes, each has a
  // share of what so many may have, and no less than these bytes (memory/budget.h). 0 bytes: no
  // limit.
  uint32_t location_budget, large_locations;
  uint32_t targets;         // enum rsan_target: what is reported is what one of them shows
  uint32_t explain_history; // accesses a thread that explanations can be made of; 0: none are made
  // With explicit clocks alone: SC fences are C++20's (docs/internals/FENCES.md), not RC20's.
  bool cxx20_fences;
  bool weak; // accesses may depart (rsan_weak_candidates); with compact clocks and exact S alone
};

#endif
