// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HazardPointer+fences: hazard pointers with an SC fence in protect and one before the scan.
// Verdict: robust (0/35)
// Why: one of the two fences comes first: either the scan sees the hazard pointer, or the second
//   look sees the removal.
// Twin: HazardPointer+rmw

#include "hazard_pointer.h"

static void sync_thread(struct shared *s, int self) {
  (void)s, (void)self;
  atomic_thread_fence(memory_order_seq_cst);
}

const struct litmus litmus_program = {
    HAZARD_POINTER_PROGRAM,
};
