// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// seq_cst accesses exactly, with explicit clocks (lc/explicit.h): what must come before an access
// in C++20's single total order S of all seq_cst events, as functions from locations to versions.
//
//   thread    ST       of its newest seq_cst event: everything that is S-before it, and itself
//             F        of the SC fences that happen before now
//             H        of the seq_cst events g with g po b, b happens before now or is now's past
//             P        what an SC fence that comes now is S-after
//   location  SM       what a seq_cst write that comes now is S-after, through the location
//             SW       the same for a read: what the accesses up to the newest write bring
//
// F, H and P go where happens-before goes, so each has the parts c, a and r of a thread and W of a
// location. docs/internals/MODEL.md section 4 has the rules.

#ifndef RSAN_SEQCST_EXPLICIT_H
#define RSAN_SEQCST_EXPLICIT_H

#include "../lc/explicit.h"

// All of these are nothing but clocks: base/clock.h joins and clears them.
struct rsan_seqcst_explicit_flows {
  rsan_family f, h, p;
};

struct rsan_seqcst_explicit_thread {
  rsan_family st;
  struct rsan_seqcst_explicit_flows c, a, r;
};

struct rsan_seqcst_explicit_location {
  rsan_family sm, sw;
  struct rsan_seqcst_explicit_flows w;
};

// Raises known[], T_c(x) of both families, to what an access of x may not miss.
void rsan_seqcst_explicit_known(const struct rsan_seqcst_explicit_thread *thread, uint32_t x,
                                bool seq_cst, uint64_t known[RSAN_FAMILIES]);

// After rsan_explicit_update of the same access.
void rsan_seqcst_explicit_access(struct rsan_seqcst_explicit_thread *thread,
                                 struct rsan_seqcst_explicit_location *location,
                                 const struct rsan_explicit_thread *hb, uint32_t x,
                                 const struct rsan_access *access);

// After rsan_explicit_fence. `f` is what the SC fences hand on to each other; NULL: nothing.
void rsan_seqcst_explicit_fence(struct rsan_seqcst_explicit_thread *thread,
                                struct rsan_seqcst_explicit_flows *f,
                                const struct rsan_explicit_thread *hb, enum rsan_order order);

// With every edge of happens-before that is not an atomic's: the object joins the thread's flows,
// the thread those of an object.
void rsan_seqcst_explicit_release(struct rsan_seqcst_explicit_thread *thread,
                                  struct rsan_seqcst_explicit_flows *object);
void rsan_seqcst_explicit_acquire(struct rsan_seqcst_explicit_thread *thread,
                                  const struct rsan_seqcst_explicit_flows *object);

// An access of which no more is known than that it took place: all that it may bring or acquire.
void rsan_seqcst_explicit_pass(struct rsan_seqcst_explicit_thread *thread,
                               struct rsan_seqcst_explicit_location *location);
// One location's part in another's: of locations that count as one from now on.
void rsan_seqcst_explicit_merge(struct rsan_seqcst_explicit_location *into,
                                const struct rsan_seqcst_explicit_location *from);

#endif
