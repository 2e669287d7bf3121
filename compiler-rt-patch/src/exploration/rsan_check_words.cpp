// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rsan_check says: findings, the verdict, and the execution at which the process has ended.

#include <signal.h>

#include "exploration/rsan_check.h"
#include "port/rsan_tsan.h"

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
  if (guarded->scenario && !*rsan_flags()->scenario)
    text->AppendF("scenario=%s:", guarded->scenario->name);
  text->AppendF("execution=%u", guarded->call);
  if (rsan_follows_graphs)
    return text->AppendF(".g%llu-%u", (unsigned long long)RsanGraphsCount()->runs,
                         guarded->graphs.turns);
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

u64 RsanReadGraph(u32 *turns) {
  const char *at = rsan_flags()->execution;
  ReadNumber(&at);
  if (internal_strncmp(at, ".g", 2))
    return 0;
  at += 2;
  const u32 number = ReadNumber(&at);
  if (!number || *at++ != '-')
    RefuseExecution();
  *turns = ReadNumber(&at);
  if (*at)
    RefuseExecution();
  return number;
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

const char *const rsan_gap_texts[] = {
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
static bool PrintLosses(const RsanChecked &checked, const RsanCheckedLevel &level, bool prints) {
  const bool stopped = checked.stopped && &level == &checked.level;
  bool any = stopped || !level.whole || level.cut;
  for (u32 i = 0; i < RSAN_GIVEN_UP_COUNT; i++) {
    if (!IsLoss(i) || !level.given_up[i])
      continue;
    any = true;
    if (prints)
      Printf("  %llu execution%s given up: %s\n", (unsigned long long)level.given_up[i],
             level.given_up[i] == 1 ? " was" : "s were", reasons[i]);
  }
  for (u32 i = 0; i < kRsanGapCount; i++) {
    if (i == kRsanGap_SPURIOUS || i == kRsanGap_CXX20 || !checked.gap[i])
      continue;
    any = true;
    if (prints)
      Printf("  not covered: %s\n", rsan_gap_texts[i]);
  }
  if (prints && level.cut && rsan_flags()->explore_preemptions >= 0)
    Printf("  more executions need more preemptions than explore_preemptions=%d\n",
           rsan_flags()->explore_preemptions);
  if (prints && stopped)
    Printf("  it was stopped by a limit\n");
  else if (prints && !level.whole)
    Printf("  no execution came to its end\n");
  return any;
}

bool RsanIsProved(const RsanChecked &checked) {
  return !checked.findings && !checked.gap[kRsanGap_CXX20] &&
         !PrintLosses(checked, checked.level, false);
}

const char *RsanLossOf(const RsanChecked &checked) {
  const RsanCheckedLevel &level = checked.level;
  if (checked.stopped)
    return "it was stopped by a limit";
  if (level.cut)
    return "a bound of preemptions";
  for (u32 i = 0; i < RSAN_GIVEN_UP_COUNT; i++)
    if (IsLoss(i) && level.given_up[i])
      return reasons[i];
  for (u32 i = 0; i < kRsanGapCount; i++)
    if (i != kRsanGap_SPURIOUS && checked.gap[i])
      return rsan_gap_texts[i];
  return level.whole ? nullptr : "no execution came to its end";
}

// The bounds that have made a difference, with words between them.
static void PrintWithin(const RsanChecked &checked, const RsanCheckedLevel &level) {
  const struct {
    bool is;
    const char *name;
    u32 bound;
  } bounds[] = {{level.turned != 0, "loop", level.bounds.loop},
                {level.unrolled != 0, "unroll", level.bounds.unroll},
                {checked.gap[kRsanGap_SPURIOUS], "spurious",
                 static_cast<u32>(rsan_flags()->explore_spurious)}};
  u32 left = bounds[0].is + bounds[1].is + bounds[2].is;
  const char *word = " within";
  for (const auto &bound : bounds) {
    if (!bound.is)
      continue;
    Printf("%s explore_%s=%u", word, bound.name, bound.bound);
    word = --left == 1 ? " and" : ",";
  }
}

static void PrintProved(const RsanChecked &checked, const RsanCheckedLevel &level) {
  const u64 all = level.whole + level.given_up[RSAN_GIVEN_UP_LOOP];
  Printf("rsan_check: proved");
  PrintWithin(checked, level);
  if (checked.gap[kRsanGap_CXX20])
    Printf(" for RC20's fences");
  Printf(": no finding in %llu execution%s, which are all there are; %llu were made",
         (unsigned long long)all, Plural(all), (unsigned long long)checked.executions);
}

static void PrintGivenUp(const RsanCheckedLevel &level) {
  const u64 assumed = level.given_up[RSAN_GIVEN_UP_ASSUMED];
  if (assumed)
    Printf("  %llu execution%s given up by rsan_assume\n", (unsigned long long)assumed,
           assumed == 1 ? " was" : "s were");
  if (level.turned)
    Printf("  %llu execution%s ended where a thread would turn once more in a loop that reads the "
           "same again\n",
           (unsigned long long)level.turned, Plural(level.turned));
  if (level.unrolled)
    Printf("  %llu execution%s ended where a thread would write once more at the same place\n",
           (unsigned long long)level.unrolled, Plural(level.unrolled));
}

static void PrintStatistics(const RsanCheckedLevel &level) {
  const u64 classes = level.whole + level.given_up[RSAN_GIVEN_UP_LOOP];
  if (rsan_flags()->stats)
    Printf("rsan_check: %llu classes of executions\n", (unsigned long long)classes);
}

int RsanPrintVerdict(const RsanChecked &checked) {
  const u64 made = checked.executions;
  // (If it was stopped, what was explored within smaller bounds is proved all the same.)
  const bool went_on = checked.stopped && checked.has_done;
  const RsanCheckedLevel &level = went_on ? checked.done : checked.level;
  const bool losses = PrintLosses(checked, level, false);
  if (checked.findings)
    Printf("rsan_check: %u finding%s in %llu execution%s", checked.findings,
           Plural(checked.findings), (unsigned long long)made, Plural(made));
  else if (losses)
    Printf("rsan_check: not proved: no finding in %llu execution%s, but they are not all",
           (unsigned long long)made, Plural(made));
  else
    PrintProved(checked, level);
  Printf(" (explore_loop=%d)\n", rsan_flags()->explore_loop);
  PrintGivenUp(level);
  if (checked.gap[kRsanGap_SPURIOUS])
    Printf("  %s (explore_spurious=%d)\n", rsan_gap_texts[kRsanGap_SPURIOUS],
           rsan_flags()->explore_spurious);
  if (checked.gap[kRsanGap_CXX20] && !checked.findings)
    Printf("  %s (docs/internals/FENCES.md)\n", rsan_gap_texts[kRsanGap_CXX20]);
  PrintLosses(checked, level, true);
  if (went_on)
    Printf("  it was stopped by a limit before all was explored within larger bounds\n");
  PrintStatistics(level);
  return checked.findings ? kRsanFound : losses ? kRsanNotProved : kRsanProved;
}

// -- the end of the process --

static void PrintEnd(const char *how) {
  if (guarded->scenario)
    Printf("%s", guarded->scenario->table);
  if (rsan_follows_graphs)
    return RsanPrintGraphFinding(how);
  Printf("rsan_check: execution %llu: %s, after %u steps\n",
         (unsigned long long)guarded->executions + 1, how, rsan_exploration->run.count);
  RsanPrintCommand();
}

void RsanEndsOnFiber(const char *how) {
  PrintEnd(how);
  internal__exit(kRsanFound);
}

void RsanRefuseOnFiber(const char *what) {
  Printf("rsan_check: the test %s, which rsan_check tests may not: give it threads of its own and "
         "use `rsan check'\n",
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

static const u64 kSecond = 1000000000;
static u64 guarded_since;
static atomic_uint8_t time_is_over;

bool RsanTimeIsOver() {
  return atomic_load_relaxed(&time_is_over);
}

// An execution goes on although the time for all of them is over.
[[noreturn]] static void EndByTime() {
  Printf("rsan_check: %s%u finding%s in %llu executions, but they are not all (explore_time=%d)\n"
         "  it was stopped by a limit, in an execution that did not end\n",
         guarded->findings ? "" : "not proved: ", guarded->findings, Plural(guarded->findings),
         (unsigned long long)guarded->executions, rsan_flags()->explore_time);
  internal__exit(guarded->findings ? kRsanFound : kRsanNotProved);
}

// `since`: when the execution began.
static void LookAtTime(u64 now, u64 since) {
  const u64 timeout = static_cast<u64>(rsan_flags()->explore_timeout),
            most = static_cast<u64>(rsan_flags()->explore_time);
  if (timeout && now - since > timeout * kSecond)
    RsanEndsOnFiber("it takes too long");
  const bool is_over = most && RsanOnFibers() && now - guarded_since > most * kSecond;
  atomic_store_relaxed(&time_is_over, is_over);
  if (is_over && now - since > kSecond)
    EndByTime();
}

// A thread of its own: an execution that makes no steps cannot be ended otherwise.
static void *Watch(void *) {
  cur_thread_init()->ignore_interceptors++;
  u64 seen = ~0ull, since = 0;
  for (;;) {
    internal_usleep(100000);
    const u64 now = MonotonicNanoTime();
    const u64 executions =
        RsanOnFibers() ? *const_cast<const volatile u64 *>(&guarded->executions) : ~0ull;
    if (executions != seen || executions == ~0ull)
      since = now;
    seen = executions;
    LookAtTime(now, since);
  }
}

void RsanGuardExecutions(const RsanChecked *checked) {
  static bool watches;
  guarded = checked;
  guarded_since = MonotonicNanoTime();
  atomic_store_relaxed(&time_is_over, 0);
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
