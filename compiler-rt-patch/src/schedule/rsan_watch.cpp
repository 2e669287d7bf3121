// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watchdog of scheduled runs. The thread with the token may sleep in a call that nobody
// intercepts, or wait, without any visible operation, for another thread. Then the token is taken
// from it: the thread counts as outside until its next visible operation.
//
// It sleeps if the operating system says so at two looks in a row, with no step in between. It
// waits unseen if it has used a second of processor time without a step. The runtime's own work,
// the symbolizer's above all, is never disturbed, nor are waits for the runtime's own locks, or for
// a thread to end whose end is a step already: other work on the machine may make them long.
//
// The watchdog also ends waits whose time is over while all others are outside, or was over a
// second ago, and gives up a replay whose next thread does not come.

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/rsan_own_code.h"
#include "base/rsan_upcalls.h"
#include "port/rsan_common.h"
#include "rsan/processor/processor.h"
#include "schedule/rsan_os_thread.h"
#include "schedule/rsan_token.h"

// (Its internal_iserror is defined in __sanitizer already.)
namespace rsan_calls {
using namespace __sanitizer;
#include RSAN_SYSTEM_CALLS
// (A macro, for some processors.)
static uptr SystemCall(u64 number, uptr a, uptr b, uptr c, uptr d) {
  return internal_syscall(number, a, b, c, d);
}
} // namespace rsan_calls

namespace __tsan {

static const u32 kRunsUnseen = 100;    // ticks of a hundredth of a second
static const u64 kAwaits = 5000000000; // ns
static const u64 kMoment = 50000000;   // ns
static const u64 kLate = 1000000000;   // ns
static const u64 kSecond = 1000000000; // ns

namespace {

// What was seen at the last look.
struct Look {
  u64 arrivals;
  u32 running;
  bool sleeps;
  u64 ticks; // at the first look at this step
  u64 since; // ns, the same
};

} // namespace

static bool IsGone(int os_id) {
  int error = 0;
  const uptr res =
      rsan_calls::SystemCall(SYSCALL(tgkill), internal_getpid(), static_cast<uptr>(os_id), 0, 0);
  return __sanitizer::internal_iserror(res, &error) && error == ESRCH;
}

// Returns whether the thread may wait for another thread. A wait for the token or for one of the
// runtime's own locks does not count, because it ends without a step of the schedule.
static bool Sleeps(const RsanOsCall &call) {
  return !call.runs && !(call.number == SYSCALL(futex) && RsanIsOwnCode(call.pc));
}

// Wakes all threads that wait to be woken: spurious wake-ups are allowed, except at a barrier.
static void WakeAll() SANITIZER_REQUIRES(rsan_schedule_mutex) {
  rsan_threads *threads = &rsan_schedule_state->schedule.threads;
  for (u32 id = 0; id < threads->count; id++)
    if (threads->thread[id].state == RSAN_THREAD_PENDING &&
        threads->thread[id].pending.until == RSAN_UNTIL_WOKEN &&
        threads->thread[id].pending.kind != RSAN_KIND_BARRIER)
      rsan_threads_wake(threads, id);
}

// Ends waits whose time was over so long ago: another thread may run all the time until they end.
static void EndWaits(u64 late) SANITIZER_REQUIRES(rsan_schedule_mutex) {
  RsanScheduleState *state = rsan_schedule_state;
  rsan_threads *threads = &state->schedule.threads;
  const u64 now = MonotonicNanoTime();
  const u32 count = rsan_threads_impatient(threads);
  for (u32 i = 0; i < count; i++) {
    u32 id = threads->chosen_from[i];
    u64 deadline = state->threads[id]->deadline;
    if (deadline && deadline + late < now)
      rsan_threads_expire(threads, id);
  }
}

// Nobody has the token: ends a wait whose time is over, or finds that a condition holds that no
// operation has shown. True: a deadlock, or the end of an execution of an exploration.
static bool WakeSomebody(Look *look) SANITIZER_REQUIRES(rsan_schedule_mutex) {
  RsanScheduleState *state = rsan_schedule_state;
  rsan_schedule *schedule = &state->schedule;
  const u64 now = MonotonicNanoTime();
  if (now - look->since > kAwaits)
    rsan_schedule_stop_replay(schedule);
  // An exploration has ended the timed waits itself before it awaits anybody. Only loops are left,
  // and another turn would read the same values.
  if (!schedule->explored || !state->awaits_since)
    EndWaits(0);
  schedule->retried = false;
  state->looks += state->awaits_since != 0;
  if (schedule->explored && state->awaits_since && now - state->awaits_since > kMoment) {
    // What may wake a thread has not come, and no step will change that: the execution ends here.
    schedule->explored->stuck = true;
    return true;
  }
  return RsanChooseNext();
}

// False: the thread has just been woken for its turn.
static bool Take() SANITIZER_REQUIRES(rsan_schedule_mutex) {
  RsanScheduleState *state = rsan_schedule_state;
  RsanScheduled *running = state->threads[state->running];
  u32 chosen = kRsanChosen;
  if (running->waits_at &&
      !atomic_compare_exchange_strong(&running->chosen, &chosen, kRsanTaken, memory_order_relaxed))
    return false;
  state->taken++;
  rsan_schedule_leave(&state->schedule, state->running);
  return true;
}

// The thread has ended unseen, by assembly. What it has woken, if anything, is not known.
static void EndRunning() SANITIZER_REQUIRES(rsan_schedule_mutex) {
  RsanScheduleState *state = rsan_schedule_state;
  RsanScheduled *thread = state->threads[state->running];
  thread->dead = true;
  rsan_schedule_end(&state->schedule, thread->id);
  if (thread->detached)
    rsan_threads_release(&state->schedule.threads, thread->id);
  WakeAll();
}

// True: a deadlock.
static bool LookAtRunning(Look *look, int os_id) {
  const RsanOsThread seen = RsanReadOsThread(static_cast<u32>(os_id));
  const bool gone = !seen.known && IsGone(os_id);
  const RsanOsCall call = RsanReadOsCall(static_cast<u32>(os_id));
  const bool sleeps = seen.sleeps && Sleeps(call);
  RsanScheduleLock lock;
  RsanScheduleState *state = rsan_schedule_state;
  if ((!seen.known && !gone) || state->arrivals != look->arrivals ||
      state->running != look->running)
    return false;
  // It has been chosen, and may not have been woken yet; or it is at the runtime's own work.
  const RsanScheduled *running = state->threads[state->running];
  if ((running->waits_at && !call.known) || atomic_load_relaxed(&running->busy) ||
      running->thr->in_symbolizer)
    return false;
  if (gone) {
    EndRunning();
    return RsanChooseNext();
  }
  if (look->ticks == ~0ull)
    look->ticks = seen.ticks;
  const bool again = look->sleeps && sleeps;
  look->sleeps = sleeps;
  // The only thread has nobody to give the token to.
  if (!(again || seen.ticks - look->ticks >= kRunsUnseen) || state->schedule.threads.alive == 1)
    return false;
  return Take() && RsanChooseNext();
}

static bool LookOnce(Look *look) {
  int os_id;
  {
    RsanScheduleLock lock;
    const RsanScheduleState *state = rsan_schedule_state;
    if (state->deadlocked)
      return false; // it is being reported
    EndWaits(kLate);
    if (atomic_exchange(&rsan_lost_wake, 0, memory_order_relaxed))
      WakeAll();
    if (state->arrivals != look->arrivals || state->running != look->running)
      *look = {state->arrivals, state->running, false, ~0ull, MonotonicNanoTime()};
    else if (state->running == RSAN_NO_THREAD)
      return WakeSomebody(look);
    if (state->running == RSAN_NO_THREAD)
      return false;
    os_id = __atomic_load_n(&state->threads[state->running]->os_id, __ATOMIC_ACQUIRE);
  }
  // A thread that was created, and is on its way to its function, has none yet.
  return os_id && LookAtRunning(look, os_id);
}

static void *Watch(void *) {
  cur_thread_init()->ignore_interceptors++;
  RsanNoteOwnThread();
  Look look = {};
  for (;;) {
    internal_usleep(static_cast<u64>(rsan_flags()->yield_ms) * 1000);
    if (LookOnce(&look))
      rsan_upcalls.report_deadlock();
  }
}

bool RsanSleepShortly(atomic_uint32_t *word, u32 value) {
  static const int kWaitPrivate = 128;
  const u64 ns = static_cast<u64>(rsan_flags()->yield_ms) * 1000000;
  const timespec limit = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  int error = 0;
  const uptr res = rsan_calls::SystemCall(SYSCALL(futex), reinterpret_cast<uptr>(word),
                                          kWaitPrivate, value, reinterpret_cast<uptr>(&limit));
  return !__sanitizer::internal_iserror(res, &error) || error != ETIMEDOUT;
}

// By the kernel: there may be no other thread.
void RsanEndRunAt(u64 time, int signal) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  itimerspec at = {};
  at.it_value = {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
  int timer = 0;
  rsan_calls::SystemCall(SYSCALL(timer_create), CLOCK_MONOTONIC, reinterpret_cast<uptr>(&event),
                         reinterpret_cast<uptr>(&timer), 0);
  rsan_calls::SystemCall(SYSCALL(timer_settime), timer, TIMER_ABSTIME, reinterpret_cast<uptr>(&at),
                         0);
}

static atomic_uint8_t watches;

void RsanStartWatch() {
  if (!atomic_exchange(&watches, 1, memory_order_relaxed))
    RsanStartOwnThread(&Watch);
}

void RsanWatchAfterFork() {
  atomic_store_relaxed(&watches, 0);
}

} // namespace __tsan
