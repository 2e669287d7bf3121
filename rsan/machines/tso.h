// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What x86-TSO orders: thread-indexed clocks over the SC indices of versions (lc/compact.h).
//
//   thread    L  stores that come before its next load for all,  S  before its next store
//   location  W  stores before the newest write, itself included,  M  before the next write
//
//   load                  the newest write is another's: L joins W; S joins L; M joins L
//                         (a store that is forwarded within the thread orders nothing)
//   store                 S joins M; S[own] := its index; W := M := S; seq_cst (XCHG): then L := S
//   read-modify-write     as a store, then L := S
//   failed compare-exch.  S joins W; L := S; M joins S   (LOCK-prefixed all the same: a fence)
//   SC fence              L := S; other fences: nothing
//   mutex                 a fence, and S travels; creation and join: S travels
//
// S has everything that L has. A stamp (base/stamp.h) of S that is released has a number of its
// own, so the one comparison tells whether a view has all of W; L is never asked about by its own
// entry.

#ifndef RSAN_MACHINES_TSO_H
#define RSAN_MACHINES_TSO_H

#include "../base/stamp.h"
#include "../lc/history.h"

// What an access is to the machine.
enum rsan_tso_class {
  RSAN_TSO_LOAD,
  RSAN_TSO_STORE,
  RSAN_TSO_LOCKED,      // that writes; a seq_cst store is XCHG, which is locked
  RSAN_TSO_LOCKED_READ, // that has failed to
};

struct rsan_tso_thread {
  struct rsan_stamp l, s;
  uint64_t l_changes; // of what L has of other threads, from 1
};

struct rsan_tso_location {
  struct rsan_stamp w, m; // m empty: it is w
  uint32_t writer;        // thread index of the newest write's; RSAN_MERGED: it was not analysed
};
static inline const struct rsan_stamp *rsan_tso_m(const struct rsan_tso_location *location) {
  return rsan_stamp_is_empty(&location->m) ? &location->w : &location->m;
}

void rsan_tso_thread_init(struct rsan_tso_thread *thread, uint32_t index);
void rsan_tso_thread_clear(struct rsan_tso_thread *thread);
void rsan_tso_location_clear(struct rsan_tso_location *location);

// The version that an access of that class cannot miss, own accesses aside: the newest one in the
// view before it. At least `known`.
uint64_t rsan_tso_known(const struct rsan_tso_thread *thread, const struct rsan_history *history,
                        enum rsan_tso_class kind, uint64_t known);

// The update, after a write with the SC index of its version. These say whether L has changed.
bool rsan_tso_access(struct rsan_tso_thread *thread, struct rsan_tso_location *location,
                     enum rsan_tso_class kind, uint64_t sc_index);
// The same for a load of a version that the thread has loaded before, since when l_changes has been
// the same: L may have its own entry anew.
void rsan_tso_repeat(struct rsan_tso_thread *thread, struct rsan_tso_location *location);
bool rsan_tso_fence(struct rsan_tso_thread *thread);
// Both views join a stamp that was released.
bool rsan_tso_join(struct rsan_tso_thread *thread, const struct rsan_stamp *from);

// S as it may be released, under a number of the thread's that no other stamp of it has.
const struct rsan_stamp *rsan_tso_release(struct rsan_tso_thread *thread, uint64_t sc_index);

// A write from outside the analysis that comes after all of an object's stamp.
void rsan_tso_write_after(struct rsan_tso_location *location, const struct rsan_stamp *sync);

#endif
