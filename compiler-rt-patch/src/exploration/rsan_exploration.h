// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the explorer and its runs share.

#ifndef RSAN_EXPLORATION_H
#define RSAN_EXPLORATION_H

#include "departures/rsan_departures.h"
#include "exploration/rsan_explore.h"
#include "exploration/rsan_uninitialised.h"
#include "schedule/rsan_fill.h"
#include "schedule/rsan_token.h"

extern "C" {
#include "rsan/schedule/dpor.h"
#include "rsan/schedule/explored.h"
#include "rsan/schedule/holders.h"
}

namespace __tsan {

static const u32 kRsanMostFindings = 32; // of one execution
static const u32 kRsanStackWords = 4096;

// In memory that parent and child have.
struct RsanExploration {
  rsan_explored run;
  u64 found[kRsanMostFindings];
  RsanFound what[kRsanMostFindings];
  u32 found_count;
  RsanDepartedPlaces departed;
  RsanSuspects suspects; // reads of memory that may not have been initialised
  bool deadlock, livelock, timeout;
  u64 failure;                  // number of the failure that has ended the run; 0: none has
  int signal;                   // that it has died by
  u64 token;                    // of the failure, if the run has reported one; else 0
  RsanEnd ends;                 // what the run is known to end with, for its replay
  u64 until;                    // when the run is ended, in ns of the monotonic clock; 0: never
  bool until_limit, unfinished; // by explore_time=, not explore_timeout=; and it was
  // Stacks that the run has stored and its parent has not: how many frames, the tag, the frames.
  uptr stacks[kRsanStackWords];
  u32 stack_words;
  bool gap[kRsanGapCount];
};

// The exploration that this run belongs to; null: none.
extern RsanExploration *rsan_exploration;
// This run reports what it finds.
extern bool rsan_exploration_reports;

struct RsanKnownFinding {
  u64 number;
  RsanFound what;
};
extern Vector<RsanKnownFinding> *rsan_known_findings; // of earlier runs

// Has the run found more than violations?
bool RsanHasFinding(const RsanExploration &run);
// Returns the number of a finding of the run that no earlier run has had, or 0, and makes all of
// them known. `end`: the number of the failure by which the run has ended, or 0.
u64 RsanNewFinding(const RsanExploration &run, u64 end);

// Memory that the explorer and its runs share; zero.
void *RsanMapShared(uptr bytes);

// Returns the bounds that options ask for; sets the bounds of all later runs.
rsan_level RsanAskedLevel();
void RsanSetLevel(const rsan_level &level);
// Executions of a level in which several threads have made fences that commute; has anything been
// found, or have C++20's fences made a difference?
struct RsanFenced {
  u64 executions;
  bool found, apart;
};
// At the level fences commute, and more executions have to be made to know what is found where they
// do not (docs/internals/FENCES.md).
bool RsanFencesMatter(const rsan_level &level, const RsanFenced &fenced);
bool RsanIsFenced(const rsan_explored &run);
// Counts which bounds of loops a thread would have gone beyond in the run, if it is one of those
// that count: `reason` is why it was given up.
void RsanCountBounds(const rsan_explored &run, rsan_given_up reason, u64 *turned, u64 *unrolled);

// Asks for the run along the node's prefix and beyond; for a run that was made, once more. Names of
// threads stay. (rsan_asked.cpp)
void RsanAskFor(rsan_explored *run, const rsan_dpor_node *node);
void RsanAskAgain(rsan_explored *run, const rsan_dpor_step *step, u32 count);

// The run ends with a failure of that number, and dies by the signal, unless that is 0.
void RsanNoteFailure(u64 number, int signal);

// Where a run begins, and where it ends.
void RsanForgetGaps();
// Do options hide failures, such as data races? (Violations are none.)
bool RsanOptionsHideFailures();
void RsanNoteGaps();
// TSan's reset of all epochs so far has hidden no race.
void RsanForgetReset();
// Ends the process: the run is given up, or nobody can go on.
[[noreturn]] void RsanEndRun();
// The thread is about to be dead.
void RsanExploreThreadEnds() SANITIZER_REQUIRES(rsan_schedule_mutex);
// What each run would do first, and what leaves nothing behind, is done once for all of them.
void RsanWarmUp(ThreadState *thr);
// What a run has stored of stacks, for those that come after it: the run tells them at its end, its
// parent stores them.
void RsanTellStacks(RsanExploration *shared);
void RsanLearnStacks(const RsanExploration &shared);

// A lock that a thread has taken, and what gives it back; noted on fibers alone.
struct RsanHeld {
  uptr object;
  u32 thread;
  int (*give)(void *object);
};
// Gives back all locks that are held, by `give`.
void RsanExploreGiveBack(void (*give)(const RsanHeld &lock));

} // namespace __tsan

#endif
