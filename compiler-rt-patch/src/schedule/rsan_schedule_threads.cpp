// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a scheduled run: they begin, end, are joined, and cancelled.
//
// Cancellation ends the waits that POSIX calls cancellation points, and with the asynchronous type
// any wait, if the thread has it enabled: the wait is over, and the thread's next call of a real
// cancellation point ends the thread.

#include <pthread.h>

#include "base/rsan_upcalls.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static uptr first_handle; // of the thread that has none in the schedule

void RsanScheduleCreated(const ThreadContext *context) {
  // (A fiber has no handle.)
  if (!rsan_schedules || !rsan_self || context->tid == kMainTid || !context->user_id)
    return;
  {
    RsanScheduleLock lock;
    RsanScheduled *thread = RsanAddScheduled();
    thread->unique_id = context->unique_id;
    thread->handle = context->user_id;
    thread->detached = context->detached;
    // It waits for the thread to come, which takes as long as it takes.
    thread->creator = rsan_self;
    atomic_fetch_add(&rsan_self->busy, 1, memory_order_relaxed);
  }
  if (!RsanExplores())
    RsanStartWatch();
}

void RsanScheduleAdopted(const ThreadState *thr) {
  if (!rsan_schedules)
    return;
  bool deadlock = false;
  {
    RsanScheduleLock lock;
    RsanScheduled *thread = RsanAddScheduled();
    thread->unique_id = thr->tctx->unique_id;
    thread->handle = thr->tctx->user_id;
    thread->detached = true;
    if (rsan_schedule_state->running == RSAN_NO_THREAD)
      deadlock = RsanChooseNext();
  }
  RsanStartWatch();
  if (UNLIKELY(deadlock))
    rsan_upcalls.report_deadlock();
}

static RsanScheduled *FindThread(u64 unique_id) {
  RsanScheduleLock lock;
  Vector<RsanScheduled *> &threads = rsan_schedule_state->threads;
  for (uptr i = 0; i < threads.Size(); i++)
    if (threads[i]->unique_id == unique_id && !threads[i]->dead)
      return threads[i];
  return nullptr;
}

void RsanScheduleStarts(ThreadState *thr) {
  RsanDelayCall();
  RsanScheduled *me = rsan_schedules ? FindThread(thr->tctx->unique_id) : nullptr;
  if (!me)
    return;
  // A thread that reads it (rsan_membarrier.cpp) finds that the thread's start is over.
  __atomic_store_n(&me->thr, thr, __ATOMIC_RELEASE);
  __atomic_store_n(&me->os_id, GetTid(), __ATOMIC_RELEASE);
  if (LIKELY(me->creator))
    atomic_fetch_sub(&me->creator->busy, 1, memory_order_relaxed);
  rsan_self = me;
  RsanWaitForToken(me);
  if (RsanFollowsGraph())
    rsan_upcalls.point_in_graph(thr, RSAN_KIND_START, me->id);
}

void RsanScheduleEnds() {
  RsanScheduled *me = rsan_self;
  if (!rsan_schedules || !me)
    return;
  if (me->waits_at && !me->outside)
    RsanWaitForToken(me); // it has left a wait by cancellation
  rsan_pending pending = {};
  pending.kind = RSAN_KIND_END;
  RsanArrive(me, pending, 0);
  if (RsanFollowsGraph())
    rsan_upcalls.point_in_graph(cur_thread(), RSAN_KIND_END, me->id);
  if (RsanExplores()) {
    RsanScheduleLock lock;
    rsan_upcalls.thread_ends();
  }
  rsan_self = nullptr;
  bool deadlock = false;
  {
    RsanScheduleLock lock;
    RsanScheduleState *state = rsan_schedule_state;
    me->dead = true;
    rsan_schedule_end(&state->schedule, me->id);
    if (me->detached)
      rsan_threads_release(&state->schedule.threads, me->id);
    deadlock = RsanChooseNext();
  }
  if (UNLIKELY(deadlock))
    rsan_upcalls.report_deadlock();
}

// A thread that nobody has joined yet; a handle may be used again.
static RsanScheduled *FindHandle(uptr handle) SANITIZER_REQUIRES(rsan_schedule_mutex) {
  RsanScheduleState *state = rsan_schedule_state;
  for (uptr i = 0; i < state->threads.Size(); i++) {
    RsanScheduled *thread = state->threads[i];
    if (thread->handle == handle && !thread->detached &&
        state->schedule.threads.thread[i].state != RSAN_THREAD_FREE)
      return thread;
  }
  return nullptr;
}

bool RsanScheduleJoin(ThreadState *thr, uptr pc, uptr handle, bool timed, u64 deadline) {
  rsan_pending pending = {};
  pending.kind = RSAN_KIND_JOIN;
  pending.until = RSAN_UNTIL_END;
  pending.timed = timed;
  {
    RsanScheduleLock lock;
    const RsanScheduled *joined = FindHandle(handle);
    if (!joined || joined == rsan_self)
      return true; // the real call says what is wrong
    pending.object = joined->id;
  }
  return RsanScheduleWait(thr, pc, pending, deadline);
}

bool RsanHasEnded(uptr handle) {
  RsanScheduleLock lock;
  const RsanScheduled *thread = FindHandle(handle);
  return !thread || thread->dead;
}

void RsanScheduleReleased(uptr handle) {
  RsanScheduleLock lock;
  RsanScheduled *thread = FindHandle(handle);
  if (!thread)
    return;
  thread->detached = true;
  if (thread->dead)
    rsan_threads_release(&rsan_schedule_state->schedule.threads, thread->id);
}

// A thread that lives. (No handle: the first thread.)
static RsanScheduled *FindLiving(uptr handle) SANITIZER_REQUIRES(rsan_schedule_mutex) {
  RsanScheduleState *state = rsan_schedule_state;
  for (uptr i = 0; i < state->threads.Size(); i++) {
    RsanScheduled *thread = state->threads[i];
    const u8 is = state->schedule.threads.thread[i].state;
    if ((thread->handle ? thread->handle : first_handle) == handle && !thread->dead &&
        is != RSAN_THREAD_FREE)
      return thread;
  }
  return nullptr;
}

void RsanNoteFirstThread() {
  first_handle = reinterpret_cast<uptr>(pthread_self());
}

void RsanEndCancelledWait(RsanScheduled *thread) {
  if (LIKELY(!thread->cancelled || !thread->cancellable))
    return;
  thread->cancelled = false; // what it waits for in clean-up functions is not ended again
  rsan_schedule_cancel(&rsan_schedule_state->schedule, thread->id);
}

bool RsanIsCancellable(u8 kind) {
  int state = PTHREAD_CANCEL_DISABLE, type = PTHREAD_CANCEL_DEFERRED;
  if (RsanOnFibers())
    return false;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcanceltype(type, nullptr);
  pthread_setcancelstate(state, nullptr);
  return state == PTHREAD_CANCEL_ENABLE &&
         (type == PTHREAD_CANCEL_ASYNCHRONOUS || kind == RSAN_KIND_COND_WAIT ||
          kind == RSAN_KIND_SEM_WAIT || kind == RSAN_KIND_JOIN);
}

void RsanScheduleCancelled(uptr handle) {
  bool deadlock = false;
  {
    RsanScheduleLock lock;
    RsanScheduleState *state = rsan_schedule_state;
    RsanScheduled *thread = FindLiving(handle);
    if (!thread)
      return;
    thread->cancelled = true;
    RsanEndCancelledWait(thread);
    if (state->running == RSAN_NO_THREAD)
      deadlock = RsanChooseNext();
  }
  if (UNLIKELY(deadlock))
    rsan_upcalls.report_deadlock();
}

} // namespace __tsan
