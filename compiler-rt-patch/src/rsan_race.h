// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before for data races by RC20: the paper's appendix B on TSan's own vector clocks.
//
//   T_c  thr->clock            what the thread knows; the shadow check is TSan's
//   T_a  rsan_race.acquire     what an acquire fence would add: joined by relaxed reads
//   T_r  rsan_race.release     what a relaxed write publishes: T_c at the last release fence
//   W    race_clock            of an atomic object: its newest write, release sequence included
//
// What TSan lacks: T_a, T_r and with them fences; and that a relaxed write ends the release
// sequence that stood there. By C++20 only read-modify-writes continue one.
//
// Deviation 1: W is kept apart from SyncVar::clock, which annotations and mutexes at the same
// address publish to: a relaxed write must not wipe those out.
// Deviation 2: an acquire access joins W into T_c alone (as in rsan/race/hb.h).
// Deviation 3: a seq_cst access is an acquire or release access here. The standard's order of
// seq_cst operations is no happens-before. (A seq_cst fence is appendix B's: an acq_rel
// read-modify-write of one location f between an acquire and a release fence.)
//
// The clocks live no longer than the epochs in them: TSan's reset of all epochs (DoReset) ends
// them. All under slot and, but for the fence, the SyncVar's lock.

#ifndef RSAN_RACE_H
#define RSAN_RACE_H

#include "rsan_state.h"
#include "tsan_sync.h"

namespace __tsan {

ALWAYS_INLINE void RsanRaceRead(ThreadState *thr, SyncVar *s, bool acquires) {
  const VectorClock *w = s->rsan ? s->rsan->race_clock : nullptr;
  if (acquires) {
    thr->clock.Acquire(s->clock);
    thr->clock.Acquire(w);
  } else if (w) {
    thr->rsan_race.acquire.Acquire(w);
    thr->rsan_race.has_acquire = true;
  }
}

// The caller moves the epoch on after a release.
ALWAYS_INLINE void RsanRaceWrite(ThreadState *thr, SyncVar *s, bool releases) {
  VectorClock **w = &RsanStateOf(s)->race_clock;
  if (releases)
    thr->clock.ReleaseStore(w);
  else if (thr->rsan_race.has_release)
    thr->rsan_race.release.ReleaseStore(w);
  else if (*w)
    (*w)->Reset();
}

ALWAYS_INLINE void RsanRaceReadWrite(ThreadState *thr, SyncVar *s, bool acquires, bool releases) {
  RsanRaceRead(thr, s, acquires);
  if (releases)
    thr->clock.Release(&RsanStateOf(s)->race_clock);
  else if (thr->rsan_race.has_release)
    thr->rsan_race.release.Release(&RsanStateOf(s)->race_clock);
}

void RsanRaceFence(ThreadState *thr, bool acquires, bool releases, bool sc);

} // namespace __tsan

#endif
