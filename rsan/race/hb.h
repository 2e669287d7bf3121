// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RC20 happens-before as vector clocks: the paper's appendix B, algorithm section 3.
//
//   thread    Vc  what the thread knows by happens-before; its own entry is its epoch, from 1
//             Va  what an acquire fence would add (joined by relaxed reads)
//             Vr  what a relaxed write publishes (Vc at the last release fence)
//   location  W   view of the newest write, release sequence included
//
// The epoch moves on after every publication, so that 'epoch k of thread p is known' means 'all
// that p did before it published in epoch k is known'.
//
// Deviation 1: an acquire access joins W into Vc alone, not into Va too. A later acquire fence
// joins Va into Vc, which then has it already.

#ifndef RSAN_RACE_HB_H
#define RSAN_RACE_HB_H

#include "../clock.h"
#include "../memorder.h"

struct rsan_hb {
  uint32_t index; // of the thread, in every clock
  struct rsan_clock c, a, r;
};

static inline uint64_t rsan_hb_epoch(const struct rsan_hb *thread) {
  return rsan_clock_get(&thread->c, thread->index);
}

// The events. `w` is the location's clock, covered by the location's lock; `order` is the order
// without seq_cst's fence, which the engine takes first.
void rsan_hb_read(struct rsan_hb *thread, const struct rsan_clock *w, enum rsan_order order);
void rsan_hb_write(struct rsan_hb *thread, struct rsan_clock *w, enum rsan_order order);
void rsan_hb_rmw(struct rsan_hb *thread, struct rsan_clock *w, enum rsan_order order);

// acq, rel and acq_rel fences, and the SC fence, whose location f has the clock `f`: acquire fence,
// acq_rel fetch-op on f, release fence. f takes part in happens-before only.
void rsan_hb_fence(struct rsan_hb *thread, enum rsan_order order);
void rsan_hb_fence_sc(struct rsan_hb *thread, struct rsan_clock *f);

// Moves the thread's epoch on, after its Vc was published by other means (unlock, create).
static inline void rsan_hb_tick(struct rsan_hb *thread) {
  rsan_clock_tick(&thread->c, thread->index);
}

void rsan_hb_clear(struct rsan_hb *thread);

#endif
