// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HazardPointer+sharedrmw: hazard pointers with an acq_rel read-modify-write of one counter of
//   all threads in place of the fences.
// Verdict: robust (0/35)
// Why: the later of the two reads from the earlier one, and acquires what came before it.
// Twin: HazardPointer+rmw

#include "hazard_pointer.h"

static void sync_thread(struct shared *s, int self) {
  (void)self;
  atomic_fetch_add_explicit(&s->sync[0], 1, memory_order_acq_rel);
}

const struct litmus litmus_program = {
    HAZARD_POINTER_PROGRAM,
};
