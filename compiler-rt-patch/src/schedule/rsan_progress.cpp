// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No scheduled thread can proceed: may something else let one go on? If not, it is a deadlock.
// Looked at are, by asking the kernel,
//
//   signals: the program has installed a handler. Those of faults do not count, as a thread that
//   waits makes none; nor do the runtime's own.
//   threads that are neither scheduled nor the runtime's own, such as those by which the C library
//   notifies of timers and asynchronous input: one may do anything, unless it waits itself, for
//   ever, for a futex of this process, or for the signals of timers that are all disarmed.
//
// What cannot be found out, as without /proc, counts as yes.

#include <sys/syscall.h>
#include <time.h>

#include "base/rsan_upcalls.h"
#include "port/rsan_tsan.h"
#include "rsan/processor/processor.h"
#include "schedule/rsan_os_thread.h"
#include "schedule/rsan_token.h"

// (Its internal_iserror is defined in __sanitizer already.)
namespace rsan_timer_calls {
using namespace __sanitizer;
#include RSAN_SYSTEM_CALLS
// (A macro, for some processors.)
static uptr TimerGettime(int timer, itimerspec *time) {
  return internal_syscall(SYSCALL(timer_gettime), static_cast<uptr>(timer),
                          reinterpret_cast<uptr>(time));
}
} // namespace rsan_timer_calls

namespace __tsan {

// -- signals --

// The C library keeps 32 and 33 for itself; sigaction refuses them.
static bool IsOfLibrary(int signal) {
  return signal == 32 || signal == 33;
}

static bool MayHandleSignal() {
  static const int kSignals = 64;
  for (int signal = 1; signal <= kSignals; signal++) {
    __sanitizer_sigaction action;
    if (RsanIsOfFaults(signal) || IsOfLibrary(signal) ||
        internal_sigaction_norestorer(signal, nullptr, &action))
      continue;
    const void *handler = reinterpret_cast<const void *>(action.handler);
    if (reinterpret_cast<uptr>(handler) > 1 && // SIG_DFL, SIG_IGN
        !rsan_upcalls.is_own_handler(handler))
      return true;
  }
  return false;
}

// -- threads --

// The process too: a child of fork has other threads with the same numbers.
static const u32 kMostOwn = 16;
static struct {
  atomic_uint32_t process, thread;
} own[kMostOwn];
static atomic_uint32_t own_count;

// Those that have been started, and have not said yet who they are. A child of fork has none of its
// parent's.
static struct {
  atomic_uint32_t process, count;
} starting;

void *RsanStartOwnThread(void *(*function)(void *)) {
  const u32 process = static_cast<u32>(internal_getpid());
  if (atomic_exchange(&starting.process, process, memory_order_relaxed) != process)
    atomic_store_relaxed(&starting.count, 0);
  atomic_fetch_add(&starting.count, 1, memory_order_relaxed);
  return internal_start_thread(function, nullptr);
}

// (One that could not be created never comes.)
static void AwaitOwnThreads() {
  static const int kLooks = 10000, kMicroseconds = 100;
  const u32 process = static_cast<u32>(internal_getpid());
  for (int i = 0; i < kLooks; i++) {
    if (atomic_load_relaxed(&starting.process) != process ||
        !atomic_load(&starting.count, memory_order_acquire))
      return;
    internal_usleep(kMicroseconds);
  }
  atomic_store_relaxed(&starting.count, 0);
}

void RsanNoteOwnThread() {
  const u32 i = atomic_fetch_add(&own_count, 1, memory_order_relaxed) % kMostOwn;
  atomic_store_relaxed(&own[i].process, static_cast<u32>(internal_getpid()));
  atomic_store_relaxed(&own[i].thread, static_cast<u32>(GetTid()));
  atomic_fetch_sub(&starting.count, 1, memory_order_release);
}

static bool IsOwn(u32 id) {
  for (const auto &one : own)
    if (atomic_load_relaxed(&one.thread) == id &&
        atomic_load_relaxed(&one.process) == static_cast<u32>(internal_getpid()))
      return true;
  return false;
}

static bool IsScheduled(u32 id) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const RsanScheduleState *state = rsan_schedule_state;
  for (uptr i = 0; i < state->threads.Size(); i++)
    if (static_cast<u32>(__atomic_load_n(&state->threads[i]->os_id, __ATOMIC_RELAXED)) == id)
      return true;
  return false;
}

// "ID: 0\nsignal: ...\n..." for each timer of timer_create.
static bool IsAnyTimerArmed() {
  char text[4096];
  if (!RsanReadKernelText("/proc/self/timers", text, sizeof text) ||
      internal_strlen(text) + 1 == sizeof text)
    return true;
  for (const char *at = text; (at = internal_strstr(at, "ID: ")); at++) {
    if (at != text && at[-1] != '\n')
      continue; // "ClockID: "
    const char *end;
    itimerspec time = {};
    const int timer = static_cast<int>(internal_simple_strtoll(at + 4, &end, 10));
    const uptr res = rsan_timer_calls::TimerGettime(timer, &time);
    if (!internal_iserror(res) && (time.it_value.tv_sec || time.it_value.tv_nsec))
      return true;
  }
  return false;
}

static bool WaitsForEver(u32 id, bool armed) {
  enum { kFutexPrivate = 128, kFutexCommands = 127, kFutexWait = 0, kFutexWaitBitset = 9 };
  const RsanOsCall call = RsanReadOsCall(id);
  if (!call.known)
    return false;
  if (call.number == SYSCALL(rt_sigtimedwait))
    return !armed;
  const u64 command = call.argument[1] & kFutexCommands;
  return call.number == SYSCALL(futex) && call.argument[1] & kFutexPrivate && !call.argument[3] &&
         (command == kFutexWait || command == kFutexWaitBitset);
}

static bool ListThreads(InternalMmapVector<RsanTaskId> *threads) {
  ThreadLister lister(internal_getpid());
  return lister.ListThreads(threads) == ThreadLister::Ok;
}

// Threads that wait for ever may have done something just before, which the watchdog has to look at
// first: it has them listed again.
static bool MayThreadWake() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  static const u32 kLooks = 2;
  InternalMmapVector<RsanTaskId> threads;
  AwaitOwnThreads();
  if (!ListThreads(&threads))
    return true;
  // (First the timers: one that goes off then wakes its thread.)
  const bool armed = IsAnyTimerArmed();
  bool any = false;
  for (RsanTaskId id : threads) {
    if (IsOwn(static_cast<u32>(id)) || IsScheduled(static_cast<u32>(id)))
      continue;
    if (!WaitsForEver(static_cast<u32>(id), armed))
      return true;
    any = true;
  }
  return any && rsan_schedule_state->looks < kLooks;
}

u64 RsanCountAwakened() {
  const RsanScheduleState *state = rsan_schedule_state;
  return state->awakened + (state->awaits_since && !state->deadlocked);
}

bool RsanMayBeWoken() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (RsanOnFibers() ? !RsanHandlesSignals() : !MayHandleSignal() && !MayThreadWake())
    return false;
  if (!rsan_schedule_state->awaits_since)
    rsan_schedule_state->awaits_since = MonotonicNanoTime();
  if (RsanExplores())
    RsanNoteGap(kRsanGap_WOKEN);
  return true;
}

} // namespace __tsan
