// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++20's fences beside RC20's (docs/internals/FENCES.md): a second analysis of the run, with
// clocks of its own (seqcst/cxx20.h), which finds nothing and reports nothing. It counts the
// accesses that violate robustness by C++20's fences and not by RC20's, where f orders fences.
// Hosts begin it where they explore all executions; else engine->cxx20 is NULL, and no function is
// called.
//
// It uses hbSC and the history of the engine's own state, which do not depend on f. One lock of the
// engine covers all that is here: threads that are explored take turns.

#ifndef RSAN_STEPS_CXX20_H
#define RSAN_STEPS_CXX20_H

#include "../seqcst/cxx20.h"
#include "types.h"

// The engine's part, from the first time on that the analysis is made.
struct rsan_cxx20 {
  struct rsan_lock lock;
  struct rsan_cxx20_thread *threads; // that have taken part
  uint32_t generation, generations;  // state of another one is as new; 0: none is made now
  uint32_t next_id;
  uint64_t fences;        // SC fences that were passed: of one alone, nothing depends on f
  bool mixes;             // some access was of an object of several sizes
  _Atomic uint64_t apart; // accesses that are judged differently
};

struct rsan_cxx20_thread {
  struct rsan_cxx20_thread *next, *previous;
  struct rsan_cxx20_views views;
  uint32_t id, generation;
  uint32_t slot; // of the host's marks, and the last number there
  uint64_t last;
  bool ended;
};

struct rsan_cxx20_location {
  struct rsan_cxx20_there there;
  uint32_t generation;
};

// An object of several sizes: each byte counts as a location (docs/internals/SIZES.md).
struct rsan_cxx20_bytes {
  struct rsan_cxx20_there there[RSAN_MIXED_BYTES];
  uint32_t generation;
};

struct rsan_cxx20_sync {
  struct rsan_cxx20_flows flows;
  uint32_t generation;
};

void rsan_cxx20_begin_anew(struct rsan_cxx20 *all);
static inline bool rsan_cxx20_is_on(const struct rsan_engine *engine) {
  return engine->cxx20 && engine->cxx20->generation;
}

// Before the update, of an access or arrival that is no violation by RC20: is it one by C++20? Then
// it counts.
void rsan_cxx20_judge(struct rsan_thread *thread, const struct rsan_location *location,
                      const struct rsan_access *access);

// Before the version of a write is appended.
void rsan_cxx20_update(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access);
void rsan_cxx20_pass_fence(struct rsan_thread *thread, enum rsan_order order);
void rsan_cxx20_pass_access(struct rsan_thread *thread, struct rsan_location *location);
void rsan_cxx20_acquire_location(struct rsan_thread *thread, struct rsan_location *location);
void rsan_cxx20_acquire_from(struct rsan_thread *thread, const struct rsan_sync *sync);
void rsan_cxx20_release_to(struct rsan_thread *thread, struct rsan_sync *sync, bool merge);
void rsan_cxx20_write_after(struct rsan_engine *engine, struct rsan_location *location,
                            const struct rsan_sync *sync);

// The same for an object of several sizes, whose access has the bytes from `first` on. What is
// asked is the newest version that the thread knows of the byte, and may not miss by S; so it is
// asked for a proof alone. What is not there is made; `part` becomes bytes of `mixed`, from
// `offset` on.
uint64_t rsan_cxx20_known_of_byte(struct rsan_thread *thread, struct rsan_mixed *mixed,
                                  uint32_t byte, bool seq_cst);
void rsan_cxx20_update_bytes(struct rsan_thread *thread, struct rsan_mixed *mixed, uint32_t first,
                             const struct rsan_access *access);
void rsan_cxx20_restart_bytes(struct rsan_mixed *mixed);
void rsan_cxx20_move_bytes(struct rsan_engine *engine, struct rsan_mixed *mixed,
                           const struct rsan_location *part, uint32_t offset);
void rsan_cxx20_bytes_free(struct rsan_cxx20_bytes *bytes); // NULL is allowed

// The location's history has started over, and all know version 0. rsan_cxx20_withdraw merges
// what a withdrawn location has into the shared location of all withdrawn ones.
void rsan_cxx20_start_over(struct rsan_location *location);
void rsan_cxx20_withdraw(struct rsan_engine *engine, struct rsan_location *into,
                         const struct rsan_location *location);

// Forgets what all threads know. Returns the newest version that they do.
uint64_t rsan_cxx20_forget(struct rsan_engine *engine, struct rsan_location *location);

// A thread takes part from when it is created, or the generation begins, to its end.
void rsan_cxx20_take_part(struct rsan_thread *thread);
void rsan_cxx20_end(struct rsan_thread *thread);
void rsan_cxx20_thread_free(struct rsan_thread *thread);
void rsan_cxx20_location_free(struct rsan_cxx20_location *location); // NULL is allowed
void rsan_cxx20_sync_free(struct rsan_cxx20_sync *sync);             // NULL is allowed

#endif
