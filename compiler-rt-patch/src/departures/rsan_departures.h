// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weak=: atomic accesses that depart, that is, are given an older version of their object in place
// of the newest one (docs/internals/DEPARTURES.md). The core says which versions may be given; here
// it is chosen, by a draw or by a file, and told. Memory keeps the newest value: nobody but the
// thread that departs sees anything else.

#ifndef RSAN_DEPARTURES_H
#define RSAN_DEPARTURES_H

#include "base/rsan_simulating.h"
#include "races/rsan_version_clocks.h"

struct rsan_op; // rsan/schedule/dependence.h

namespace __tsan {

class RsanJson;

// Ends the process if an option makes no sense.
void RsanCheckDepartures();
void RsanInitializeDepartures(); // the engine is there
void RsanLogDepartures(const char *path);
void RsanFinalizeDepartures(); // statistics

// With weak=: a write, of at most eight bytes, is about to overwrite the newest version. Under the
// location's lock.
void RsanKeepVersion(ThreadState *thr, SyncVar *s, const rsan_access &access);

// May an access of the thread depart now? May the access at `pc`, to the object at `addr`?
bool RsanMayDepart(ThreadState *thr);
bool RsanMayDepartAt(const ThreadState *thr, uptr pc, uptr addr);
bool RsanChoosesBySchedule(ThreadState *thr);
// An access to an object of more than eight bytes, which is known in part only, never departs.
void RsanNoteUndeparting();

// Chooses one of the candidates, which the core has found in this step. False: the access does not
// depart. `candidates` may be put in another order.
bool RsanChooseDeparture(ThreadState *thr, SyncVar *s, const RsanFlagged &flagged,
                         rsan_candidate *candidates, u32 count, rsan_candidate *chosen);
// It has departed. Tells of it, and pauses if the options ask for it. No lock held.
void RsanNoteDeparture(ThreadState *thr, const RsanFlagged &flagged, const rsan_candidate &chosen);

// -- rsan_departures_explored.cpp: weak=explored, in an exploration and in a replay of one --
//
// Whether a step departs is a choice that is explored. A wait that an older value would end is
// enabled, and whether it is given that value is such a choice. If it is not, the wait is blocked
// until the object has another version.

bool RsanExploresDepartures();

// An access that is about to be made, for whoever asks in the meantime.
struct RsanOccasion {
  ThreadState *thr;
  uptr addr, size;
  rsan_access access; // `seen` aside
  bool fetches;       // it departs to this value alone:
  rsan_value found;
  u64 declined; // RsanThreadState::declined, of a wait
};

// Room for that of the thread's next operation; null: nobody will ask.
RsanOccasion *RsanNextOccasion(ThreadState *thr);

// May the access be given the candidate? A fetch-op may be given what it has found alone; and a
// compare-exchange cannot be said to have failed where it found what it expected.
bool RsanSuits(const rsan_access &access, const rsan_value *found, const rsan_candidate &candidate);

// Fills in what the operation will be if it finds `op->before`: `versions`, and whether it can
// depart.
void RsanLookAhead(const RsanOccasion &occasion, rsan_op *op);
// Does an older value end the wait?
bool RsanMayEndWait(const RsanOccasion &occasion, rsan_value now);
// The thread chose to wait on.
void RsanDecline(const RsanOccasion &occasion);

// What an exploration leaves out: versions that are not kept any more, objects of more than eight
// bytes, compare-exchanges that are said to have failed.
void RsanNoteForgotten(ThreadState *thr, const SyncVar *s, const rsan_access &access);
void RsanNoteUnsuited(const rsan_access &access);

// The places of an execution's departures, for the exploring process to read. Each place is one
// number, made of the stack of the access and the stack of the missed write. An execution keeps its
// first kMost places.
struct RsanDepartedPlaces {
  static const u32 kMost = 8;
  u64 at[kMost];
  u32 count;
};
// From now on, notes the departures of this process there. The memory must stay valid.
void RsanNoteDeparturesIn(RsanDepartedPlaces *places);
void RsanNoteDepartedPlace(StackTrace at, StackTrace missed);

// With per_test=1: a test begins, and only its departures count from here on.
void RsanDeparturesOfTest();

// The departures so far, in a report; how many.
u32 RsanDepartureCount();
void RsanPrintDepartures();
void RsanPutDepartures(RsanJson *json);

// -- rsan_departures_file.cpp --

void RsanReadDepartures(const char *file);
// May an access there depart by the file?
bool RsanFileNames(uptr pc);
// Is the object one of which the thread goes on to read the version that it was given before?
bool RsanFollows(const ThreadState *thr, uptr addr);
// Which of the candidates of that access the file wants, from 1 on; 0: it is not to depart.
u32 RsanRuleWants(ThreadState *thr, const RsanFlagged &flagged, const rsan_candidate *candidates,
                  u32 count, u32 drawn);

} // namespace __tsan

#endif
