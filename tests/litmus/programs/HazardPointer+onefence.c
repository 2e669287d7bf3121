// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HazardPointer+onefence: hazard pointers with an SC fence in protect, and a read-modify-write of
//   the thread's own counter before the scan.
// Verdict: not robust (2/35)
// Why: a fence orders nothing for a thread that has none between its two accesses.
// Twin: HazardPointer+fences

#include "hazard_pointer.h"

static void sync_thread(struct shared *s, int self) {
  if (self == 0)
    atomic_thread_fence(memory_order_seq_cst);
  else
    atomic_fetch_add_explicit(&s->sync[self], 1, memory_order_acq_rel);
}

const struct litmus litmus_program = {
    HAZARD_POINTER_PROGRAM,
    .flagged = "0000111 0111000",
};
