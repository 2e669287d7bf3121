// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which machines can show a violation: docs/internals/MODEL.md section 7, which has the deviations,
// too. The check depends on the machines' own state and on `rsan_machines_sight`. Nothing of it
// exists unless a machine besides C11 is asked for (rsan_options.targets): then
// rsan_engine.machines is not NULL, and all threads, locations and sync objects have clocks of
// machines.

#ifndef RSAN_MACHINES_MACHINES_H
#define RSAN_MACHINES_MACHINES_H

#include "../base/lock.h"
#include "../base/thread_index.h"
#include "../event.h"
#include "../lc/compact.h"
#include "../options.h"
#include "arm.h"
#include "tso.h"

// A thread's last access of a location.
struct rsan_last_access {
  uint64_t version;
  uint64_t load; // if it was a load: its order, and what the thread had of others; 0: it was none
};

struct rsan_coherence {
  uint32_t count;              // entries, by thread index; those further on are 0
  struct rsan_last_access *at; // `first` of the location, until there are threads without a place
};
#define RSAN_COHERENCE_FIRST 7u

static inline struct rsan_last_access rsan_last_access(const struct rsan_coherence *coherence,
                                                       uint32_t thread) {
  return thread < coherence->count ? coherence->at[thread] : (struct rsan_last_access){0};
}

// ARMv8 without dependencies, and with each read before what follows it.
enum { RSAN_ARM_MAY, RSAN_ARM_DEFINITE, RSAN_ARM_BOTH };

struct rsan_machines_thread {
  uint32_t index;
  uint32_t asked; // as in rsan_machines
  uint32_t keep;  // records of ARMv8 that a location keeps; 0: all
  uint32_t arms;  // RSAN_ARM_BOTH if ARMv8 is asked for, else 0
  struct rsan_tso_thread tso;
  struct rsan_arm_thread arm[RSAN_ARM_BOTH];
};

// In one block: these, and what ARMv8 has there if it is asked for.
struct rsan_machines_location {
  struct rsan_coherence coherence;
  struct rsan_last_access first[RSAN_COHERENCE_FIRST]; // of coherence, as it begins
  struct rsan_tso_location tso;
  uint32_t arms; // as in rsan_machines_thread
  struct rsan_arm_location arm[];
};

struct rsan_machines_sync {
  struct rsan_stamp tso;
  struct rsan_arm_view arm[RSAN_ARM_BOTH];
};

struct rsan_machines {
  uint32_t asked; // enum rsan_target
  uint32_t keep, arms;
  struct rsan_lock lock;
  uint32_t ends_count;
  struct rsan_machines_thread **ends; // by thread index: of the last thread, which has finished
};

// NULL if nothing but C11 is asked for.
struct rsan_machines *rsan_machines_new(const struct rsan_options *options);
// history=exact from now on; `thread` is the only one.
void rsan_machines_keep_all(struct rsan_machines *machines, struct rsan_machines_thread *thread);
void rsan_machines_free(struct rsan_machines *machines);

// How the clocks of machines come and go. `number`, here and below, is an SC index of the thread's
// that no other release or version of it has. Indices may have gaps.
struct rsan_machines_thread *rsan_machines_thread_new(struct rsan_machines *machines,
                                                      uint32_t index);
// The next thread of the index will go on with it.
void rsan_machines_thread_finish(struct rsan_machines *machines,
                                 struct rsan_machines_thread *thread);
void rsan_machines_thread_free(struct rsan_machines_thread *thread); // NULL is allowed, as below
struct rsan_machines_location *rsan_machines_location_new(const struct rsan_machines *machines);
void rsan_machines_location_restart(struct rsan_machines_location *location);
void rsan_machines_location_renew(struct rsan_machines_location *location); // to what a new one is
void rsan_machines_location_free(struct rsan_machines_location *location);
void rsan_machines_sync_clear(struct rsan_machines_sync *sync);

// What the machines share with C11's analysis.
struct rsan_machines_sight {
  const struct rsan_sc_view *sc;          // of the thread: which versions it may miss
  const struct rsan_history *history;     // of the location
  const struct rsan_index_table *indices; // floors
};

// The check of an access before it is made: a pure function. Returns the machines that show a
// violation, with what may be missed on the first of them, and its K; 0: none does.
uint32_t rsan_machines_check(const struct rsan_machines_thread *thread,
                             const struct rsan_machines_location *location,
                             const struct rsan_machines_sight *sight,
                             const struct rsan_access *access, struct rsan_verdict *verdict);

// Was the thread's last access there of that version? If it is the newest, no machine lets the
// thread's next one miss anything.
static inline bool rsan_machines_had(const struct rsan_machines_thread *thread,
                                     const struct rsan_machines_location *location,
                                     uint64_t version) {
  return rsan_last_access(&location->coherence, thread->index).version == version;
}

// The update, after the access: `newest` is the version that it has read or left, `sc_index` that
// of a version that it has left. This and the following functions say whether a load that the
// thread made before could now, made again, have another effect (rsan_thread_changes).
bool rsan_machines_update(struct rsan_machines_thread *thread,
                          struct rsan_machines_location *location, const struct rsan_access *access,
                          uint64_t newest, uint64_t sc_index);
bool rsan_machines_fence(struct rsan_machines_thread *thread); // a full one
bool rsan_machines_fence_of(struct rsan_machines_thread *thread, enum rsan_order order);
bool rsan_machines_acquire(struct rsan_machines_thread *thread,
                           const struct rsan_machines_sync *sync);
bool rsan_machines_acquire_location(struct rsan_machines_thread *thread,
                                    const struct rsan_machines_location *location);
// An access that is left out of the analysis: fences around it, and everything is passed on.
bool rsan_machines_pass(struct rsan_machines_thread *thread,
                        struct rsan_machines_location *location, uint64_t number);

void rsan_machines_release(struct rsan_machines_thread *thread, struct rsan_machines_sync *sync,
                           uint64_t number, bool merge);
// A write that is not seen, by a thread that has acquired all that the object has.
void rsan_machines_write_after(struct rsan_machines_location *location,
                               const struct rsan_machines_sync *sync);
// Merges what a withdrawn location has into the shared location of all withdrawn ones.
void rsan_machines_withdraw(struct rsan_machines_location *into,
                            const struct rsan_machines_location *from);

#endif
