// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What keeps a scheduled run from being part of a proof: the cases that depend on the schedule.

#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

void RsanNoteGapOfMany(RsanGap gap) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (RsanIsRun() && rsan_schedule_state->schedule.threads.alive > 1)
    RsanNoteGap(gap);
}

// Does the thread know all of the clock?
static bool Knows(const ThreadState *thr, const VectorClock *clock) {
  for (uptr i = 0; clock && i < kThreadSlotCount; i++)
    if (thr->clock.Get(static_cast<Sid>(i)) < clock->Get(static_cast<Sid>(i)))
      return false;
  return true;
}

// In another order of the fences that commute (RsanFencesMatter) the thread may know less.
static void AskForOrderOfFences() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (rsan_explored *run = rsan_schedule_state->schedule.explored)
    run->order_asked |= (run->fencers & (run->fencers - 1)) != 0;
}

// What others have released orders the two, which nothing reverses if it is no step. (The objects
// of steps that synchronise so, such as semaphores, are those of the step that is being made.)
void RsanNoteUnscheduledOrder(const ThreadState *thr,
                              const SyncVar *s) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (!RsanIsRun() || !rsan_self)
    return;
  const rsan_schedule &schedule = rsan_schedule_state->schedule;
  if (!schedule.explored)
    return; // the exploration has given the run up
  // (A barrier has two objects: RsanArriveAtBarrier.)
  if (s->addr - schedule.threads.thread[rsan_self->id].pending.object < 2)
    return;
  if (Knows(thr, s->clock))
    AskForOrderOfFences();
  else
    RsanNoteGap(kRsanGap_SYNCHRONISED);
}

} // namespace __tsan
