// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A membarrier among threads that stand still, and among threads that run.
//
// Where runs are scheduled the other threads wait for their turn. The caller passes their fences
// for them, so that what they do next comes after it.
//
// A thread that runs passes its fence itself, before its next step. The mark that says so is set
// with all slots held, so a step that holds its thread's slot is made wholly before the membarrier,
// or finds the mark. One that has no slot looks at the mark with its location's lock held. If it
// does not find it the step counts as made before the membarrier: nobody comes to the location
// between that look and the step. A repeated load, which asks for neither, changes nothing, and its
// thread knows less than it would. (A seq_cst one adds an event of S, and looks at the mark.)
// Plain accesses up to the next step are before the fence.

#include "sync/rsan_membarrier.h"

#include "base/rsan_exploring.h"
#include "base/rsan_simulating.h"
#include "races/rsan_race.h"
#include "schedule/rsan_token.h"

namespace __tsan {

namespace {

using Threads = InternalMmapVector<ThreadState *>;

// Clocks for data races, beside the core's.
struct Clocks {
  VectorClock before, passed;
  uptr period;
};

} // namespace

static atomic_uint8_t met_running; // a membarrier has found threads that may have run

void RsanStartFenced(ThreadState *thr) {
  if (atomic_load(&met_running, memory_order_acquire))
    atomic_store_relaxed(&thr->rsan_own.fence_due, 1);
}

static void FenceRaces(ThreadState *thr) {
  if (!rsan_flags()->races)
    return;
  SlotLocker locker(thr);
  RsanRaceFence(thr, true, true, true);
}

void RsanPassFence(ThreadState *thr) {
  atomic_store_relaxed(&thr->rsan_own.fence_due, 0);
  if (ctx->after_multithreaded_fork)
    return;
  FenceRaces(thr);
  if (thr->rsan)
    rsan_fence(thr->rsan, RSAN_SEQ_CST);
}

void RsanPassFenceInSlot(ThreadState *thr) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  while (RsanIsFenceDue(thr->rsan_own)) {
    SlotUnlock(thr);
    RsanPassFence(thr);
    SlotLock(thr);
  }
}

// Does the thread stand still? One that has ended, or is about to, has nothing left that could be
// fenced; on fibers it is there all the same, but for the one that explores.
static bool StandsStill(const RsanScheduled *thread) SANITIZER_REQUIRES(rsan_schedule_mutex) {
  if (thread == rsan_self)
    return false;
  if (RsanOnFibers())
    return thread->id != 0;
  const rsan_scheduled &state = rsan_schedule_state->schedule.threads.thread[thread->id];
  return state.state == RSAN_THREAD_PENDING && state.pending.kind != RSAN_KIND_END;
}

// False: one of them has not come yet.
static bool ListThreads(Threads *threads) {
  threads->clear();
  RsanScheduleLock lock;
  const Vector<RsanScheduled *> &all = rsan_schedule_state->threads;
  for (uptr i = 0; i < rsan_schedule_state->schedule.threads.count; i++) {
    if (!StandsStill(all[i]))
      continue;
    ThreadState *thr = __atomic_load_n(&all[i]->thr, __ATOMIC_ACQUIRE);
    if (!thr)
      return false;
    threads->push_back(thr);
  }
  return true;
}

// (A handler of a signal may run in a thread that stands still.)
static void FindThreads(ThreadState *thr, Threads *threads) {
  if (!RsanIsScheduled(thr) || (RsanHandlesSignals() && !RsanOnFibers()))
    return;
  while (!ListThreads(threads))
    internal_sched_yield();
}

// All orders of up to four are explored; 0 for more.
static u32 CountOrders(uptr count) {
  static const u32 factorials[] = {1, 1, 2, 6, 24};
  return count < ARRAY_SIZE(factorials) ? factorials[count] : 0;
}

static void ChooseOrder(Threads *threads) {
  if (!RsanExplores() || threads->size() < 2)
    return;
  u32 left = CountOrders(threads->size());
  if (!left)
    return RsanNoteGap(kRsanGap_MEMBARRIER);
  u32 chosen;
  {
    RsanScheduleLock lock;
    chosen = rsan_schedule_choose_value(&rsan_schedule_state->schedule, left);
  }
  for (uptr i = 0; i + 1 < threads->size(); i++) {
    left /= static_cast<u32>(threads->size() - i);
    Swap((*threads)[i], (*threads)[i + chosen / left]);
    chosen %= left;
  }
}

static void BeginClocks(ThreadState *thr, Clocks *clocks) {
  if (!rsan_flags()->races)
    return;
  SlotLocker locker(thr);
  RsanRaceFence(thr, true, true, true);
  clocks->before = thr->clock;
  clocks->period = ctx->global_epoch;
}

// TSan's reset of all epochs ends the clocks.
static void CheckPeriod(Clocks *clocks) {
  if (clocks->period == ctx->global_epoch)
    return;
  clocks->before.Reset();
  clocks->passed.Reset();
  clocks->period = ctx->global_epoch;
}

static void PassClocks(ThreadState *thr, Clocks *clocks) {
  if (!rsan_flags()->races)
    return;
  SlotLocker locker(thr);
  CheckPeriod(clocks);
  RsanRacePassMembarrier(thr, clocks->before, &clocks->passed);
}

static void EndClocks(ThreadState *thr, Clocks *clocks) {
  if (!rsan_flags()->races)
    return;
  SlotLocker locker(thr);
  RsanRaceAcquireEndings(thr);
  RsanRaceAcquireCollected(thr, clocks->passed, clocks->period);
  RsanRaceFence(thr, true, true, true);
}

static void LockSlots() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  for (auto &slot : ctx->slots)
    slot.mtx.Lock();
}

static void UnlockSlots() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  for (auto &slot : ctx->slots)
    slot.mtx.Unlock();
}

// Marks the threads that run, or that may: all but `thr` and those of the list. False: there are
// none.
static bool MarkOthers(ThreadState *thr, const Threads &threads) {
  bool any = false;
  ThreadRegistryLock lock(&ctx->thread_registry);
  for (u32 i = ctx->thread_registry.NumThreadsLocked(); i--;) {
    const auto *context =
        static_cast<ThreadContext *>(ctx->thread_registry.GetThreadLocked(static_cast<Tid>(i)));
    ThreadState *other = context->status == ThreadStatusRunning ? context->thr : nullptr;
    bool is_known = other == thr || context->status == ThreadStatusInvalid ||
                    context->status == ThreadStatusFinished || context->status == ThreadStatusDead;
    for (uptr at = 0; at < threads.size() && !is_known; at++)
      is_known = other == threads[at];
    if (is_known)
      continue;
    any = true;
    atomic_store(&met_running, 1, memory_order_release);
    if (other)
      atomic_store_relaxed(&other->rsan_own.fence_due, 1);
  }
  return any;
}

// The caller's last fence, and the part of those that may run. True: there are some. (On fibers
// nobody else runs.)
static bool EndMembarrier(ThreadState *thr, const Threads &threads, rsan_membarrier *membarrier,
                          Clocks *clocks) {
  LockSlots();
  const bool others_run = !RsanOnFibers() && MarkOthers(thr, threads);
  if (others_run && rsan_flags()->races) {
    CheckPeriod(clocks);
    RsanRaceCollectEverything(&clocks->passed);
  }
  if (membarrier)
    rsan_membarrier_end(membarrier, others_run);
  UnlockSlots();
  EndClocks(thr, clocks);
  return others_run;
}

void RsanMembarrierComes(ThreadState *thr, uptr pc) {
  if (!RsanExplores() || !RsanIsAlone())
    RsanSchedulePoint(thr, pc, RSAN_KIND_MEMBARRIER, 0, true);
}

void RsanMembarrier(ThreadState *thr, uptr pc) {
  if (ctx->after_multithreaded_fork || thr->ignore_interceptors || thr->in_symbolizer)
    return;
  Threads threads;
  Clocks clocks;
  FindThreads(thr, &threads);
  rsan_membarrier *membarrier = thr->rsan ? rsan_membarrier_begin(thr->rsan) : nullptr;
  BeginClocks(thr, &clocks);
  if (membarrier && rsan_membarrier_goes_in_turn(membarrier))
    ChooseOrder(&threads);
  for (uptr i = 0; i < threads.size(); i++) {
    if (membarrier && threads[i]->rsan)
      rsan_membarrier_pass(membarrier, threads[i]->rsan);
    PassClocks(threads[i], &clocks);
  }
  if (EndMembarrier(thr, threads, membarrier, &clocks) ||
      (RsanIsWeak() && rsan_flags()->weak_departures != 1))
    RsanNoteGapOfMany(kRsanGap_MEMBARRIER);
}

} // namespace __tsan
