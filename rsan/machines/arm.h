// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ARMv8 orders ('ob' of its axioms), dependencies aside: docs/internals/MODEL.md section 7. A
// view is asked about the records of a location: who accessed which version of it, in which epochs
// of the classes of accesses. A class has a new epoch after each time that it was exported.
//
//   thread    base  before anything that follows
//             all   before a release, or what a fence orders
//             rd    before what an acquire fence orders
//             lv    before an RCsc acquire (LDAR, LDAXR)
//   location  w     before the newest write
//             r     before its read, if it is a read-modify-write
//             m     before the next write
//
//   read   V := base; RCsc: joins lv; from another thread: joins w; from an own read-modify-write,
//          and acquiring: joins r.  all, rd, m join V; acquiring: base joins V and the
//          acquiring reads
//   write  V := base joined with m, and with V of its read, if it is one; releasing: V joins all.
//          all joins V; m, w := V; releasing: lv joins V and the releasing writes; acquiring and
//          releasing by one instruction of LSE: base joins all, as it was
//   DMB ISH: base joins all     DMB ISHLD: base joins rd
//
// A read-modify-write is a read and a write. The representation leaves out what changes nothing:
//
// - What is in base is not put into all, rd and lv as well: all three are only ever asked for
//   together with it.
// - A class in which nothing has been recorded since it was last exported is not given a new epoch:
//   the last one says the same.
// - A thread that has read a version again makes no record of it, if it has one of the same
//   classes: whoever knows a later epoch knows the earlier one.

#ifndef RSAN_MACHINES_ARM_H
#define RSAN_MACHINES_ARM_H

#include "../options.h"
#include "arm_view.h"

struct rsan_arm_thread {
  uint32_t index;
  uint64_t epoch[RSAN_ARM_CLASSES]; // from 1
  bool used[RSAN_ARM_CLASSES];      // something is recorded of that epoch
  struct rsan_arm_view base, all, rd, lv;
};

// Epochs of 0: not of that class.
struct rsan_arm_record {
  uint64_t version, epoch[RSAN_ARM_CLASSES];
  uint32_t thread;
  uint32_t next; // used within a merge
};

struct rsan_arm_location {
  struct rsan_arm_view w, m;
  struct rsan_arm_view r; // empty if it is within the base of the writer
  uint32_t writer;        // thread index + 1 of the newest write's; 0: not known
  bool updated;           // the newest write is a read-modify-write's
  bool acquired;          // one that acquires
  uint64_t read; // then: the version that its read is ordered after, of another thread; 0: none
  uint32_t count, room;
  struct rsan_arm_record *records; // oldest first
};

// How an access is translated.
struct rsan_arm_access {
  bool reads, writes;
  bool acquires, rcsc, releases;
  bool barrier; // of LSE: its write comes before what follows
};

void rsan_arm_thread_init(struct rsan_arm_thread *thread, uint32_t index);
void rsan_arm_thread_finish(struct rsan_arm_thread *thread); // another one goes on with it
void rsan_arm_thread_clear(struct rsan_arm_thread *thread);
void rsan_arm_location_restart(struct rsan_arm_location *location);
void rsan_arm_location_clear(struct rsan_arm_location *location);

// The newest version, from `known` on, that is before such an access, own accesses aside.
uint64_t rsan_arm_known(const struct rsan_arm_thread *thread,
                        const struct rsan_arm_location *location,
                        const struct rsan_arm_access *access, uint64_t known);

// The access has taken place and `newest` is the newest version. At most `keep` records of a
// location (0: all): older ones count as of newer versions, which hides. Says whether a load that
// was made before, and is not RCsc, could now, made again, have another effect.
bool rsan_arm_update(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t newest, uint32_t keep);

// The same for a load of a version that the thread has loaded before, no weaker and not RCsc, and
// that rsan_arm_changes has been the same for since.
void rsan_arm_repeat(struct rsan_arm_thread *thread, struct rsan_arm_location *location);
static inline uint64_t rsan_arm_changes(const struct rsan_arm_thread *thread) {
  return thread->base.own[RSAN_ARM_BASE_NUMBER]; // of what base has of others
}

// These say what rsan_arm_update says.
bool rsan_arm_fence(struct rsan_arm_thread *thread, bool loads_only);
// What is passed on by creation, by a thread's end, at a mutex; and its other end.
void rsan_arm_release(struct rsan_arm_thread *thread, struct rsan_arm_view *into, bool merge);
bool rsan_arm_acquire(struct rsan_arm_thread *thread, const struct rsan_arm_view *from);
// A fence, and all of both is passed on, in both directions.
void rsan_arm_pass(struct rsan_arm_thread *thread, struct rsan_arm_location *location);

#endif
