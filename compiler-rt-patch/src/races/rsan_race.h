// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before for data races by RC20: the paper's appendix B on TSan's own vector clocks.
//
//   T_c  thr->clock            what the thread knows; the shadow check is TSan's
//   T_a  rsan_own.acquire      what an acquire fence would add: joined by relaxed reads
//   T_r  rsan_own.release      what a relaxed write releases: T_c at the last release fence
//   W    rsan.race             of an atomic object: its newest write, release sequence included
//
// What TSan lacks: T_a, T_r and with them fences; and that a relaxed write ends the release
// sequence that stood there. By C++20 only read-modify-writes continue one.
//
// Deviation 1: W is kept apart from SyncVar::clock, which annotations and mutexes at the same
// address release to: a relaxed write must not wipe those out.
// Deviation 2: an acquire access joins W into T_c alone (as in rsan/race/hb.h).
// Deviation 3: a seq_cst access is an acquire or release access here. The standard's order of
// seq_cst operations is no happens-before. (A seq_cst fence is appendix B's: an acq_rel
// read-modify-write of one location f between an acquire and a release fence.)
//
// A W that is one thread's clock at a release, and no join, is *whole* (as in rsan/base/stamp.h):
// the sync variable names slot and epoch of that release, and whoever has that entry has all of W.
// So an acquire of what is known already is one comparison. A slot that another thread takes over
// goes on counting epochs, so the comparison is worth nothing for epochs from before
// (rsan_slot_floors). W has entries for those slots alone that anyone has taken since TSan's last
// reset of all epochs: mostly few, and there may be as many clocks as locations.
//
// The clocks live no longer than the epochs in them: TSan's reset of all epochs (DoReset) ends
// them. Reads and writes of clocks are made under slot and the location's lock, except those that
// change nothing but W itself, or only see that they have nothing to do: those need no slot. A
// reset may come between, so W names the period that its epochs are of.

#ifndef RSAN_RACE_H
#define RSAN_RACE_H

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static const u32 kRaceGroup = 8; // entries; 16 bytes

extern atomic_uint16_t rsan_slot_floors[kThreadSlotCount];

// An epoch of the present period, as a number that grows from period to period.
ALWAYS_INLINE u64 RsanMarkOf(Epoch epoch) {
  return (static_cast<u64>(ctx->global_epoch) << 16) | static_cast<u16>(epoch);
}

ALWAYS_INLINE bool RsanRaceIsEmpty(const SyncVar *s) {
  return s->rsan.race.epoch == kEpochZero ||
         s->rsan.race.period != static_cast<u16>(ctx->global_epoch);
}

ALWAYS_INLINE void RsanRaceClear(SyncVar *s) {
  s->rsan.race.epoch = kEpochZero;
}

// Was that the release of a thread that has the slot now?
ALWAYS_INLINE bool RsanRaceIsOfOwner(Sid sid, Epoch epoch) {
  return static_cast<u16>(epoch) >= atomic_load_relaxed(&rsan_slot_floors[static_cast<u8>(sid)]);
}

// Does the clock have all of W?
ALWAYS_INLINE bool RsanRaceHas(const VectorClock &clock, const SyncVar *s) {
  Sid sid = s->rsan.race.sid;
  Epoch epoch = s->rsan.race.epoch;
  return RsanRaceIsEmpty(s) ||
         (sid != kFreeSid && clock.Get(sid) >= epoch && RsanRaceIsOfOwner(sid, epoch));
}

// Would a read join nothing that the thread does not have? Under the location's lock, which is what
// makes a reset of all epochs by others visible.
ALWAYS_INLINE bool RsanRaceReadIsKnown(ThreadState *thr, const SyncVar *s) {
  return RsanRaceIsEmpty(s) || (thr->slot_epoch == ctx->global_epoch && RsanRaceHas(thr->clock, s));
}

// With the slot held: T_c has not changed but in its own entry, by what the thread has done so far
// under this slot lock and the one before. Any other change must be announced (RsanRaceStir).
ALWAYS_INLINE void RsanRaceGoOn(ThreadState *thr) {
  RsanThreadState *own = &thr->rsan_own;
  u64 since = own->slot_locks - own->steady.slot_locks;
  if (since > 1 || own->steady.sid != thr->fast_state.sid()) {
    own->steady.sid = thr->fast_state.sid();
    own->steady.epoch = thr->fast_state.epoch();
  }
  own->steady.slot_locks = own->slot_locks;
}

ALWAYS_INLINE void RsanRaceStir(ThreadState *thr) {
  thr->rsan_own.steady.slot_locks = ~0ull - 1;
}

// Is a clock that was T_c in that epoch of that slot T_c now, its own entry aside?
ALWAYS_INLINE bool RsanRaceIsSteady(ThreadState *thr, Sid sid, Epoch epoch) {
  const RsanThreadState *own = &thr->rsan_own;
  return sid == own->steady.sid && epoch != kEpochZero && epoch >= own->steady.epoch &&
         RsanRaceIsOfOwner(sid, epoch);
}

void RsanRaceJoin(VectorClock *clock, const RsanRaceClock &w);
void RsanRaceAssign(SyncVar *s, const VectorClock &clock); // the clock alone
void RsanRaceMerge(SyncVar *s, const VectorClock &clock);
void RsanRaceMove(SyncVar *into, SyncVar *from); // W joins another one's, which is empty then

ALWAYS_INLINE void RsanRaceRead(ThreadState *thr, const SyncVar *s, bool acquires) {
  if (RsanRaceHas(thr->clock, s))
    return;
  if (acquires) {
    RsanRaceJoin(&thr->clock, s->rsan.race);
    RsanRaceStir(thr);
  } else if (!thr->rsan_own.has_acquire || !RsanRaceHas(thr->rsan_own.acquire, s)) {
    RsanRaceJoin(&thr->rsan_own.acquire, s->rsan.race);
    thr->rsan_own.has_acquire = true;
  }
}

ALWAYS_INLINE void RsanRaceName(ThreadState *thr, SyncVar *s, Sid sid, Epoch epoch) {
  s->rsan.race.sid = sid;
  s->rsan.race.epoch = epoch;
  s->rsan.race.period = static_cast<u16>(thr->slot_epoch);
}

// W := T_c. The caller moves the epoch on.
ALWAYS_INLINE void RsanRacePublish(ThreadState *thr, SyncVar *s) {
  Sid sid = thr->fast_state.sid();
  Epoch epoch = thr->fast_state.epoch();
  RsanRaceGoOn(thr);
  if (!RsanRaceIsEmpty(s) && RsanRaceIsSteady(thr, s->rsan.race.sid, s->rsan.race.epoch))
    s->rsan.race.epochs[static_cast<u8>(sid)] = epoch;
  else
    RsanRaceAssign(s, thr->clock);
  RsanRaceName(thr, s, sid, epoch);
}

// W := T_r.
ALWAYS_INLINE void RsanRacePublishFence(ThreadState *thr, SyncVar *s) {
  const RsanThreadState *own = &thr->rsan_own;
  if (s->rsan.race.sid == own->release_sid && s->rsan.race.epoch == own->release_epoch &&
      !RsanRaceIsEmpty(s))
    return;
  RsanRaceAssign(s, own->release);
  RsanRaceName(thr, s, own->release_sid, own->release_epoch);
}

// W := W join T_r: what a relaxed read-modify-write after a release fence releases.
ALWAYS_INLINE void RsanRaceMergeFence(ThreadState *thr, SyncVar *s) {
  if (RsanRaceHas(thr->rsan_own.release, s))
    RsanRacePublishFence(thr, s);
  else
    RsanRaceMerge(s, thr->rsan_own.release);
}

ALWAYS_INLINE void RsanRaceWrite(ThreadState *thr, SyncVar *s, bool releases) {
  if (releases)
    RsanRacePublish(thr, s);
  else if (thr->rsan_own.has_release)
    RsanRacePublishFence(thr, s);
  else
    RsanRaceClear(s);
}

ALWAYS_INLINE void RsanRaceReadWrite(ThreadState *thr, SyncVar *s, bool acquires, bool releases) {
  RsanThreadState *own = &thr->rsan_own;
  RsanRaceRead(thr, s, acquires);
  if (!releases && !own->has_release)
    return;
  if (!releases)
    RsanRaceMergeFence(thr, s);
  else if (acquires || RsanRaceHas(thr->clock, s))
    RsanRacePublish(thr, s);
  else
    RsanRaceMerge(s, thr->clock);
}

// The object's value was left by a write that was not seen: who reads it has all that was done so
// far, or, with `ending`, what was done by threads whose function had returned. Under the
// location's lock.
void RsanRaceUnseenWrite(ThreadState *thr, SyncVar *s, bool ending);
// The thread's clock gets what any thread has done so far. Slot held.
void RsanRaceAcquireEverything(ThreadState *thr);
// The same in two steps: all slots held, so that it is what was done then; and later, the thread's
// slot held, in the period in which it was collected.
void RsanRaceCollectEverything(VectorClock *everything);
void RsanRaceAcquireCollected(ThreadState *thr, const VectorClock &everything, uptr period);
// A membarrier of another thread's, for a thread that stands still: a fence that acquires `before`
// and releases to `passed`, both of the present period. The thread's slot held.
void RsanRacePassMembarrier(ThreadState *thr, const VectorClock &before, VectorClock *passed);
void RsanRaceAcquireEndings(ThreadState *thr); // slot held
void RsanRaceEnding(ThreadState *thr);         // the thread's function has returned; slot held

void RsanRaceFence(ThreadState *thr, bool acquires, bool releases, bool sc);

// Has the thread learnt and done nothing since its last seq_cst fence, and has no other fence
// changed f? Then another one changes nothing. Its clocks change only while it holds its slot; an
// access that leaves a trace in the shadow leaves one in the thread's trace, the first of an epoch
// in any case; and a new part of the trace is begun under the slot.
bool RsanRaceFenceIsIdle(ThreadState *thr);

} // namespace __tsan

#endif
