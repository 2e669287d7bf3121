// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/rsan_delivery.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/rsan_exploring.h"
#include "base/rsan_own_code.h"
#include "failures/rsan_failure.h"
#include "locations/rsan_image.h"
#include "port/rsan_common.h"
#include "rsan/processor/processor.h"

// (Its internal_iserror is defined in __sanitizer already.)
namespace rsan_delivery_calls {
using namespace __sanitizer;
#include RSAN_SYSTEM_CALLS
// (A macro, for some processors.)
static uptr SystemCall(u64 number, uptr a, uptr b, uptr c, uptr d) {
  return internal_syscall(number, a, b, c, d);
}
} // namespace rsan_delivery_calls

namespace __tsan {

static const int kReminder = SIGURG;
static const long kInterval = 1000000; // ns
static const char reminds = 0;         // its address is what reminders carry

// No lock that the thread may hold is taken here.
static bool IsOfProgram(uptr pc) {
  if (RsanIsOwnCode(pc))
    return false;
  if (RsanIsCodeOfFirstFile(pc))
    return true;
  RsanCodePart part;
  return RsanFindCode(pc, &part) && !part.is_known;
}

// The runtime also calls functions of the program while it holds locks.
static bool CanHandle(const ThreadState *thr, uptr pc) {
  return thr->is_inited && !thr->ignore_interceptors && !thr->in_symbolizer && !thr->nomalloc &&
         !thr->slot_locked && !thr->current_report && !RsanExplores() && IsOfProgram(pc);
}

static bool RemindsItself(const ThreadState *thr) {
  return thr->rsan_own.reminded_process == static_cast<u32>(internal_getpid());
}

void RsanStopReminding(ThreadState *thr) {
  if (RemindsItself(thr))
    rsan_delivery_calls::SystemCall(SYSCALL(timer_delete),
                                    static_cast<uptr>(thr->rsan_own.reminder), 0, 0, 0);
  thr->rsan_own.reminded_process = 0;
}

static void OnReminder(int signal, siginfo_t *info, void *context) {
  RsanIsReminder(cur_thread_init(), signal, info, context);
}

bool RsanIsOwnHandler(const void *handler) {
  return handler == reinterpret_cast<const void *>(&OnReminder) || RsanIsFailureHandler(handler);
}

static void SetReminderHandler(__sanitizer_sigaction *action) {
  action->sigaction = reinterpret_cast<decltype(action->sigaction)>(OnReminder);
  action->sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | SA_ONSTACK;
  internal_sigfillset(&action->sa_mask);
}

static atomic_uint8_t installed;

void RsanKeepOwnHandler(int signal, void *action) {
  auto *asked = static_cast<__sanitizer_sigaction *>(action);
  if (signal == kReminder && atomic_load_relaxed(&installed) &&
      reinterpret_cast<uptr>(asked->handler) <= 1) // SIG_DFL, SIG_IGN: both ignore it
    SetReminderHandler(asked);
  RsanKeepFailureHandler(signal, action);
}

static void InstallHandler() {
  __sanitizer_sigaction action = {};
  if (internal_sigaction_norestorer(kReminder, nullptr, &action) ||
      reinterpret_cast<uptr>(action.handler) > 1)
    return;
  SetReminderHandler(&action);
  internal_sigaction(kReminder, &action, nullptr);
}

static void StartReminding(ThreadState *thr) {
  if (RemindsItself(thr))
    return;
  if (!atomic_exchange(&installed, 1, memory_order_relaxed))
    InstallHandler();
  sigevent event = {};
  itimerspec time = {{0, kInterval}, {0, kInterval}};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kReminder;
  event.sigev_value.sival_ptr = const_cast<char *>(&reminds);
  event._sigev_un._tid = static_cast<int>(GetTid());
  const uptr made = rsan_delivery_calls::SystemCall(
      SYSCALL(timer_create), CLOCK_MONOTONIC, reinterpret_cast<uptr>(&event),
      reinterpret_cast<uptr>(&thr->rsan_own.reminder), 0);
  if (__sanitizer::internal_iserror(made))
    return;
  thr->rsan_own.reminded_process = static_cast<u32>(internal_getpid());
  rsan_delivery_calls::SystemCall(SYSCALL(timer_settime), static_cast<uptr>(thr->rsan_own.reminder),
                                  0, reinterpret_cast<uptr>(&time), 0);
}

void RsanDefersSignal(ThreadState *thr, void *info, void *context) {
  const int saved_errno = errno;
  if (CanHandle(thr, SignalContext(info, context).pc))
    ProcessPendingSignals(thr);
  else if (!RsanExplores() && thr->is_inited)
    StartReminding(thr);
  errno = saved_errno;
}

bool RsanIsReminder(ThreadState *thr, int signal, void *info, void *context) {
  const auto *sent = static_cast<const siginfo_t *>(info);
  if (signal != kReminder || sent->si_code != SI_TIMER || sent->si_value.sival_ptr != &reminds)
    return false;
  if (atomic_load_relaxed(&thr->pending_signals))
    RsanDefersSignal(thr, info, context);
  else
    RsanStopReminding(thr);
  return true;
}

} // namespace __tsan
