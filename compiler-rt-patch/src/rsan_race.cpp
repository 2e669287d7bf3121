// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rsan_race.h"

#include "sanitizer_common/sanitizer_placement_new.h"
#include "tsan_mman.h"

namespace __tsan {

// The epoch of each slot at which its present thread took it.
atomic_uint16_t rsan_slot_floors[kThreadSlotCount];

void RsanSlotAttached(Sid sid, Epoch epoch) {
  atomic_store_relaxed(&rsan_slot_floors[static_cast<u8>(sid)], static_cast<u16>(epoch));
}

RsanRaceClock *RsanRaceClockOf(SyncVar *s) {
  if (!s->rsan.race) {
    s->rsan.race = New<RsanRaceClock>();
    s->rsan.race->sid = kFreeSid;
  }
  return s->rsan.race;
}

void RsanRaceMerge(SyncVar *s, const VectorClock &clock) {
  RsanRaceClock *w = RsanRaceClockOf(s);
  w->clock.Acquire(&clock);
  w->sid = kFreeSid;
}

// W(f) of the seq_cst fences. Its epochs are those of one period between two of TSan's resets,
// which take all slots.
static StaticSpinMutex fence_mutex;
static VectorClock *fence_clock SANITIZER_GUARDED_BY(fence_mutex);
static uptr fence_period SANITIZER_GUARDED_BY(fence_mutex);
static atomic_uint64_t fence_count; // number of times that another thread could learn from it

// `quiet`: the clock of f has all that the thread would publish.
static void PassThroughFenceLocation(ThreadState *thr, bool quiet) {
  SpinMutexLock lock(&fence_mutex);
  if (fence_clock && fence_period != ctx->global_epoch)
    fence_clock->Reset();
  fence_period = ctx->global_epoch;
  u64 count = atomic_load_relaxed(&fence_count);
  if (quiet) {
    thr->clock.Acquire(fence_clock);
  } else {
    thr->clock.ReleaseAcquire(&fence_clock);
    atomic_store(&fence_count, ++count, memory_order_release);
  }
  thr->rsan_own.fence.count = count;
}

static bool IsQuietSince(ThreadState *thr, u64 slot_locks) {
  const auto &fence = thr->rsan_own.fence;
  return fence.trace_pos && fence.trace_pos == atomic_load_relaxed(&thr->trace_pos) &&
         fence.slot_locks == slot_locks;
}

bool RsanRaceFenceIsIdle(ThreadState *thr) {
  return IsQuietSince(thr, thr->rsan_own.slot_locks) &&
         thr->rsan_own.fence.count == atomic_load(&fence_count, memory_order_acquire);
}

void RsanRaceFence(ThreadState *thr, bool acquires, bool releases, bool sc) {
  RsanThreadState *own = &thr->rsan_own;
  bool quiet = IsQuietSince(thr, own->slot_locks - 1); // that is, until the slot was taken for this
  if (acquires && own->has_acquire) {
    thr->clock.Acquire(&own->acquire);
    own->acquire.Reset();
    own->has_acquire = false;
  }
  if (sc)
    PassThroughFenceLocation(thr, quiet);
  if (!releases)
    return;
  own->release = thr->clock;
  own->release_sid = thr->fast_state.sid();
  own->release_epoch = thr->fast_state.epoch();
  own->has_release = true;
  IncrementEpoch(thr);
  if (!sc)
    return;
  own->fence.slot_locks = own->slot_locks;
  own->fence.trace_pos = atomic_load_relaxed(&thr->trace_pos);
}

// The thread's epochs have been reset.
void RsanResetThreadClocks(ThreadState *thr) {
  if (thr->rsan_own.has_acquire)
    thr->rsan_own.acquire.Reset();
  if (thr->rsan_own.has_release)
    thr->rsan_own.release.Reset();
  thr->rsan_own.has_acquire = thr->rsan_own.has_release = false;
  thr->rsan_own.fence.trace_pos = 0; // the old trace may be gone
}

// All epochs have been reset.
void RsanResetClocks(SyncVar *s) {
  if (!s->rsan.race)
    return;
  s->rsan.race->clock.Reset();
  s->rsan.race->sid = kFreeSid;
}

} // namespace __tsan
