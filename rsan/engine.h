// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only entry of the core. One engine stands for one analysed execution. Its host owns threads,
// locations and sync objects; the core keeps no table of them. What the host must see to:
//
//   - A real atomic access and its rsan_atomic_access are one step, under one lock of the location,
//     which also covers rsan_location_free. (G3: the run is sequentially consistent.)
//   - A struct rsan_thread is touched by its own thread only, except that rsan_thread_create reads
//     the creator, who must be the caller, and rsan_thread_join reads a child that has finished.
//   - A sync object has a lock that covers acquire (shared is enough) and release.
//   - rsan_thread_create, _finish and _free of one engine are serialised by the engine itself.

#ifndef RSAN_ENGINE_H
#define RSAN_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "explanation.h"
#include "limits.h"
#include "options.h"
#include "stats.h"
#include "violation.h"

struct rsan_engine;
struct rsan_thread;
struct rsan_location;
struct rsan_sync;
struct rsan_cell;

struct rsan_engine *rsan_engine_new(const struct rsan_options *options);
// From now on new threads note nothing for rsan_explain: there will be nothing to explain.
void rsan_engine_explain_nothing(struct rsan_engine *engine);
// From now on as with history=exact. `thread` is the only one; it knows all that was dropped.
void rsan_engine_keep_all(struct rsan_engine *engine, struct rsan_thread *thread);
void rsan_engine_free(struct rsan_engine *engine); // after all threads, locations and sync objects

// C++20's fences beside RC20's (docs/internals/FENCES.md), from here on: for hosts that explore all
// executions of a program. At most one thread runs when it begins and when it ends; the others, if
// there are any, acquire what it has done before they do anything. After a departure nothing is
// judged, nor where violations are looked for that a machine shows (options.targets).
//
//   rsan_engine_apart       how many accesses so far violate robustness by C++20's fences and not
//   by
//                           RC20's
//   rsan_thread_knows       does what the host numbered so in that slot (rsan_host_mark), which
//                           happens before the calling thread's next step by RC20's fences, do so
//                           by C++20's? Such are races of plain memory that RC20 has not.
//   rsan_engine_met_sizes   has there been an access of an object of several sizes? Then RC20's
//                           analysis may put too much before a step. The host asks
//                           rsan_thread_knows, and proves nothing if the answer is no.
void rsan_engine_begin_cxx20(struct rsan_engine *engine);
void rsan_engine_end_cxx20(struct rsan_engine *engine);
bool rsan_engine_has_cxx20(const struct rsan_engine *engine); // it was begun, and not ended
uint64_t rsan_engine_apart(const struct rsan_engine *engine);
bool rsan_thread_knows(struct rsan_thread *thread, uint32_t slot, uint64_t number);
bool rsan_engine_met_sizes(const struct rsan_engine *engine);

uint64_t rsan_engine_stat(struct rsan_engine *engine, enum rsan_stat stat);

// `creator` is NULL for a thread that nothing orders. Such a thread is taken to know what every
// other running thread knows of a location, so with history=exact make it before the first access.
// `owner` is the host's number of the thread, for reports: never used twice; UINT32_MAX if it is
// not known yet. A finished thread does nothing more, may be joined once and is then freed.
struct rsan_thread *rsan_thread_create(struct rsan_engine *engine, struct rsan_thread *creator,
                                       uint32_t owner);
// A counter, owned by the thread, that changes whenever its SC view does, or its view of S. While
// it and the location's newest version stay, a load that the thread repeats, of no stronger order,
// changes nothing: hosts may leave it out of the analysis. (With RSAN_SEQ_CST_FENCE a seq_cst load
// has a fence, which has to be idle.)
const uint64_t *rsan_thread_changes(const struct rsan_thread *thread);
void rsan_thread_set_owner(struct rsan_thread *thread, uint32_t owner);
// The thread's own function has returned. What follows may be code that the host does not see.
void rsan_thread_ending(struct rsan_thread *thread);
// A thread is *sole* while every other thread has finished, and all that they have done happens
// before what it does next. rsan_atomic_access finds no violation then, so a host may call these
// two in its place, under the location's lock (engine/sole.c):
//
//   rsan_sole_update   the access found the value `seen` and left `left`. Returns false if it has
//                      done nothing, because the access needs rsan_sole_access.
//   rsan_sole_access   analyses any access of a sole thread.
//
// The phase ends when another thread begins. If the sole thread is not its `creator`, the new
// thread must call rsan_acquire_everything before its first access, and after the sole thread's
// last such access. All three are called by the thread itself. With explicit clocks, machines or
// weak no thread is ever sole.
bool rsan_thread_is_sole(struct rsan_thread *thread);
bool rsan_sole_update(struct rsan_location *location, struct rsan_value seen,
                      struct rsan_value left);
void rsan_sole_access(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access);
// Whatever any thread has done so far happens before what this one does next, as if it had acquired
// a value from a write that the host does not see (engine/unseen.h). Without a location's lock.
void rsan_acquire_everything(struct rsan_thread *thread, enum rsan_stat counter);
void rsan_thread_finish(struct rsan_thread *thread);
void rsan_thread_join(struct rsan_thread *joiner, const struct rsan_thread *finished);
void rsan_thread_free(struct rsan_thread *thread);

// Where the thread is, for its next certain edge of synchronisation: kept for explanations only.
struct rsan_program_point {
  uint64_t pc, caller, address; // address: of the object
};
void rsan_thread_at(struct rsan_thread *thread, const struct rsan_program_point *at);

// An address range of 1, 2, 4, 8 or 16 bytes that is accessed atomically. `thread` counts it in its
// statistics; NULL: the engine.
struct rsan_location *rsan_location_new(struct rsan_engine *engine, struct rsan_thread *thread,
                                        uint32_t size);
void rsan_location_free(struct rsan_engine *engine, struct rsan_location *location);
// The same by a thread, which may make its next location of that memory.
void rsan_location_retire(struct rsan_thread *thread, struct rsan_location *location);

// Withdraws a location that an access of another size or offset, of `size`, overlaps: nothing is
// reported on it any more, nothing elsewhere rests on it, and all such locations share one
// happens-before clock, which is more than they synchronise. Under the location's lock; idempotent.
void rsan_location_withdraw(struct rsan_engine *engine, struct rsan_location *location,
                            uint32_t size);

// The location becomes one of `size` bytes (1 to 16, a power of two, aligned to it) that accesses
// of other sizes and addresses within it may have: their `address` says which bytes. All locations
// that the bytes overlap are its parts, itself among them if it has a history, and go to it: no
// access is made of them any more. With all their locks held. `thread`: NULL is allowed. False:
// nothing was done, since one is withdrawn. Hosts with an engine that does not mix withdraw such
// locations.
struct rsan_part {
  struct rsan_location *location;
  uint32_t offset; // of its first byte
};
bool rsan_engine_mixes(const struct rsan_engine *engine);
bool rsan_location_mix(struct rsan_engine *engine, struct rsan_thread *thread,
                       struct rsan_location *location, uint32_t size, const struct rsan_part *parts,
                       uint32_t count);
bool rsan_location_mixes(const struct rsan_location *location);

// Has an access written there that is not forgotten? Under its lock, or alone.
// Asks the processor for the memory that the next write of the location needs. NULL is allowed.
void rsan_location_fetch(const struct rsan_location *location);
bool rsan_location_is_written(const struct rsan_location *location);

// Forgets what was written there: what the next access finds is known to all. Under its lock.
void rsan_location_forget(struct rsan_location *location);

// One atomic access: the check, then, in any case, the update. Returns true and fills in
// `violation` if the access violates robustness.
bool rsan_atomic_access(struct rsan_thread *thread, struct rsan_location *location,
                        const struct rsan_access *access, struct rsan_violation *violation);

// With the option weak: an access may depart, that is, be given an older version in place of the
// newest one (docs/internals/DEPARTURES.md). Within the location's step, with the `access` that
// would be made otherwise:
//
//   rsan_weak_prepare      before rsan_atomic_access of a write: rsan_weak_newest is the version
//                          that the write overwrites. False: the location has no versions.
//   rsan_weak_candidates   which versions? By rising number, for a compare-exchange first those by
//                          which it would succeed. Also for a wait or BCAS that would block.
//   rsan_weak_depart       in place of rsan_atomic_access: the access departs to one of them. The
//                          result is that of rsan_atomic_access.
//
//   rsan_weak_look         the candidates of an access that is not being made yet, but could be
//                          now, with its thread in any other step: a question that changes nothing.
//                          (Before a thread's first seq_cst access it may have some too many.)
//   rsan_weak_forgets      could it have had others, if more versions were kept?
//   rsan_weak_is_in_s      would it depart, with that order, as an event of S?
//
// In between nothing may be done at the location. What the program is given is the host's part: the
// candidate's value, and that a compare-exchange succeeds or fails; memory stays as it is. Such a
// load is none that a later one may repeat. From the first departure on no violation is found: the
// run is no sequentially consistent one any more.
struct rsan_candidate {
  uint64_t version, newest;   // numbers
  struct rsan_value value;    // of `version`
  uint32_t site, owner;       // of the write that overwrote it: the host's handle, and thread
  enum rsan_access_kind kind; // what the access does then, and with which order: a compare-exchange
  enum rsan_order order;      // that is an RSAN_RMW succeeds
};
#define RSAN_CANDIDATES (2 * RSAN_WEAK_VERSIONS)
// Which version is the newest one? Numbers are used again when a history starts over.
struct rsan_version_name {
  uint64_t restarts, number;
};
struct rsan_version_name rsan_weak_newest(const struct rsan_location *location);
bool rsan_weak_prepare(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access);
uint32_t rsan_weak_candidates(struct rsan_thread *thread, struct rsan_location *location,
                              const struct rsan_access *access,
                              struct rsan_candidate candidates[RSAN_CANDIDATES]);
uint32_t rsan_weak_look(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access,
                        struct rsan_candidate candidates[RSAN_CANDIDATES]);
bool rsan_weak_forgets(const struct rsan_thread *thread, const struct rsan_location *location,
                       const struct rsan_access *access);
bool rsan_weak_is_in_s(const struct rsan_thread *thread, enum rsan_order order);
bool rsan_weak_depart(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access, const struct rsan_candidate *chosen,
                      struct rsan_violation *violation);

// Does all that rsan_atomic_access would, if the access repeats the write before it at the location
// (fast/again.h), or its thread was the last to write there (fast/alone.h). For stores,
// read-modify-writes, and compare-exchanges that succeed, of at most 8 bytes; a compare-exchange
// that is not seq_cst must have no seq_cst branch. The results:
//
//   NOT_REPEATED       nothing was done; the caller makes the access in full
//   REPEATED           all is done
//   REPEATED_UNNOTED   all is done, but the thread's log does not have it: the caller calls
//                      rsan_note_repeated
enum rsan_repeated { RSAN_NOT_REPEATED, RSAN_REPEATED, RSAN_REPEATED_UNNOTED };
enum rsan_repeated rsan_store_repeats(struct rsan_thread *thread, struct rsan_location *location,
                                      enum rsan_order order, uint32_t site, uint64_t seen,
                                      uint64_t written);
enum rsan_repeated rsan_rmw_repeats(struct rsan_thread *thread, struct rsan_location *location,
                                    enum rsan_order order, uint32_t site, uint64_t seen,
                                    uint64_t written);
void rsan_note_repeated(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access);

// A wait or BCAS that found another value on arrival and blocks: the check alone. (Its inputs
// cannot change meanwhile.) The fence of a seq_cst one (RSAN_SEQ_CST_FENCE) is the caller's.
bool rsan_arrive_blocked(struct rsan_thread *thread, struct rsan_location *location,
                         const struct rsan_access *access, struct rsan_violation *violation);

// Returns whether an older value satisfies the wait as well. Then the wait is no violation, because
// the program uses its value for the condition alone (condition.h), but it acquires less by the
// older value. For a comparison by the kernel: whether an older value gives the same result. Call
// this right before rsan_atomic_access or rsan_arrive_blocked.
bool rsan_wait_has_older(struct rsan_thread *thread, struct rsan_location *location,
                         const struct rsan_access *access);

// Why the access just made, by the calling thread, violates robustness. Without any lock, and soon:
// the less other threads do meanwhile, the more is still in their logs.
void rsan_explain(const struct rsan_thread *thread, const struct rsan_access *access,
                  const struct rsan_violation *violation, struct rsan_explanation *explanation);
// A wait, BCAS or compare-exchange will ask for `value` there: history=bounded keeps versions that
// overwrote it from now on, not from the first wait on alone. The newest RSAN_CRITICAL_CONDITIONS
// conditions of a location count. Under the location's lock.
void rsan_track(struct rsan_location *location, struct rsan_value value);

// An access in code that is left out of the analysis: nothing is reported on it, nor on what came
// before it at the location. In happens-before it acquires and releases, whatever its order. (To
// leave it out altogether would be too little happens-before elsewhere.)
void rsan_unchecked_access(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access);

// An access in a primitive: code that is known to be right, such as a mutex of Rust's standard
// library. It orders threads by happens-before, with its own order. Nothing is reported on it, and
// no cycle passes through it otherwise. (The object's history starts over, as above.)
void rsan_primitive_access(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access);

void rsan_fence(struct rsan_thread *thread, enum rsan_order order);
// The SC fence of RSAN_SEQ_CST_FENCE before a compare-exchange whose other branch, not the one
// taken, is seq_cst. No machine has it.
void rsan_fence_of_access(struct rsan_thread *thread);

// A membarrier of the caller's, which is an SC fence of its own at its begin and at its end, and
// one of every other thread in between (engine/membarrier.c). Threads that stand still, that is,
// are at no step, pass theirs between the two calls; `in_turn`: one after the other, as a total
// order of seq_cst events has it, which counts wherever there may be one. For threads that may run
// now, `others_run` says that there are some: each is to pass an SC fence before its next step.
struct rsan_membarrier;
struct rsan_membarrier *rsan_membarrier_begin(struct rsan_thread *caller);
bool rsan_membarrier_goes_in_turn(const struct rsan_membarrier *membarrier);
void rsan_membarrier_pass(struct rsan_membarrier *membarrier, struct rsan_thread *thread);
void rsan_membarrier_end(struct rsan_membarrier *membarrier, bool others_run);

// Would an SC fence change nothing now? The thread has done nothing since its last one that anyone
// could learn by it, and nobody else has passed one.
bool rsan_fence_is_idle(const struct rsan_thread *thread);

// Non-atomic memory, for hosts without a race detector: a cell is the unit within which accesses
// conflict. Returns true if the access races with an earlier one (docs/internals/ALGORITHM.md
// section 3). The cell is covered by a lock of the host.
struct rsan_cell *rsan_cell_new(void);
void rsan_cell_free(struct rsan_cell *cell);
bool rsan_plain_access(struct rsan_thread *thread, struct rsan_cell *cell, bool writes);

// For hosts that know which locations will be accessed next, as a replay does: the caches fetch the
// location, and some accesses later what it points to. (An access to a location that was not used
// lately waits for some ten cache lines, two thirds of its time.) Nothing is changed. For threads
// that may access the location, under its lock.
void rsan_fetch_location(const struct rsan_location *location);
void rsan_fetch_contents(const struct rsan_location *location);

// Synchronisation other than atomics. Certain edges (a mutex that is held while the edge is
// recorded) enter happens-before and the SC order; uncertain ones, whose recorded pairing may not
// be the real one, happens-before alone: too much of that hides, too much SC order invents.
enum rsan_edge { RSAN_CERTAIN, RSAN_UNCERTAIN };

struct rsan_sync *rsan_sync_new(struct rsan_engine *engine);
void rsan_sync_free(struct rsan_sync *sync);
void rsan_acquire(struct rsan_thread *thread, const struct rsan_sync *sync, enum rsan_edge edge);
// Acquires, in happens-before alone, what an acquire load of the location would: for annotations
// beside a relaxed access. Under the location's lock.
void rsan_acquire_location(struct rsan_thread *thread, struct rsan_location *location);
// Replaces what was released to the object (unlock of a mutex), or adds to it (of a read lock).
void rsan_release(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge);
void rsan_release_merge(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge);

#endif
