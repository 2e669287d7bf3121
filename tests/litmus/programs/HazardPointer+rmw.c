// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HazardPointer+rmw: hazard pointers as libcds 2.3.3 has them (cds/gc/hp.h): each thread's
//   acq_rel read-modify-write of a counter of its own stands where a fence is needed.
// Verdict: not robust (2/35)
// Why: nobody else accesses that counter, so it orders nothing between the threads: the scan may
//   miss the hazard pointer while the second look misses the removal, and a node in use is freed.
// Twin: HazardPointer+fences

#include "hazard_pointer.h"

static void sync_thread(struct shared *s, int self) {
  atomic_fetch_add_explicit(&s->sync[self], 1, memory_order_acq_rel);
}

const struct litmus litmus_program = {
    HAZARD_POINTER_PROGRAM,
    .flagged = "0000111 0111000",
};
