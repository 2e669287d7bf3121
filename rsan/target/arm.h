// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ARMv8 orders ('ob' of its axioms), dependencies aside: they are not seen. So it is kept
// twice: as if there were none, and as if each read came before all that follows it.
//
// Unlike TSO's, this order is not closed over a thread's writes. A view is a frontier for each
// thread and class of its accesses: all, reads, acquiring reads, releasing writes. It is asked
// about the records of a location: who accessed which version of it, in which epochs of these
// classes. A class has a new epoch after each time that it was exported.
//
//   thread    base   before anything that follows      all  before a release, or what a fence
//   orders
//             rd     before what an acquire fence orders  lv  before an RCsc acquire (LDAR, LDAXR)
//   location  w      before the newest write           r    before its read, if it is a
//   read-modify-write
//             m      before the next write by another thread than the newest's, own: by that thread
//
//   read   V := base; RCsc: joins lv; from another thread: joins w; from an own read-modify-write,
//   and
//          acquiring: joins r.  all, rd, m join V; acquiring: base joins V and the acquiring reads
//   write  V := base joined with m or own, with V of its read, if it is one; own := V;
//          releasing: V joins all.  all, m join V; w := V; releasing: lv joins V and the releasing
//          writes; acquiring and releasing by one instruction of LSE: base joins all, as it was
//   DMB ISH: base joins all     DMB ISHLD: base joins rd
//
// A read-modify-write is a read and a write. Vectors are plain arrays: slow and obvious.

#ifndef RSAN_TARGET_ARM_H
#define RSAN_TARGET_ARM_H

#include "../clock.h"
#include "../options.h"

enum rsan_arm_class { RSAN_ARM_ALL, RSAN_ARM_RD, RSAN_ARM_ACQ, RSAN_ARM_REL, RSAN_ARM_CLASSES };

struct rsan_arm_thread {
  uint32_t index;
  uint64_t epoch[RSAN_ARM_CLASSES]; // from 1
  struct rsan_clock base, all, rd, lv;
};

// Epochs of 0: not of that class.
struct rsan_arm_record {
  uint64_t version, epoch[RSAN_ARM_CLASSES];
  uint32_t thread;
};

struct rsan_arm_location {
  struct rsan_clock w, r, m, own;
  uint32_t writer; // thread index + 1 of the newest write's; 0: not known
  bool updated;    // the newest write is a read-modify-write's
  uint64_t read;   // then: the version that its read is ordered after, of another thread; 0: none
  uint32_t count, room;
  struct rsan_arm_record *records; // oldest first
};

// How an access is translated.
struct rsan_arm_access {
  bool reads, writes;
  bool acquires, rcsc, releases;
  bool barrier; // of LSE: its write comes before what follows
};

void rsan_arm_thread_init(struct rsan_arm_thread *thread, uint32_t index, const uint64_t *epochs);
void rsan_arm_thread_clear(struct rsan_arm_thread *thread);
void rsan_arm_location_restart(struct rsan_arm_location *location);
void rsan_arm_location_clear(struct rsan_arm_location *location);

// The newest version that the order puts before such an access, own accesses aside.
uint64_t rsan_arm_known(const struct rsan_arm_thread *thread,
                        const struct rsan_arm_location *location,
                        const struct rsan_arm_access *access);

// The access has taken place and `newest` is the newest version. At most `keep` records of a
// location (0: all): older ones count as of newer versions, which hides.
void rsan_arm_update(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t newest, uint32_t keep);

void rsan_arm_fence(struct rsan_arm_thread *thread, bool loads_only);
// What is passed on by creation, by a thread's end, at a mutex; and its other end.
void rsan_arm_publish(struct rsan_arm_thread *thread, struct rsan_clock *into);
void rsan_arm_take(struct rsan_arm_thread *thread, const struct rsan_clock *from);

#endif
