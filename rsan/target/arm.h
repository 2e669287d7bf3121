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
// A read-modify-write is a read and a write. All of this is pointwise: what an access does to one
// entry has nothing to do with the others. So one that would change nothing but its own thread's
// entries, because the last accesses of the location were the same, is made on these alone.

#ifndef RSAN_TARGET_ARM_H
#define RSAN_TARGET_ARM_H

#include "../clock.h"
#include "../options.h"

enum rsan_arm_class { RSAN_ARM_ALL, RSAN_ARM_RD, RSAN_ARM_ACQ, RSAN_ARM_REL, RSAN_ARM_CLASSES };

struct rsan_arm_thread {
  uint32_t index;
  uint32_t first;                   // thread index of the first entries in the clocks
  uint64_t start;                   // its first epoch: tells it from earlier threads of its index
  uint64_t epoch[RSAN_ARM_CLASSES]; // from 1
  struct rsan_clock base, all, rd, lv;
  struct rsan_clock read, written; // of the access at hand
  bool summed;
  uint64_t sum; // of all entries but its own: they only grow, so whether any of them has changed
};

// Accesses of one thread that have left a location and the thread as they were, own entries aside,
// since anybody else has come and since the thread has learnt anything.
struct rsan_arm_repeats {
  uint32_t thread; // index + 1; 0: none
  uint32_t kinds;  // a bit each
  uint64_t start, sum;
  uint8_t write; // what the last write was
  bool summed;
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
  struct rsan_arm_repeats repeats;
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

// The newest version that the order puts before such an access, own accesses aside. At least
// `known`.
uint64_t rsan_arm_known(const struct rsan_arm_thread *thread,
                        const struct rsan_arm_location *location,
                        const struct rsan_arm_access *access, uint64_t known);

// The access has taken place and `newest` is the newest version. At most `keep` records of a
// location (0: all): older ones count as of newer versions, which hides.
void rsan_arm_update(struct rsan_arm_thread *thread, struct rsan_arm_location *location,
                     const struct rsan_arm_access *access, uint64_t newest, uint32_t keep);

void rsan_arm_fence(struct rsan_arm_thread *thread, bool loads_only);
// What is passed on by creation, by a thread's end, at a mutex; and its other end.
void rsan_arm_publish(struct rsan_arm_thread *thread, struct rsan_clock *into);
void rsan_arm_take(struct rsan_arm_thread *thread, const struct rsan_clock *from);
// A fence, and all of both is passed on, in both directions.
void rsan_arm_pass(struct rsan_arm_thread *thread, struct rsan_arm_location *location);

#endif
