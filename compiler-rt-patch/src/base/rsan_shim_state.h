// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What TSan's structures have of RSan: the members of SyncVar and ThreadState, and the words beside
// the shadow stack. Included by rsan_shim.h.

#ifndef RSAN_SHIM_STATE_H
#define RSAN_SHIM_STATE_H

#include "port/rsan_tsan_types.h"

struct rsan_location;
struct rsan_thread;

namespace __tsan {

struct SyncVar;
struct ThreadState;

// The clock of an atomic object for data races (rsan_race.h). Its entries have a block of their
// own, without a head: the entries of all slots fill one of 512 bytes, as TSan's clocks do.
struct RsanRaceClock {
  Epoch *epochs;  // null: it was never needed
  Epoch epoch;    // of the release that it names; kEpochZero: it is empty
  u16 period;     // between two resets of all epochs; of another one than the present: the same
  Sid sid;        // of that release; kFreeSid: it is not whole
  u8 room, count; // groups of kRaceGroup entries that there is room for, and that there are
};

// The clocks of a mutex or of anything else that synchronises, beside TSan's.
struct RsanSyncState;

// What is known of a clock of TSan's: whoever has that epoch of that slot has all of the clock.
struct RsanClockOrigin {
  Sid sid;
  bool is_copy; // it is the clock that the thread had then
  Epoch epoch;  // kEpochZero: nothing is known
};

// Entries of TSan's shadow: plain writes of an object that are known of (rsan_unseen.cpp).
struct RsanPlainWrites {
  static const u32 kRoom = 2;
  u32 at[kRoom];
  bool too_many; // there were more
};

// Part of SyncVar; dies with its Reset.
struct RsanSyncVar {
  // Lock of the location: odd while it is held. Moves on with everything that can make a repeated
  // load differ from the one before (RsanReadCache).
  atomic_uint64_t seq;
  rsan_location *location; // null: no analysed access so far
  RsanSyncState *state;    // null: all empty
  RsanRaceClock race;
  u32 size;                          // bytes of the location; 0: no location
  RsanClockOrigin clock, read_clock; // of SyncVar's
  RsanPlainWrites plain;             // known at the last question
};

// Loads that a thread has analysed and that need no analysis when they are repeated.
struct RsanReadCache {
  static const uptr kEntries = 64;
  struct Entry {
    uptr addr; // 0: empty
    SyncVar *s;
    u64 seq, moves; // of the location; of the thread (rsan_thread_changes)
    u64 value;
    u32 size, order;
  } entries[kEntries];
};

// Where a thread has found the sync variables of its last accesses: sparing it the look into the
// meta shadow. What is found here may have been freed since, and is asked whether it is the one
// with its lock held.
struct RsanSyncCache {
  static const uptr kEntries = 64;
  struct Entry {
    uptr addr; // 0: empty
    SyncVar *s;
  } entries[kEntries];
};

// The last attempt of a wait that found it blocked: the same attempt needs no second check.
struct RsanBlockedWait {
  uptr addr; // 0: none
  SyncVar *s;
  u64 seq, moves; // as in RsanReadCache
  u64 value, mask, operand;
  int relation, order;
  u32 size;
};

// How many vain operations more a thread makes before it gives way (rsan_patience.h), how many it
// was to make when it gave way last, and how often that was kMost or more. In one word, as each
// operation that is not vain begins anew.
struct RsanPatience {
  static const u32 kLeast = 64, kMost = 512, kOften = 32, kLongest = 8192;
  u32 left;
  u16 distance, times; // 0: it has got on since
};

// Edges of the trie of sites that a thread has used last (sites/rsan_site.h).
struct RsanSiteCache {
  static const uptr kEntries = 64;
  struct Entry {
    uptr pc;
    u32 parent, site; // parent 0: empty
  } entries[kEntries];
};

// Each frame of the shadow stack has a word that holds the site: a number for the calls up to this
// frame. These words are a second array behind the shadow stack. The gap between the two keeps a
// frame and its word from having the same place in a cache, and from being taken for the same
// address by a processor that compares lower halves. The last word of the gap is the one below the
// first frame.
static const uptr kRsanCallsGap = 136;
static const uptr kRsanCallsOffset = kShadowStackSize + kRsanCallsGap;
static const uptr kRsanShadowStackWords = kRsanCallsOffset + kShadowStackSize;

void RsanStartShadowStack(uptr *bottom);

// The frame is pushed: the site of the calls up to it is not known.
ALWAYS_INLINE void RsanPushFrame(uptr *frame) {
  frame[kRsanCallsOffset] = 0;
}

// The calls of unseen functions that a thread is in (rsan_calls.cpp): for each one, where the
// shadow stack of what it calls back begins.
struct RsanUnseenCalls {
  static const u32 kMost = 64;
  const uptr *innermost; // null: there is none
  uptr function;         // of the innermost; 0: not known any more
  const uptr *outer[kMost];
  u32 count; // of `outer`
  // Pointers that the thread passed to a function before the runtime knew whether the function is
  // instrumented.
  struct {
    uptr address, size;
  } passed[4];
  u32 passed_count;
};

static const u32 kRsanPrimitive = 1u << 31; // in RsanThreadState::ignored

// Part of ThreadState.
struct RsanThreadState {
  // RC20's clocks beside ThreadState::clock (rsan_race.h).
  VectorClock acquire, release;
  bool has_acquire, has_release; // else the clock is empty
  Sid release_sid;               // the thread's slot and epoch at its release fence
  Epoch release_epoch;
  u64 slot_locks; // number of times that it has taken its slot
  struct {
    u64 slot_locks, count; // then, and the number of changes that the fences' clock had seen
    uptr trace_pos;        // 0: there was none
  } fence;                 // the last seq_cst fence
  struct {
    u64 slot_locks; // ~0: it has changed
    Sid sid;
    Epoch epoch;
  } steady; // T_c is as it was in this epoch, its own entry aside, if the slot was not taken since
  struct {
    const SyncVar *s;
    u32 pauses;         // with which the next wait for that lock begins
  } wait;               // for a location's lock, the last one (RsanWaitForLocation)
  bool keeps_sites;     // of its writes, for reports
  bool drops_reference; // it holds a lock of interceptors/rsan_counts.inc
  bool unseen;          // has read, since its last acquire fence, what was not seen to be written
  // Depth of functions that are left out of the analysis, and kRsanPrimitive if the thread's next
  // access is one of a primitive.
  u32 ignored;
  atomic_uint8_t sole, in_sole_step; // atomics/rsan_sole.h
  atomic_uint8_t fence_due; // another thread's membarrier has come (sync/rsan_membarrier.h)
  uptr waits_for; // object of the wait that its last operation left blocked, if simulating
  u64 declined;   // versions that it had when the thread chose not to depart there; 0: it has not
  // `follow' of weak_file=: the object, the version, and how many further accesses get it.
  uptr followed;
  u64 followed_version;
  u32 follows;
  struct {
    uptr addr; // 0: it has made another operation since
    u64 value;
  } peeked;             // what its last invisible read found, if scheduled
  u32 barriers;         // of a modelled library: passed in the function that it has handed over
  u32 reminded_process; // that has made `reminder`, a timer of the kernel's; 0: there is none
  int reminder;
  u32 random, sleeps; // with schedule=delay: state of the generator; sleeps so far
  const uptr *moves;  // rsan_thread_changes: 64 bits
  RsanPatience patience;
  RsanReadCache reads;
  RsanSyncCache syncs;
  struct {
    uptr object; // of a scheduled wait that a signal handler ends; 0: it makes none
    bool timed;  // the kernel restarts no wait that has a time limit
    bool ended;  // a handler has ended it
  } interruptible;
  RsanBlockedWait blocked;
  RsanUnseenCalls calls;
  RsanSiteCache sites;
};

} // namespace __tsan

#endif
