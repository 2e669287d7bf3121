// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a scheduled run: they begin, end, and are joined.

#include "exploration/rsan_exploration.h"
#include "schedule/rsan_token.h"

namespace __tsan {

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
  me->thr = thr;
  me->os_id = GetTid();
  atomic_fetch_sub(&me->creator->busy, 1, memory_order_relaxed);
  rsan_self = me;
  RsanWaitForToken(me);
}

void RsanThreadGone() {
  RsanScheduled *me = rsan_self;
  if (!rsan_schedules || !me)
    return;
  rsan_pending pending = {};
  pending.kind = RSAN_KIND_END;
  RsanArrive(me, pending, 0);
  if (RsanExplores()) {
    RsanScheduleLock lock;
    RsanExploreThreadEnds();
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
    RsanReportDeadlock();
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

void RsanScheduleCancelled(uptr handle) {
  RsanScheduleLock lock;
  const RsanScheduled *thread = FindHandle(handle);
  if (!thread)
    return;
  rsan_threads *threads = &rsan_schedule_state->schedule.threads;
  const rsan_scheduled &state = threads->thread[thread->id];
  const u8 kind = state.pending.kind;
  if (state.state == RSAN_THREAD_PENDING &&
      (kind == RSAN_KIND_COND_WAIT || kind == RSAN_KIND_SEM_WAIT || kind == RSAN_KIND_JOIN))
    rsan_threads_wake(threads, thread->id);
}

} // namespace __tsan
