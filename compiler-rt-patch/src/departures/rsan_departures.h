// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weak=: atomic accesses that depart, that is, are given an older version of their object in place
// of the newest one (docs/DEPARTURES.md). The core says which versions may be given; here it is
// chosen, by a draw or by a file, and told. Memory keeps the newest value: nobody but the thread
// that departs sees anything else.

#ifndef RSAN_DEPARTURES_H
#define RSAN_DEPARTURES_H

#include "atomics/rsan_step.h"
#include "simulation/rsan_simulate.h"

namespace __tsan {

class RsanJson;

// Does weak= ask for departures?
ALWAYS_INLINE bool RsanIsWeak() {
  return UNLIKELY(RsanSimulates(kRsanDepartures));
}

// Ends the process if an option makes no sense.
void RsanCheckDepartures();
void RsanInitializeDepartures(); // the engine is there
void RsanFinalizeDepartures();   // statistics

// Of the thread's accesses: may one depart now? And the one there?
bool RsanMayDepart(ThreadState *thr);
bool RsanMayDepartAt(uptr pc);
// An access to an object of more than eight bytes, which is known in part only, never departs.
void RsanNoteUndeparting();

// Chooses one of the candidates, which the core has found in this step. False: the access does not
// depart. `candidates` may be put in another order.
bool RsanChooseDeparture(ThreadState *thr, SyncVar *s, const RsanFlagged &flagged,
                         rsan_candidate *candidates, u32 count, rsan_candidate *chosen);
// It has departed. Tells of it, and pauses if the options ask for it. No lock held.
void RsanNoteDeparture(ThreadState *thr, const RsanFlagged &flagged, const rsan_candidate &chosen);

// The departures so far, in a report.
void RsanPrintDepartures();
void RsanPutDepartures(RsanJson *json);

// -- rsan_departures_file.cpp --

void RsanReadDepartures(const char *file);
// May an access there depart by the file?
bool RsanFileNames(uptr pc);
// Which of the candidates of that access the file wants, from 1 on; 0: it is not to depart.
u32 RsanRuleWants(ThreadState *thr, const RsanFlagged &flagged, const rsan_candidate *candidates,
                  u32 count, u32 drawn);

// -- rsan_departures_clocks.cpp --
//
// W of the clocks for data races (rsan_race.h) as it was after each of the last versions of an
// object: what a read takes that departs to one of them. Under the location's lock, slot held.

struct RsanVersionClocks;
void RsanFreeVersionClocks(RsanVersionClocks *clocks); // null is allowed
// The object's newest version is about to be overwritten.
void RsanKeepVersionClock(SyncVar *s);
bool RsanHasVersionClock(const SyncVar *s, u64 version);
void RsanTakeVersionClock(ThreadState *thr, const SyncVar *s, u64 version, bool acquires);

} // namespace __tsan

#endif
