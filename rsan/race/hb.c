// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appendix B of the paper, line by line.

#include "hb.h"

#include "../host.h"

void rsan_hb_read(struct rsan_hb *thread, const struct rsan_clock *w, enum rsan_order order) {
  rsan_clock_join(rsan_order_acquires(order) ? &thread->c : &thread->a, w);
}

// A plain write ends the release sequence that stood here: W is assigned, not joined.
void rsan_hb_write(struct rsan_hb *thread, struct rsan_clock *w, enum rsan_order order) {
  rsan_clock_assign(w, rsan_order_releases(order) ? &thread->c : &thread->r);
  if (rsan_order_releases(order))
    rsan_hb_tick(thread);
}

// A read-modify-write continues the release sequence: W is joined.
void rsan_hb_rmw(struct rsan_hb *thread, struct rsan_clock *w, enum rsan_order order) {
  rsan_hb_read(thread, w, order);
  rsan_clock_join(w, rsan_order_releases(order) ? &thread->c : &thread->r);
  if (rsan_order_releases(order))
    rsan_hb_tick(thread);
}

void rsan_hb_fence(struct rsan_hb *thread, enum rsan_order order) {
  if (rsan_order_acquires(order))
    rsan_clock_join(&thread->c, &thread->a);
  if (rsan_order_releases(order)) {
    rsan_clock_assign(&thread->r, &thread->c);
    rsan_hb_tick(thread);
  }
}

void rsan_hb_fence_sc(struct rsan_hb *thread, struct rsan_clock *f) {
  rsan_hb_fence(thread, RSAN_ACQUIRE);
  rsan_hb_rmw(thread, f, RSAN_ACQ_REL);
  rsan_hb_fence(thread, RSAN_RELEASE);
}

void rsan_hb_clear(struct rsan_hb *thread) {
  rsan_clock_clear(&thread->c);
  rsan_clock_clear(&thread->a);
  rsan_clock_clear(&thread->r);
}
