// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rsan_check says: findings, the verdict, and the execution at which the process has ended.

#include <signal.h>

#include "exploration/rsan_check.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_posix.h"
#include "tsan_flags.h"

namespace __tsan {

static const RsanChecked *guarded; // null: no test runs

// -- an execution as text --

static void AppendSteps(InternalScopedString *text, u32 thread, u32 count) {
  if (count == 1)
    text->AppendF(".%u", thread);
  else if (count)
    text->AppendF(".%ux%u", thread, count);
}

void RsanAppendExecution(InternalScopedString *text) {
  const rsan_explored &run = rsan_exploration->run;
  u32 thread = 0, count = 0;
  text->AppendF("execution=%u", guarded->call);
  for (u32 i = 0; i < run.count; i++) {
    const rsan_dpor_step &step = run.step[i];
    if (step.choices || step.thread != thread) {
      AppendSteps(text, thread, count);
      count = 0;
    }
    thread = step.thread;
    if (step.choices)
      text->AppendF(".c%u-%u", step.choice, step.choices);
    else
      count++;
  }
  AppendSteps(text, thread, count);
}

[[noreturn]] static void RefuseExecution() {
  RsanRefuseOption("execution", rsan_flags()->execution, "RSAN_OPTIONS",
                   "what a finding of rsan_check() says");
  Die();
}

static u32 ReadNumber(const char **at) {
  const char *end = *at;
  const s64 number = IsDigit(*end) ? internal_simple_strtoll(*at, &end, 10) : -1;
  if (number < 0 || number > 0x7fffffff)
    RefuseExecution();
  *at = end;
  return static_cast<u32>(number);
}

static void AddStep(rsan_explored *run, const rsan_dpor_step &step) {
  if (run->prefix + 1 >= RSAN_EXPLORED_STEPS)
    RefuseExecution();
  run->step[run->prefix++] = step;
}

static void ReadSteps(const char **at, rsan_explored *run) {
  rsan_dpor_step step = {};
  if (**at == 'c') {
    ++*at;
    step.choice = ReadNumber(at);
    if (*(*at)++ != '-')
      RefuseExecution();
    step.choices = ReadNumber(at);
    return AddStep(run, step);
  }
  step.thread = ReadNumber(at);
  u32 count = 1;
  if (**at == 'x') {
    ++*at;
    count = ReadNumber(at);
  }
  while (count--)
    AddStep(run, step);
}

u32 RsanReadExecution(rsan_explored *run) {
  const char *at = rsan_flags()->execution;
  if (!at || !*at)
    return 0;
  const u32 call = ReadNumber(&at);
  while (run && *at == '.') {
    at++;
    ReadSteps(&at, run);
  }
  if ((run && *at) || !call)
    RefuseExecution();
  return call;
}

// -- findings and verdict --

void RsanPrintFinding(const RsanChecked &checked, const char *what) {
  Printf("rsan_check: execution %llu: %s, after %u steps\n", (unsigned long long)checked.executions,
         what, rsan_exploration->run.count);
  RsanPrintCommand();
}

static const char *const reasons[] = {"",
#define RSAN_REASON(name, text) text,
                                      RSAN_GIVEN_UP(RSAN_REASON)
#undef RSAN_REASON
};

static const char *const gaps[] = {
#define RSAN_GAP_TEXT(name, text) text,
    RSAN_GAPS(RSAN_GAP_TEXT)
#undef RSAN_GAP_TEXT
};

static bool IsLoss(u32 reason) {
  return reason && reason != RSAN_GIVEN_UP_ASLEEP && reason != RSAN_GIVEN_UP_ASSUMED &&
         reason != RSAN_GIVEN_UP_LOOP;
}

static const char *Plural(u64 count) {
  return count == 1 ? "" : "s";
}

// What makes it less than a proof; false: nothing does.
static bool PrintLosses(const RsanChecked &checked, bool prints) {
  bool any = checked.stopped || !checked.whole || checked.cut;
  for (u32 i = 0; i < RSAN_GIVEN_UP_COUNT; i++) {
    if (!IsLoss(i) || !checked.given_up[i])
      continue;
    any = true;
    if (prints)
      Printf("  %llu execution%s given up: %s\n", (unsigned long long)checked.given_up[i],
             checked.given_up[i] == 1 ? " was" : "s were", reasons[i]);
  }
  for (u32 i = 0; i < kRsanGapCount; i++) {
    if (i == kRsanGap_SPURIOUS || i == kRsanGap_CXX20 || !checked.gap[i])
      continue;
    any = true;
    if (prints)
      Printf("  not covered: %s\n", gaps[i]);
  }
  if (prints && checked.cut && rsan_flags()->explore_preemptions >= 0)
    Printf("  more executions need more preemptions than explore_preemptions=%d\n",
           rsan_flags()->explore_preemptions);
  if (prints && checked.stopped)
    Printf("  it was stopped by a limit\n");
  else if (prints && !checked.whole)
    Printf("  no execution came to its end\n");
  return any;
}

static void PrintProved(const RsanChecked &checked) {
  const u64 bounded = checked.given_up[RSAN_GIVEN_UP_LOOP], all = checked.whole + bounded;
  Printf("rsan_check: proved");
  if (bounded)
    Printf(" within explore_loop=%d", rsan_flags()->explore_loop);
  if (checked.gap[kRsanGap_SPURIOUS])
    Printf(" %s explore_spurious=%d", bounded ? "and" : "within", rsan_flags()->explore_spurious);
  if (checked.gap[kRsanGap_CXX20])
    Printf(" for RC20's fences");
  Printf(": no finding in %llu execution%s, which are all there are; %llu were made",
         (unsigned long long)all, Plural(all), (unsigned long long)checked.executions);
}

static void PrintGivenUp(u64 assumed, u64 bounded) {
  if (assumed)
    Printf("  %llu execution%s given up by rsan_assume\n", (unsigned long long)assumed,
           assumed == 1 ? " was" : "s were");
  if (bounded)
    Printf("  %llu execution%s ended where a thread would turn once more in a loop that reads the "
           "same again\n",
           (unsigned long long)bounded, Plural(bounded));
}

static void PrintStatistics(const RsanChecked &checked) {
  const u64 classes = checked.whole + checked.given_up[RSAN_GIVEN_UP_LOOP];
  if (rsan_flags()->stats)
    Printf("rsan_check: %llu classes of executions\n", (unsigned long long)classes);
}

int RsanPrintVerdict(const RsanChecked &checked) {
  const u64 made = checked.executions;
  const bool losses = PrintLosses(checked, false);
  if (checked.findings)
    Printf("rsan_check: %u finding%s in %llu execution%s", checked.findings,
           Plural(checked.findings), (unsigned long long)made, Plural(made));
  else if (losses)
    Printf("rsan_check: not proved: no finding in %llu execution%s, but they are not all",
           (unsigned long long)made, Plural(made));
  else
    PrintProved(checked);
  Printf(" (explore_loop=%d)\n", rsan_flags()->explore_loop);
  PrintGivenUp(checked.given_up[RSAN_GIVEN_UP_ASSUMED], checked.given_up[RSAN_GIVEN_UP_LOOP]);
  if (checked.gap[kRsanGap_SPURIOUS])
    Printf("  %s (explore_spurious=%d)\n", gaps[kRsanGap_SPURIOUS], rsan_flags()->explore_spurious);
  if (checked.gap[kRsanGap_CXX20] && !checked.findings)
    Printf("  %s (docs/FENCES.md)\n", gaps[kRsanGap_CXX20]);
  PrintLosses(checked, true);
  PrintStatistics(checked);
  return checked.findings ? kRsanFound : losses ? kRsanNotProved : kRsanProved;
}

// -- the end of the process --

static void PrintEnd(const char *how) {
  Printf("rsan_check: execution %llu: %s, after %u steps\n",
         (unsigned long long)guarded->executions + 1, how, rsan_exploration->run.count);
  RsanPrintCommand();
}

void RsanEndsOnFiber(const char *how) {
  PrintEnd(how);
  internal__exit(kRsanFound);
}

void RsanRefuseOnFiber(const char *what) {
  Printf("rsan_check: the test %s, which it cannot: write it with threads of its own, for `rsan "
         "check'\n",
         what);
  internal__exit(kRsanFound);
}

static const int fatal_signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
static struct sigaction old_actions[ARRAY_SIZE(fatal_signals)];

static void RestoreActions() {
  for (uptr i = 0; i < ARRAY_SIZE(fatal_signals); i++)
    internal_sigaction(fatal_signals[i], &old_actions[i], nullptr);
}

static void OnSignal(int number) {
  char how[64];
  RestoreActions();
  internal_snprintf(how, sizeof how, "killed by signal %d", number);
  if (RsanOnFibers()) // not in a child of the test's
    PrintEnd(how);
  TgKill(internal_getpid(), GetTid(), number); // when the handler has returned
}

// A thread of its own: an execution that makes no steps cannot be ended otherwise.
static void *Watch(void *) {
  cur_thread_init()->ignore_interceptors++;
  u64 seen = ~0ull, since = 0;
  for (;;) {
    internal_usleep(100000);
    const u64 now = MonotonicNanoTime(), limit = static_cast<u64>(rsan_flags()->explore_timeout);
    const u64 executions =
        RsanOnFibers() ? *const_cast<const volatile u64 *>(&guarded->executions) : ~0ull;
    if (executions != seen || executions == ~0ull)
      since = now;
    seen = executions;
    if (limit && now - since > limit * 1000000000)
      RsanEndsOnFiber("it takes too long");
  }
}

void RsanGuardExecutions(const RsanChecked *checked) {
  static bool watches;
  guarded = checked;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_ONSTACK;
  for (uptr i = 0; i < ARRAY_SIZE(fatal_signals); i++)
    internal_sigaction(fatal_signals[i], &action, &old_actions[i]);
  if (!watches)
    internal_start_thread(Watch, nullptr);
  watches = true;
}

void RsanUnguardExecutions() {
  RestoreActions();
}

} // namespace __tsan
