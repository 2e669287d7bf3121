// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rsan_race.h"

#include "tsan_mman.h"

namespace __tsan {

// W(f) of the seq_cst fences. Its epochs are those of one period between two of TSan's resets,
// which take all slots.
static StaticSpinMutex fence_mutex;
static VectorClock *fence_clock SANITIZER_GUARDED_BY(fence_mutex);
static uptr fence_period SANITIZER_GUARDED_BY(fence_mutex);

static void PassThroughFenceLocation(ThreadState *thr) {
  SpinMutexLock lock(&fence_mutex);
  if (fence_clock && fence_period != ctx->global_epoch)
    fence_clock->Reset();
  fence_period = ctx->global_epoch;
  thr->clock.ReleaseAcquire(&fence_clock);
}

void RsanRaceFence(ThreadState *thr, bool acquires, bool releases, bool sc) {
  RsanThreadRaceClocks *race = &thr->rsan_race;
  if (acquires && race->has_acquire)
    thr->clock.Acquire(&race->acquire);
  if (sc)
    PassThroughFenceLocation(thr);
  if (!releases)
    return;
  race->release = thr->clock;
  race->has_release = true;
  IncrementEpoch(thr);
}

// The thread's epochs have been reset.
void RsanResetThreadClocks(ThreadState *thr) {
  if (thr->rsan_race.has_acquire)
    thr->rsan_race.acquire.Reset();
  if (thr->rsan_race.has_release)
    thr->rsan_race.release.Reset();
  thr->rsan_race.has_acquire = thr->rsan_race.has_release = false;
}

// All epochs have been reset.
void RsanResetClocks(SyncVar *s) {
  if (s->rsan && s->rsan->race_clock)
    s->rsan->race_clock->Reset();
}

} // namespace __tsan
