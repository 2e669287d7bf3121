// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SC fences as C++20 has them: happens-before without RC20's location f, so that psc alone orders
// fences (docs/internals/FENCES.md). Clocks of their own, thread-indexed, as
// docs/internals/ALGORITHM.md section 2's:
//
//   thread    HB   what happens before now: epochs by thread; and the host's own numbers (marks)
//             ST   of its newest seq_cst event: everything that is S-before it, and itself
//             F    of the SC fences that happen before now
//             H    of the seq_cst events g with g po b, b happens before now or is now's past
//             P    what an SC fence that comes now is S-after
//   location  SM   what a seq_cst write that comes now is S-after, through the location
//             SW   the same for a read
//             records (thread, number, version): the thread has read or written the version in that
//             epoch of HB, or by that event of S
//
// HB, F, H and P go where happens-before goes, so each has the parts c, a and r of a thread and W
// of a location. A clock has two entries for each number: entry 2i of HB is the epoch of thread i,
// entry 2i + 1 the host's mark of slot i. Entry 2i of a view of S is the newest event of thread i
// that is S-before, entry 2i + 1 the newest epoch of thread i that happens before an S-before
// fence: without f no fence stands for all (seqcst/view.h), so each view has all of that.

#ifndef RSAN_SEQCST_CXX20_H
#define RSAN_SEQCST_CXX20_H

#include "../base/clock.h"
#include "../event.h"
#include "../memorder.h"

// These two are nothing but clocks: base/clock.h joins, copies and clears them.
struct rsan_cxx20_flows {
  struct rsan_clock hb, f, h, p;
};

struct rsan_cxx20_views {
  struct rsan_cxx20_flows c, a, r;
  struct rsan_clock st;
};

struct rsan_cxx20_record {
  uint64_t number, version; // epoch, or event of S
  uint32_t thread;
  bool is_event;
};

struct rsan_cxx20_there {
  struct rsan_cxx20_flows w;
  struct rsan_clock sm, sw;
  struct rsan_cxx20_record *records; // by rising version
  uint32_t count, room;
  uint64_t base; // version that all threads know
};

// A thread's clocks begin: `id` is nobody else's. The host's mark, for what the thread releases.
void rsan_cxx20_begin(struct rsan_cxx20_views *thread, uint32_t id);
void rsan_cxx20_mark(struct rsan_cxx20_views *thread, uint32_t slot, uint64_t number);
bool rsan_cxx20_has_mark(const struct rsan_cxx20_views *thread, uint32_t slot, uint64_t number);

// The newest version that the thread knows by happens-before; with `by_s` that an access, seq_cst
// or not, may not miss.
uint64_t rsan_cxx20_known(const struct rsan_cxx20_views *thread,
                          const struct rsan_cxx20_there *there, bool by_s, bool seq_cst);

// An access that reads or leaves version `newest`; its `order` is that of happens-before. The
// access has `count` locations from `there` on: 1, or the bytes of an object of several sizes.
void rsan_cxx20_access(struct rsan_cxx20_views *thread, uint32_t id, struct rsan_cxx20_there *there,
                       uint32_t count, const struct rsan_access *access, uint64_t newest);
void rsan_cxx20_fence(struct rsan_cxx20_views *thread, uint32_t id, enum rsan_order order);

// With every edge of happens-before that is not an atomic's: the object joins what the thread has,
// the thread what the object has.
void rsan_cxx20_release(struct rsan_cxx20_views *thread, uint32_t id,
                        struct rsan_cxx20_flows *object);
void rsan_cxx20_acquire(struct rsan_cxx20_views *thread, const struct rsan_cxx20_flows *object);

// The thread acquires W, and what its newest version knows.
void rsan_cxx20_acquire_there(struct rsan_cxx20_views *thread, uint32_t id,
                              struct rsan_cxx20_there *there, uint64_t newest);
// An access of which no more is known than that it took place: all that it may bring or acquire.
void rsan_cxx20_pass(struct rsan_cxx20_views *thread, uint32_t id, struct rsan_cxx20_there *there);
// One location's part in another's: they count as one from now on.
void rsan_cxx20_merge(struct rsan_cxx20_there *into, const struct rsan_cxx20_there *from);
// `into`, which is cleared, becomes the same.
void rsan_cxx20_copy(struct rsan_cxx20_there *into, const struct rsan_cxx20_there *from);

// All threads know `version`.
void rsan_cxx20_forget_below(struct rsan_cxx20_there *there, uint64_t version);
// The history starts over at `version`, which all threads know.
void rsan_cxx20_restart(struct rsan_cxx20_there *there, uint64_t version);
void rsan_cxx20_clear(struct rsan_cxx20_there *there);

#endif
