// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a deadlock: no thread can proceed, and none is outside; or of a livelock: none has
// got any further for as many steps as livelock= says. All threads wait here, so their stacks can
// be read. The process ends with it, as it would go on for ever without.

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_fibers.h"
#include "failures/rsan_failure.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

// Ends the replay of a run that the exploration gave up because an rsan_assume() did not hold.
[[noreturn]] static void EndReplay() {
  Printf("ThreadSanitizer: the execution ends here: what rsan_assume() was told does not hold "
         "(pid=%d)\n",
         static_cast<int>(internal_getpid()));
  RsanFinalizeSchedule();
  internal__exit(ctx->nreported ? common_flags()->exitcode : 0);
}

// The threads of an exploration that go on all wait, in loops, for what never comes.
static bool Spins() {
  return rsan_exploration && rsan_exploration->run.spins && !RsanIsUnexplored();
}

static void Print(const Vector<RsanWait> &waits, bool is_livelock) {
  char heading[160];
  internal_snprintf(heading, sizeof heading, "No thread can proceed any more:");
  if (is_livelock && rsan_schedule_state->schedule.livelock.bound)
    internal_snprintf(heading, sizeof heading,
                      "Each thread that can go on has made %u steps that only wait, while none has "
                      "got any further:",
                      rsan_schedule_state->schedule.livelock.bound);
  else if (is_livelock)
    internal_snprintf(heading, sizeof heading,
                      "Each thread that can go on only waits, in a loop, for what never comes:");
  RsanFailure failure = {};
  failure.type = failure.end = is_livelock ? "livelock" : "deadlock";
  failure.heading = heading;
  failure.waits = &waits;
  const u64 token = RsanPrintFailure(failure);
  if (rsan_exploration)
    rsan_exploration->token = token;
}

void RsanReportDeadlock() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  ScopedIgnoreInterceptors ignore;
  ScopedGlobalProcessor processor; // the thread may be one that has ended and has none of its own
  // (Nobody has the token: what is read does not change. A signal handler may still run.)
  const RsanScheduleState *state = rsan_schedule_state;
  const bool spins = Spins(), is_livelock = spins || state->livelocked;
  Vector<RsanWait> waits;
  if (state->deadlocked || spins)
    RsanCollectWaits(&waits);
  if (RsanExplores() && rsan_exploration) {
    rsan_exploration->deadlock = state->deadlocked && !state->livelocked && !RsanIsUnexplored();
    if (rsan_exploration->deadlock || spins)
      RsanNoteFailure(RsanNumberOfWaits(waits, spins), 0);
    if ((!state->deadlocked && !spins) || !rsan_exploration_reports || RsanIsUnexplored())
      RsanEndRun();
  }
  if (!state->deadlocked && !spins)
    EndReplay();
  Print(waits, is_livelock);
  if (RsanOnFibers())
    RsanLeaveExecution();
  RsanFinalizeSchedule();
  internal__exit(common_flags()->exitcode);
}

} // namespace __tsan
