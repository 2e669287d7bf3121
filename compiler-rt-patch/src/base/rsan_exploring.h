// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether all schedules of the program are explored (exploration/), and what keeps that from being
// a proof. Any thread may call these at any time, with or without locks.

#ifndef RSAN_EXPLORING_H
#define RSAN_EXPLORING_H

#include "base/rsan_shim.h"
#include "base/rsan_upcalls.h"

namespace __tsan {

// Is it the explorer, a run of it, or a program that will become one? (rsan_explores: rsan_shim.h)
ALWAYS_INLINE bool RsanExplores() {
  return UNLIKELY(rsan_explores);
}

// Is rsan_check at work, whose threads are fibers?
extern bool rsan_on_fibers;
ALWAYS_INLINE bool RsanOnFibers() {
  return UNLIKELY(rsan_on_fibers);
}

// The fiber that runs, as its number in the schedule; 0: who explores.
extern u32 rsan_current_fiber;
ALWAYS_INLINE u32 RsanCurrentFiber() {
  return rsan_current_fiber;
}

// Returns whether the calling thread follows an execution graph (exploration/rsan_graphs.h). It is
// a fiber, or a scheduled thread of a program that `rsan check` runs. (rsan_shim.h has
// rsan_follows_graphs.)
ALWAYS_INLINE bool RsanFollowsGraph() {
  return UNLIKELY(rsan_follows_graphs) && rsan_upcalls.is_follower();
}

// What keeps an exploration from being a proof, by name. Each is counted in executions.
#define RSAN_GAPS(X)                                                                               \
  X(TAKEN, "a thread slept or ran where the schedule does not see it")                             \
  X(CALLS, "a call that may block, whose time is not explored")                                    \
  X(TIMED, "a wait with a time limit, which ended only when no other thread could go on")          \
  X(SIGNALS, "signal handlers, whose times are not explored")                                      \
  X(CHILDREN, "a child process, which is not explored")                                            \
  X(ONCE, "an initialisation by the first thread to come; other ones are not explored")            \
  X(UNSEEN, "code that is not instrumented may have synchronised, or written atomic objects")      \
  X(HISTORY, "the analysis has dropped what an access might have missed")                          \
  X(OLDER, "an older value, which acquires less, might have ended a wait")                         \
  X(RACES, "a data race may have been missed: the race detector has begun anew, or lost a stack")  \
  X(SYNCHRONISED, "synchronisation outside the steps of the schedule")                             \
  X(WOKEN, "no thread could go on, unless a signal or an unscheduled thread wakes one")            \
  X(CANCELLED,                                                                                     \
    "pthread_cancel, or a question whether a thread has ended; its time is not explored")          \
  X(SUPPRESSED, "a finding that is suppressed, or in the standard library")                        \
  X(CODE, "unseen code of the program: assembly, or functions that are left out")                  \
  X(FENCES, "fences of seq_cst=fence or simulate=, whose order is not explored")                   \
  X(LOCAL_FENCE, "a read-modify-write of a local object counts as a fence, which only x86-64 has") \
  X(CXX20, "C++20's fences, which are weaker than RC20's, allow more than was executed")           \
  X(MEMBARRIER, "a membarrier; not every order of its fences in other threads is explored")        \
  X(TURNS, "a thread would turn once more in a loop that reads the same again")                    \
  X(UNROLL, "a thread would write once more at the same place")                                    \
  X(SPURIOUS, "a weak compare-exchange might have failed although it found what it expected")      \
  X(WIDE, "an object of more than eight bytes is never given an older value")                      \
  X(VERSIONS, "an object had more versions than are kept for accesses that depart")                \
  X(DEPARTURES, "one more access might have departed")                                             \
  X(UNINITIALISED, "memory may be uninitialised that a graph, or what precedes threads, has read") \
  X(UNFILLED, "reads of a large block may have found uninitialised memory")                        \
  X(UNCHECKED, "accesses were not checked: objects with several sizes, or globals or code whose "  \
               "beginning could not be read")                                                      \
  X(SILENT, "the program has ended without the runtime's knowledge")

enum RsanGap {
#define RSAN_GAP_ENUM(name, text) kRsanGap_##name,
  RSAN_GAPS(RSAN_GAP_ENUM)
#undef RSAN_GAP_ENUM
      kRsanGapCount
};

// The bounds explore_loop=, explore_unroll=, explore_spurious= and weak_departures= are no gaps,
// nor is that the proof is one for RC20's fences alone: the verdict names them.

void RsanNoteGap(RsanGap gap);

// The run's gaps are noted in this array of kRsanGapCount from now on, which has to stay; null: the
// run is over. Without a run they are kept, and count for each one that comes (RsanInheritsGap).
void RsanNoteGapsIn(bool *gaps);
bool RsanIsRun(); // between the two
bool RsanInheritsGap(RsanGap gap);

} // namespace __tsan

#endif
