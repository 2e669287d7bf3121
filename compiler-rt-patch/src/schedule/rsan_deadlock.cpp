// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a deadlock: no thread can proceed, and none is outside; or of a livelock: none has
// got any further for as many steps as livelock= says. All threads wait here, so their stacks can
// be read. The process ends with it, as it would go on for ever without.

#include "departures/rsan_departures.h"
#include "exploration/rsan_exploration.h"
#include "exploration/rsan_fibers.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "schedule/rsan_token.h"
#include "tsan_report.h"
#include "tsan_symbolize.h"

namespace __tsan {

static void PrintWaiting(u32 id) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const RsanScheduleState *state = rsan_schedule_state;
  const rsan_scheduled &thread = state->schedule.threads.thread[id];
  const RsanScheduled *own = state->threads[id];
  if (thread.state != RSAN_THREAD_PENDING)
    return;
  char name[128];
  Printf("  %s: %s ", thread_name(name, own->thr->tid), RsanKindText(thread.pending.kind));
  if (thread.pending.until == RSAN_UNTIL_END) {
    const RsanScheduled *joined = state->threads[thread.pending.object];
    Printf("T%d:\n", static_cast<int>(joined->thr->tid));
  } else {
    Printf("at %p:\n", reinterpret_cast<void *>(thread.pending.object));
  }
  PrintStack(SymbolizeStackId(CurrentStackId(own->thr, 0)));
}

// Of a run that an exploration has given up, since rsan_assume() was told what does not hold.
[[noreturn]] static void EndReplay() {
  Printf("ThreadSanitizer: the execution ends here: what rsan_assume() was told does not hold "
         "(pid=%d)\n",
         static_cast<int>(internal_getpid()));
  RsanFinalizeSchedule();
  internal__exit(ctx->nreported ? common_flags()->exitcode : 0);
}

void RsanReportDeadlock() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  ScopedIgnoreInterceptors ignore;
  ScopedGlobalProcessor processor; // the thread may be one that has ended and has none of its own
  // (Nobody has the token: what is read does not change. A signal handler may still run.)
  const RsanScheduleState *state = rsan_schedule_state;
  if (RsanExplores() && rsan_exploration) {
    rsan_exploration->deadlock = state->deadlocked && !state->livelocked && !RsanIsUnexplored();
    if (!state->deadlocked || !rsan_exploration_reports || RsanIsUnexplored())
      RsanEndRun();
  }
  if (!state->deadlocked)
    EndReplay();
  const char *what = state->livelocked ? "livelock" : "deadlock";
  Printf("==================\n");
  Printf("WARNING: ThreadSanitizer: %s (pid=%d)\n", what, static_cast<int>(internal_getpid()));
  if (state->livelocked)
    Printf("  Each thread that can go on has made %u steps that only wait, while none has got any "
           "further:\n\n",
           state->schedule.livelock.bound);
  else
    Printf("  No thread can proceed any more:\n\n");
  const u32 count = state->schedule.threads.count;
  for (u32 id = 0; id < count; id++)
    PrintWaiting(id);
  RsanPrintDepartures();
  RsanPrintRepeat();
  Printf("SUMMARY: ThreadSanitizer: %s\n", what);
  Printf("==================\n");
  if (RsanOnFibers())
    RsanLeaveExecution();
  RsanFinalizeSchedule();
  internal__exit(common_flags()->exitcode);
}

} // namespace __tsan
