// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which machines can show a violation. Beside C11's clocks each machine has its own, and with them
// its own threshold K in place of T_c: the newest version that the machine puts before the access.
// An access is a violation on the machine when the check (lc/compact.h) fails with K. What is
// before the access in every SC run is the same for all.
//
//   K = max(coh, what the machine's clocks know)      coh: version at the thread's last access
//   there
//
// Nothing of this exists unless a machine besides C11 is asked for (rsan_options.targets): then
// rsan_engine.machines is not NULL, and all threads, locations and sync objects have clocks of
// machines.
//
// C11 itself: an access that a machine shows is one that C11 allows to go wrong, since the mappings
// of C11's atomics are sound, whatever the clocks of C11 say of it in this run.
//
// Deviation 1: a thread that takes a finished one's index knows by the machines what that one knew.
// Where its creator does not know that in any case this hides violations.
// Deviation 2: uncertain synchronisation, and locations withdrawn, are fences that pass on
// everything: this hides violations.
// Deviation 3: history=bounded forgets what C11's clocks have no need of; machines may miss
// violations by it. With history=exact nothing is forgotten.

#ifndef RSAN_MACHINES_MACHINES_H
#define RSAN_MACHINES_MACHINES_H

#include "../engine.h"
#include "../lock.h"
#include "arm.h"
#include "tso.h"

// A thread's last access of a location.
struct rsan_last_access {
  uint64_t version;
  uint64_t load; // if it was a load: its order, and what the thread had of others; 0: it was none
};

struct rsan_coherence {
  uint32_t count;              // entries, by thread index; those further on are 0
  struct rsan_last_access *at; // beside the location, until there are threads without a place there
};

// ARMv8 without dependencies, and with each read before what follows it.
enum { RSAN_ARM_MAY, RSAN_ARM_DEFINITE, RSAN_ARM_BOTH };

struct rsan_machines_thread {
  struct rsan_tso_thread tso;
  struct rsan_arm_thread arm[RSAN_ARM_BOTH];
};

// In one block: these, what ARMv8 has there if it is asked for, coherence.
struct rsan_machines_location {
  struct rsan_coherence coherence;
  struct rsan_tso_location tso;
  uint32_t arms; // 0 or RSAN_ARM_BOTH
  struct rsan_arm_location arm[];
};

struct rsan_machines_sync {
  struct rsan_stamp tso;
  struct rsan_arm_view arm[RSAN_ARM_BOTH];
};

// What the last thread of an index left.
struct rsan_machines_end {
  uint64_t l_changes;
  struct rsan_stamp tso;
  struct rsan_arm_end arm[RSAN_ARM_BOTH];
};

struct rsan_machines {
  uint32_t asked;           // enum rsan_target
  _Atomic uint32_t threads; // indices that there have been
  struct rsan_lock lock;
  uint32_t ends_count;
  struct rsan_machines_end *ends; // by thread index
};

// The memory of coherence that a location began with.
static inline struct rsan_last_access *
rsan_machines_first_place(struct rsan_machines_location *location) {
  return (struct rsan_last_access *)&location->arm[location->arms];
}

// NULL if nothing but C11 is asked for.
struct rsan_machines *rsan_machines_new(const struct rsan_options *options);
void rsan_machines_free(struct rsan_machines *machines);

// Where engine*.c do the same for C11. Each has a thread, location or sync object with clocks of
// machines.
struct rsan_machines_thread *rsan_machines_thread_new(struct rsan_machines *machines,
                                                      uint32_t index);
void rsan_machines_thread_finish(struct rsan_engine *engine, struct rsan_thread *thread);
void rsan_machines_thread_free(struct rsan_machines_thread *thread);
struct rsan_machines_location *rsan_machines_location_new(const struct rsan_machines *machines);
void rsan_machines_location_restart(struct rsan_machines_location *location);
void rsan_machines_location_free(struct rsan_machines_location *location);
void rsan_machines_sync_clear(struct rsan_machines_sync *sync);

void rsan_machines_take(struct rsan_thread *thread, const struct rsan_sync *sync);
void rsan_machines_publish(struct rsan_thread *thread, struct rsan_sync *sync, bool merge);
void rsan_machines_join(struct rsan_thread *joiner, const struct rsan_thread *finished);
void rsan_machines_fence(struct rsan_thread *thread); // a full one
void rsan_machines_fence_of(struct rsan_thread *thread, enum rsan_order order);
void rsan_machines_take_location(struct rsan_thread *thread, const struct rsan_location *location);
void rsan_machines_withdraw(struct rsan_engine *engine, struct rsan_location *location);
void rsan_machines_unchecked(struct rsan_thread *thread, struct rsan_location *location);

// rsan_atomic_access and rsan_arrive_blocked with machines: C11's part in it, then what the
// machines say, which decides whether it is reported.
bool rsan_machines_access(struct rsan_engine *engine, struct rsan_thread *thread,
                          struct rsan_location *location, const struct rsan_access *access,
                          struct rsan_violation *violation);
bool rsan_machines_arrive(struct rsan_engine *engine, struct rsan_thread *thread,
                          struct rsan_location *location, const struct rsan_access *access,
                          struct rsan_violation *violation);

#endif
