// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The token: who has it, how it is given away, and how a thread waits for it.

#include "schedule/rsan_schedule.h"

#include "port/rsan_tsan.h"

#include "base/rsan_upcalls.h"
#include "rsan/processor/processor.h"
#include "schedule/rsan_token.h"
#include "sites/rsan_site.h"

namespace __tsan {

bool rsan_schedules;
StaticSpinMutex rsan_schedule_mutex;
RsanScheduleState *rsan_schedule_state;

__thread RsanScheduled *rsan_self;
atomic_uint8_t rsan_lost_wake;
static const int kSpins = 20; // pauses of the processor: about a microsecond

RsanScheduleLock::RsanScheduleLock() SANITIZER_NO_THREAD_SAFETY_ANALYSIS : thread_(rsan_self) {
  if (thread_)
    thread_->inside++;
  rsan_schedule_mutex.Lock();
}

// Wakes the chosen thread only after unlocking, so that it need not wait for the lock.
RsanScheduleLock::~RsanScheduleLock() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  RsanScheduled *woken = rsan_schedule_state ? rsan_schedule_state->woken : nullptr;
  if (woken)
    rsan_schedule_state->woken = nullptr;
  rsan_schedule_mutex.Unlock();
  if (woken && atomic_exchange(&woken->chosen, kRsanChosen, memory_order_acq_rel) == kRsanSleeps)
    FutexWake(&woken->chosen, 1);
  if (thread_)
    thread_->inside--;
}

RsanScheduled *RsanAddScheduled() SANITIZER_REQUIRES(rsan_schedule_mutex) {
  RsanScheduleState *state = rsan_schedule_state;
  u32 id = rsan_schedule_add(&state->schedule, rsan_self ? rsan_self->id : RSAN_NO_THREAD);
  while (state->threads.Size() <= id)
    state->threads.PushBack(nullptr);
  if (!state->threads[id])
    state->threads[id] = New<RsanScheduled>();
  RsanScheduled *thread = state->threads[id];
  internal_memset(thread, 0, __builtin_offsetof(RsanScheduled, points)); // those stay as they are
  thread->id = id;
  return thread;
}

static void Give(RsanScheduled *thread, bool expired) SANITIZER_REQUIRES(rsan_schedule_mutex) {
  thread->expired = expired;
  if (thread != rsan_self)
    rsan_schedule_state->woken = thread;
  else
    atomic_store_relaxed(&thread->chosen, kRsanChosen);
}

static bool IsLivelock(RsanScheduleState *state) {
  return (state->schedule.livelock.bound && !state->deadlocked &&
          rsan_schedule_livelocked(&state->schedule) && !RsanMayBeWoken()) ||
         (UNLIKELY(RsanIsReplay()) && !state->deadlocked && RsanRepeatedLivelock(state->schedule));
}

// Returns whether another thread has woken this one. It has not if the scheduler told the thread to
// try again, or if the thread's time limit has passed.
static bool IsWoken(const rsan_scheduled &thread) {
  return !thread.retries && !thread.expired;
}

bool RsanChooseNext() {
  RsanScheduleState *state = rsan_schedule_state;
  if (UNLIKELY(IsLivelock(state))) {
    state->running = RSAN_NO_THREAD;
    state->deadlocked = state->livelocked = true;
    return true;
  }
  const rsan_choice choice = rsan_schedule_choose(&state->schedule);
  state->running = RSAN_NO_THREAD;
  switch (choice.outcome) {
  case RSAN_CHOSE_RUN:
  case RSAN_CHOSE_EXPIRE:
    state->running = choice.thread;
    if (UNLIKELY(state->awaits_since) && IsWoken(state->schedule.threads.thread[choice.thread])) {
      state->awakened++;
      state->awaits_since = state->looks = 0;
    }
    Give(state->threads[choice.thread], choice.outcome == RSAN_CHOSE_EXPIRE);
    return false;
  case RSAN_CHOSE_GIVE_UP:
    return !rsan_upcalls.goes_on_unexplored() || RsanChooseNext();
  case RSAN_CHOSE_DEADLOCK:
    if (state->deadlocked)
      return false; // only the first one that notices reports it
    state->deadlocked = true;
    return true;
  case RSAN_CHOSE_AWAIT:
  case RSAN_CHOSE_OUTSIDE:
  case RSAN_CHOSE_NOBODY:
    return false;
  }
  UNREACHABLE("missing case");
}

// The token was taken back while a signal handler ran: what the thread waited for has come already.
static void AskAgain(RsanScheduled *me) {
  bool deadlock = false;
  {
    RsanScheduleLock lock;
    RsanScheduleState *state = rsan_schedule_state;
    rsan_pending pending = state->schedule.threads.thread[me->id].pending;
    pending.until = RSAN_UNTIL_NOTHING;
    pending.timed = false;
    state->arrivals++;
    atomic_store_relaxed(&me->chosen, kRsanWaits);
    rsan_schedule_hand_in(&state->schedule, me->id, &pending);
    if (state->running == RSAN_NO_THREAD)
      deadlock = RsanChooseNext();
  }
  if (UNLIKELY(deadlock))
    rsan_upcalls.report_deadlock();
}

static void SleepUntilChosen(RsanScheduled *me) {
  u32 seen = kRsanWaits;
  atomic_compare_exchange_strong(&me->chosen, &seen, kRsanSleeps, memory_order_relaxed);
  while (atomic_load(&me->chosen, memory_order_acquire) == kRsanSleeps)
    if (!RsanExplores())
      FutexWait(&me->chosen, kRsanSleeps);
    else if (!RsanSleepShortly(&me->chosen, kRsanSleeps) && cur_thread()->proc())
      RsanStartWatch(); // somebody has had the token for long (who is at its end cannot: no memory)
}

void RsanWaitForToken(RsanScheduled *me) {
  if (RsanOnFibers())
    return rsan_upcalls.wait_on_fiber(me);
  bool expired = false;
  for (;;) {
    // To be woken costs more than to wait for a turn that comes soon.
    for (int i = 0; i < kSpins && atomic_load_relaxed(&me->chosen) < kRsanChosen; i++)
      rsan_pause();
    SleepUntilChosen(me);
    u32 seen = kRsanChosen;
    if (LIKELY(
            atomic_compare_exchange_strong(&me->chosen, &seen, kRsanWaits, memory_order_acquire)))
      break;
    expired |= me->expired;
    AskAgain(me);
  }
  me->expired |= expired;
  me->waits_at = 0;
  if (LIKELY(!RsanIsReplay()))
    return;
  rsan_difference difference = {};
  {
    RsanScheduleLock lock;
    RsanScheduleState *state = rsan_schedule_state;
    if (state->schedule.difference.kind == RSAN_SAME || state->differs)
      return;
    state->differs = true;
    difference = state->schedule.difference;
  }
  RsanPrintDifference(difference);
}

bool RsanArrive(RsanScheduled *me, const rsan_pending &pending, u64 deadline) {
  bool deadlock = false, awaits = false;
  me->waits_at = reinterpret_cast<uptr>(__builtin_frame_address(0));
  {
    RsanScheduleLock lock;
    RsanScheduleState *state = rsan_schedule_state;
    state->arrivals++;
    me->deadline = deadline;
    atomic_store_relaxed(&me->chosen, kRsanWaits);
    rsan_schedule_hand_in(&state->schedule, me->id, &pending);
    RsanEndCancelledWait(me);
    if (state->running == me->id || state->running == RSAN_NO_THREAD)
      deadlock = RsanChooseNext();
    awaits = state->awaits_since != 0;
  }
  if (UNLIKELY(deadlock))
    rsan_upcalls.report_deadlock();
  if (UNLIKELY(awaits) && !RsanOnFibers())
    RsanStartWatch(); // who is woken unseen may be told by nobody
  RsanWaitForToken(me);
  return !me->expired;
}

// Null: the thread is not scheduled now. A wait, or a call that blocks, which a signal handler has
// left by a jump ends here.
static RsanScheduled *Enter(ThreadState *thr) {
  RsanScheduled *me = rsan_self;
  if (!rsan_schedules || !me || me->inside || thr->in_symbolizer)
    return nullptr;
  if (LIKELY(!me->waits_at))
    return me;
  if (reinterpret_cast<uptr>(__builtin_frame_address(0)) <= me->waits_at)
    return nullptr;
  if (!me->outside)
    RsanWaitForToken(me);
  me->waits_at = 0;
  me->outside = false;
  return me;
}

RsanBusy::RsanBusy() {
  if (rsan_self)
    atomic_fetch_add(&rsan_self->busy, 1, memory_order_relaxed);
}

RsanBusy::~RsanBusy() {
  if (rsan_self)
    atomic_fetch_sub(&rsan_self->busy, 1, memory_order_relaxed);
}

bool RsanIsScheduled(ThreadState *thr) {
  return Enter(thr) != nullptr;
}

// Nobody else can notice what the only thread does. (In an exploration the order is asked for in
// which it does it before others have ended.)
static bool IsAlone(const RsanScheduled *me) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  // (If it is, nobody changes these.)
  const volatile RsanScheduleState *state = rsan_schedule_state;
  return state->schedule.threads.alive == 1 && state->running == me->id &&
         !state->schedule.explored;
}

// A number for the calls that the thread is in, if it is counted how often it writes at one place.
static u64 CallsOf(const ThreadState *thr) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const rsan_explored *explored = rsan_schedule_state->schedule.explored;
  if (LIKELY(!explored || explored->unroll == RSAN_LEVEL_UNROLL_NONE))
    return 0;
  u64 number = 0xcbf29ce484222325;
  for (const uptr *frame = thr->shadow_stack; frame < thr->shadow_stack_pos; frame++)
    number = (number ^ *frame) * 0x100000001b3;
  return number;
}

void RsanSchedulePoint(ThreadState *thr, uptr pc, rsan_kind kind, uptr object, bool writes,
                       uptr also) {
  if (RsanFollowsGraph())
    return rsan_upcalls.point_in_graph(thr, kind, object);
  RsanScheduled *me = Enter(thr);
  if (!me || IsAlone(me))
    return;
  rsan_pending pending = {};
  pending.object = object;
  pending.also = also;
  pending.point = RsanPointOf(me, pc);
  pending.calls = CallsOf(thr);
  pending.kind = kind;
  pending.writes = writes;
  RsanArrive(me, pending, 0);
}

void RsanScheduleYield() {
  RsanSchedulePoint(cur_thread(), 0, RSAN_KIND_YIELD, 0, false);
}

bool RsanScheduleWait(ThreadState *thr, uptr pc, rsan_pending pending, u64 deadline) {
  if (RsanFollowsGraph()) {
    rsan_upcalls.point_in_graph(thr, static_cast<rsan_kind>(pending.kind), pending.object);
    return true;
  }
  RsanScheduled *me = Enter(thr);
  if (!me)
    return true;
  pending.point = RsanPointOf(me, pc);
  pending.calls = CallsOf(thr);
  me->cancellable = RsanIsCancellable(pending.kind);
  const bool in_time = RsanArrive(me, pending, deadline);
  me->cancellable = false;
  return in_time;
}

void RsanScheduleWakeUnseen(uptr object) {
  // (Not if it has interrupted who has the lock.)
  if (!rsan_self || !rsan_self->inside)
    RsanScheduleWake(object, true);
  atomic_store_relaxed(&rsan_lost_wake, 1);
}

template <typename Wake> static u32 WakeBy(const Wake &wake) {
  if (RsanFollowsGraph())
    return 0; // nobody waits by the schedule
  u32 count;
  bool deadlock = false;
  {
    RsanScheduleLock lock;
    RsanScheduleState *state = rsan_schedule_state;
    count = wake(&state->schedule);
    if (count && state->running == RSAN_NO_THREAD)
      deadlock = RsanChooseNext();
  }
  if (UNLIKELY(deadlock))
    rsan_upcalls.report_deadlock();
  return count;
}

u32 RsanScheduleWake(uptr object, bool all) {
  return WakeBy([&](rsan_schedule *s) {
    return (all ? rsan_schedule_wake_all : rsan_schedule_wake_one)(s, object);
  });
}

u32 RsanScheduleWakeMasked(uptr object, u32 mask) {
  return WakeBy([&](rsan_schedule *s) { return rsan_schedule_wake_masked(s, object, mask); });
}

u32 RsanScheduleMove(uptr from, uptr to) {
  RsanScheduleLock lock;
  return rsan_schedule_move_one(&rsan_schedule_state->schedule, from, to);
}

void RsanScheduleLeave(ThreadState *thr) {
  RsanScheduled *me = Enter(thr);
  if (!me)
    return;
  if (RsanExplores()) {
    // It keeps the token, so that what it does takes place at one point of the run.
    RsanNoteGapOfMany(kRsanGap_CALLS);
    return;
  }
  bool deadlock = false;
  {
    RsanScheduleLock lock;
    RsanScheduleState *state = rsan_schedule_state;
    me->waits_at = reinterpret_cast<uptr>(__builtin_frame_address(0));
    me->outside = true;
    if (state->running != me->id)
      return; // the token was taken from it
    rsan_schedule_leave(&state->schedule, me->id);
    deadlock = RsanChooseNext();
  }
  if (UNLIKELY(deadlock))
    rsan_upcalls.report_deadlock();
}

void RsanScheduleReturn(ThreadState *thr) {
  RsanScheduled *me = rsan_self;
  if (!rsan_schedules || !me || !me->outside)
    return; // a signal handler that has interrupted a wait
  me->waits_at = 0;
  me->outside = false;
  rsan_pending pending = {};
  pending.kind = RSAN_KIND_CALL;
  pending.point = RsanPointOf(me, RsanCaller(thr));
  {
    RsanScheduleLock lock;
    rsan_schedule_state->outside++;
  }
  RsanArrive(me, pending, 0);
}

bool RsanIsAlone() {
  return rsan_self && IsAlone(rsan_self);
}

bool RsanIsAnyOutside() {
  RsanScheduleLock lock;
  return rsan_schedule_state->schedule.threads.outside;
}

// The first thread has the token from the beginning.
static void Begin(const rsan_policy_options &options) SANITIZER_REQUIRES(rsan_schedule_mutex) {
  rsan_schedule_state = New<RsanScheduleState>();
  rsan_schedule_init(&rsan_schedule_state->schedule, &options);
  rsan_schedule_state->schedule.may_be_woken = RsanMayBeWoken;
  RsanOpenFiles(&rsan_schedule_state->schedule);
  RsanScheduled *me = RsanAddScheduled();
  me->os_id = GetTid();
  me->thr = cur_thread();
  RsanChooseNext();
  RsanNoteFirstThread();
  rsan_self = me;
}

void RsanInitializeSchedule() {
  if (!internal_strcmp(rsan_flags()->schedule, "delay")) {
    RsanSimulateAlso(kRsanDelays);
  }
  rsan_policy_options options = {};
  if (!RsanReadPolicy(&options))
    return;
  RsanKeepArguments();
  RsanScheduleLock lock;
  rsan_schedules = true;
  RsanSimulateAlso(kRsanScheduled);
  Begin(options);
}

void RsanFinalizeSchedule() {
  if (rsan_flags()->stats && RsanSimulates(kRsanDelays))
    Printf("  %-16s %12llu  pauses of threads at random\n", "schedule_delays", RsanDelays());
  if (!rsan_schedules)
    return;
  RsanScheduleLock lock;
  RsanScheduleState *state = rsan_schedule_state;
  RsanCloseRecord(&state->schedule, true);
  if (!rsan_flags()->stats)
    return;
  Printf("  %-16s %12llu  steps of the schedule\n", "schedule_steps",
         (unsigned long long)state->schedule.steps);
  Printf("  %-16s %12llu  tokens that were taken from threads that slept or ran unseen\n",
         "schedule_taken", (unsigned long long)state->taken);
  Printf("  %-16s %12llu  returns from calls that may block\n", "schedule_outside",
         (unsigned long long)state->outside);
  Printf(
      "  %-16s %12llu  times that nobody could proceed, and what is no step let a thread go on\n",
      "schedule_woken", (unsigned long long)RsanCountAwakened());
  Printf("  %-16s %12llu  times that a thread gave way after many steps\n", "schedule_hurried",
         (unsigned long long)state->schedule.policy.hurried);
}

void RsanScheduleBeforeFork() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (RsanOnFibers())
    RsanNoteGap(kRsanGap_CHILDREN);
  if (rsan_schedules)
    rsan_schedule_mutex.Lock();
  RsanLockSites();
}

void RsanScheduleAfterFork() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  RsanUnlockSites();
  if (rsan_schedules)
    rsan_schedule_mutex.Unlock();
}

// A child of a process with one thread is scheduled anew; another one goes on alone. Neither
// writes into its parent's record.
void RsanScheduleInChild() {
  if (!rsan_schedules)
    return;
  if (RsanOnFibers()) {
    rsan_on_fibers = rsan_explores = rsan_schedules = false;
    return;
  }
  RsanScheduleLock lock;
  rsan_schedule *old = &rsan_schedule_state->schedule;
  RsanCloseRecord(old, false);
  rsan_policy_options options = old->policy.options;
  if (old->explored)
    RsanNoteGap(kRsanGap_CHILDREN);
  old->explored = nullptr;
  rsan_explores = false;
  rsan_fills = 0;
  rsan_schedules = rsan_self && old->threads.alive == 1;
  RsanWatchAfterFork();
  if (rsan_schedules)
    Begin(options);
}

} // namespace __tsan
