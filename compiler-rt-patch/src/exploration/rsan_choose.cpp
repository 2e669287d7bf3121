// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan_choose and rsan_assume of rsan.h: what a test that is explored does in each of several ways,
// and which of its executions need not be looked at. And weak compare-exchanges, which may fail
// although they find what they expect.

#include "exploration/rsan_explore.h"
#include "exploration/rsan_graphs.h"
#include "schedule/rsan_token.h"

// What the compiler's pass asks behind a weak compare-exchange. One thread runs at a time where it
// is ever written.
extern "C" SANITIZER_INTERFACE_ATTRIBUTE unsigned char __rsan_failed;
unsigned char __rsan_failed;

namespace __tsan {

// Begins the exploration if it has not begun. Returns in the runs alone, not in the explorer.
static bool IsScheduled() {
  if (RsanOnFibers())
    return true;
  {
    ScopedIgnoreInterceptors ignore;
    RsanBeginExploring();
  }
  return RsanIsScheduled(cur_thread());
}

void RsanTellFailed(bool fails) {
  if (__rsan_failed != fails) // (other processors may read it)
    __rsan_failed = fails;
}

void RsanForgetFailed() {
  RsanTellFailed(false);
}

bool RsanFailsSpuriously(ThreadState *thr) {
  RsanForgetFailed();
  if (!RsanOnFibers() && !RsanIsScheduled(thr))
    return false;
  RsanScheduleLock lock;
  rsan_schedule *schedule = &rsan_schedule_state->schedule;
  const bool fails = rsan_schedule_fails(schedule);
  if (schedule->explored && schedule->explored->spared)
    RsanNoteGap(kRsanGap_SPURIOUS);
  if (fails)
    __rsan_failed = 1;
  return fails;
}

static bool Assumes() {
  RsanScheduleLock lock;
  return rsan_schedule_assumes(&rsan_schedule_state->schedule);
}

} // namespace __tsan

using namespace __tsan;

extern "C" {
SANITIZER_INTERFACE_ATTRIBUTE unsigned __rsan_choose(unsigned count) {
  if (!count) {
    Printf("ThreadSanitizer: rsan_choose(0): there has to be one value at least\n");
    Die();
  }
  if (count == 1 || !IsScheduled())
    return 0;
  if (RsanFollowsGraph())
    return RsanGraphChoose(cur_thread(), count);
  RsanScheduleLock lock;
  return rsan_schedule_choose_value(&rsan_schedule_state->schedule, count);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_assume_fails() {
  if (RsanOnFibers())
    RsanAssumeOnFiber();
  else if (!IsScheduled())
    return;
  else if (RsanFollowsGraph())
    RsanGraphStop(kRsanGraphAssumed);
  else if (!Assumes())
    return;
  static const char nobody_wakes = 0;
  rsan_pending pending = {};
  pending.kind = RSAN_KIND_ASSUME;
  pending.until = RSAN_UNTIL_WOKEN;
  pending.object = reinterpret_cast<uptr>(&nobody_wakes);
  ThreadState *thr = cur_thread();
  for (;;) // (a signal wakes all)
    RsanScheduleWait(thr, RsanCaller(thr), pending, 0);
}
}
