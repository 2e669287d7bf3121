// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that end a program, with report_failures=1: for each whose option handle_... is on. The
// failure is reported by the thread that has failed, and the process dies by the same signal, as it
// does without RSan: status and core are the same. A program that has a handler of its own gets the
// signal, and the failure is reported if it takes the default action after all.

#include <errno.h>
#include <signal.h>

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_fibers.h"
#include "failures/rsan_failure.h"
#include "failures/rsan_time_limit.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"
#include "sites/rsan_site.h"

namespace __tsan {

static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

static const u64 kReportTime = 20000000000; // ns, at most

static atomic_uint32_t reporting; // the thread that reports; 0: none does

static void OnFailure(int signal, siginfo_t *info, void *context);

static bool IsHandled(int signal) {
  for (const int one : signals)
    if (one == signal)
      return rsan_flags()->report_failures && GetHandleSignalMode(signal) != kHandleSignalNo;
  return false;
}

static void SetAction(int signal, bool handles) {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_NODEFER | (common_flags()->use_sigaltstack ? SA_ONSTACK : 0);
  action.sa_sigaction = OnFailure;
  if (!handles) {
    action.sa_flags = 0;
    action.sa_handler = SIG_DFL;
  }
  internal_sigaction(signal, &action, nullptr);
}

// An access that failed is made again, without us. Any other signal is sent again.
static void DieBy(int signal, const siginfo_t *info) {
  SetAction(signal, false);
  if (info->si_code > 0 && signal != SIGTRAP && signal != SIGABRT)
    return;
  __sanitizer_sigset_t set;
  internal_sigprocmask(SIG_SETMASK, nullptr, &set);
  internal_sigdelset(&set, signal);
  internal_sigprocmask(SIG_SETMASK, &set, nullptr);
  TgKill(internal_getpid(), GetTid(), signal);
}

static StackID StackOf(const SignalContext &context) {
  InternalMmapVector<BufferedStackTrace> room(1);
  BufferedStackTrace *stack = room.data();
  stack->Reset();
  stack->Unwind(StackTrace::GetNextInstructionPc(context.pc), context.bp, context.context,
                common_flags()->fast_unwind_on_fatal);
  for (u32 i = 0; i < stack->size / 2; i++) // the outermost first, as in TSan's stacks
    Swap(stack->trace_buffer[i], stack->trace_buffer[stack->size - 1 - i]);
  return StackDepotPut(*stack);
}

static RsanFailure FailureOf(int signal, const SignalContext &context) {
  RsanFailure failure = {};
  const ThreadState *thr = cur_thread();
  failure.end = "signal";
  failure.signal = signal;
  failure.tid = thr->tctx ? thr->tid : kInvalidTid;
  failure.stack = StackOf(context);
  if (signal == SIGABRT) {
    failure.message = RsanAbortMessage();
    failure.message_tells =
        failure.message && internal_strstr(failure.message, "Assertion `") != nullptr;
    failure.type = failure.message_tells ? "assertion failed" : "abort";
  } else if (context.IsStackOverflow()) {
    failure.type = "stack-overflow";
  } else {
    failure.type = context.Describe();
    failure.has_address = context.is_memory_access && context.is_true_faulting_addr &&
                          static_cast<const siginfo_t *>(context.siginfo)->si_code > 0;
    failure.address = context.addr;
  }
  return failure;
}

static u64 NumberOf(const RsanFailure &failure) {
  const StackTrace stack = StackDepotGet(failure.stack);
  u64 number = RsanNumberOfStacks(stack, StackTrace()) ^ static_cast<u64>(failure.signal);
  for (const char *at = failure.message_tells ? failure.message : ""; *at; at++)
    number = (number ^ static_cast<u8>(*at)) * 0x100000001b3;
  return number;
}

// An execution of `rsan check' notes the failure, and the one that is made again reports it.
static void Report(int signal, const SignalContext &context) {
  const RsanBusy busy;
  const ScopedIgnoreInterceptors ignore;
  const RsanFailure failure = FailureOf(signal, context);
  if (rsan_exploration && !RsanOnFibers())
    RsanNoteFailure(NumberOf(failure), signal);
  if (RsanFindsQuietly() && !RsanOnFibers())
    return;
  const u64 token = RsanPrintFailure(failure);
  if (rsan_exploration)
    rsan_exploration->token = token;
  RsanFinalizeSchedule();
}

static void OnFailure(int signal, siginfo_t *info, void *context) {
  cur_thread_init();
  u32 none = 0;
  if (info->si_code == SI_TIMER && atomic_load_relaxed(&reporting))
    return DieBy(signal, info); // the report does not come to its end
  const u32 me = static_cast<u32>(GetTid());
  if (atomic_compare_exchange_strong(&reporting, &none, me, memory_order_acq_rel)) {
    const int saved_errno = errno;
    RsanEndRunAt(MonotonicNanoTime() + kReportTime, signal);
    Report(signal, SignalContext(info, context));
    errno = saved_errno;
  } else if (none != me) {
    for (;;) // the other thread ends the process
      internal_usleep(100000);
  }
  DieBy(signal, info);
}

// The unwinder initialises itself with the first use, by pthread_once.
void RsanWarmUnwinder() {
  static atomic_uint8_t warm;
  const RsanFlags *flags = rsan_flags();
  if (LIKELY(!flags->report_failures && !flags->time_limit && !flags->time_limit_at) ||
      atomic_exchange(&warm, 1, memory_order_relaxed))
    return;
  InternalMmapVector<BufferedStackTrace> room(1);
  room[0].Reset();
  room[0].Unwind(StackTrace::GetCurrentPc(), GET_CURRENT_FRAME(), nullptr, false);
}

void RsanInitializeFailures() {
  RsanBeginTimeLimit();
  if (!rsan_flags()->report_failures)
    return;
  RsanFindAbortMessage();
  for (const int signal : signals)
    if (IsHandled(signal))
      SetAction(signal, true);
}

// The thread's other stack, for a signal that its own one has no room for. (TSan gives one to the
// first thread alone.)
static __thread void *other_stack __attribute__((tls_model("initial-exec")));
static const uptr kOtherStack = 1 << 16;

void RsanThreadCanFail() {
  stack_t old = {};
  if (LIKELY(!rsan_flags()->report_failures) || !common_flags()->use_sigaltstack ||
      internal_iserror(internal_sigaltstack(nullptr, &old)) || !(old.ss_flags & SS_DISABLE))
    return;
  stack_t own = {};
  own.ss_size = kOtherStack;
  own.ss_sp = other_stack = MmapOrDie(kOtherStack, "stack for signals");
  internal_sigaltstack(&own, nullptr);
}

void RsanThreadCannotFail() {
  if (LIKELY(!other_stack))
    return;
  stack_t old = {}, none = {};
  none.ss_flags = SS_DISABLE;
  internal_sigaltstack(nullptr, &old);
  if (old.ss_sp == other_stack)
    internal_sigaltstack(&none, nullptr);
  UnmapOrDie(other_stack, kOtherStack);
  other_stack = nullptr;
}

void RsanKeepFailureHandler(int signal, void *action) {
  auto *asked = static_cast<struct sigaction *>(action);
  if (asked->sa_handler != SIG_DFL || !IsHandled(signal))
    return;
  asked->sa_sigaction = OnFailure;
  asked->sa_flags |= SA_SIGINFO | SA_NODEFER | (common_flags()->use_sigaltstack ? SA_ONSTACK : 0);
  sigemptyset(&asked->sa_mask);
}

bool RsanIsFailureHandler(const void *handler) {
  return handler == reinterpret_cast<const void *>(&OnFailure);
}

} // namespace __tsan
