// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one door to the explicit clocks: the paper's definition made runnable (lc/explicit.h, and
// seqcst/explicit.h for seq_cst accesses). Whatever the engine does with the compact clocks it does
// with these, too, if they are kept: with clocks=explicit, where they decide, and in VERIFY builds,
// which compare every verdict of the compact clocks with theirs. Else the `reference` of the
// engine, and of each thread, location and sync object, is NULL, and no function is called.

#ifndef RSAN_STEPS_REFERENCE_H
#define RSAN_STEPS_REFERENCE_H

#include "../lc/explicit.h"
#include "../lc/history.h"
#include "../seqcst/explicit.h"
#include "types.h"

// The engine's part. The views of S (seqcst/explicit.h), here and below, are kept with every
// seq_cst option and asked with seq_cst=exact alone.
struct rsan_reference {
  _Atomic uint32_t next_location_id, next_value_id;
  rsan_family fence_w; // W(f) of the SC fences' location; with `fence_lock`
  struct rsan_seqcst_explicit_flows fence_views; // with `fence_lock`
};

struct rsan_reference_thread {
  struct rsan_explicit_thread clocks;
  struct rsan_seqcst_explicit_thread views;
};

struct rsan_reference_location {
  struct rsan_explicit_location clocks;
  struct rsan_seqcst_explicit_location views;
};

struct rsan_reference_sync {
  struct rsan_explicit_sync clocks;
  struct rsan_seqcst_explicit_flows views;
};

// NULL where they are not kept. Those of threads, locations and sync objects begin zeroed; threads'
// and sync objects' are nothing but clocks (base/clock.h).
struct rsan_reference *rsan_reference_new(const struct rsan_options *options);
// These allow NULL.
void rsan_reference_free(struct rsan_reference *reference);
void rsan_reference_location_free(struct rsan_reference_location *location);

// The check: a pure function. Fills in T_c(x). The version is the one that the compact clocks name.
struct rsan_verdict rsan_reference_check(const struct rsan_thread *thread,
                                         const struct rsan_location *location,
                                         const struct rsan_access *access, uint64_t *known);
// `order`: that of the access without what seq_cst adds.
void rsan_reference_update(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access, enum rsan_order order);
// An SC fence is passed with `fence_lock`.
void rsan_reference_fence(struct rsan_thread *thread, enum rsan_order order);

void rsan_reference_acquire(struct rsan_thread *thread, const struct rsan_sync *sync,
                            enum rsan_edge edge);
// Without `merge` the object forgets what it had.
void rsan_reference_release(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge,
                            bool merge);

// The thread acquires the location's W; an access of it is left out of the analysis.
void rsan_reference_acquire_location(struct rsan_thread *thread,
                                     const struct rsan_location *location);
void rsan_reference_pass(struct rsan_thread *thread, struct rsan_location *location);
// A write that is not seen, by a thread that has acquired all that the object has.
void rsan_reference_write_after(struct rsan_location *location, const struct rsan_sync *sync);

void rsan_reference_restart(struct rsan_engine *engine, struct rsan_location *location);
// Merges what a withdrawn location has into the shared location of all withdrawn ones.
void rsan_reference_withdraw(struct rsan_reference_location *into,
                             const struct rsan_reference_location *from);

#endif
