// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The explorer: asks rsan/schedule/dpor.h for the next prefix, forks a child that runs along it,
// and gives its trace back, for a bound of preemptions after another. It writes what it does into
// the file of explore=, line by line; tools/rsan/check/progress.h says what they mean.

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "exploration/rsan_exploration.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_placement_new.h"
#include "schedule/rsan_token.h"
#include "tsan_flags.h"
#include "tsan_mman.h"

// The C library's fork without what the program has asked for around it.
extern "C" __attribute__((weak)) int _Fork();

namespace __tsan {

static const u64 kSecond = 1000000000;
static const u64 kTellsEach = kSecond / 5;

namespace {

struct Explorer {
  rsan_dpor dpor;
  RsanExploration *shared;
  rsan_dpor_step pending[RSAN_DPOR_THREADS];
  fd_t file;
  u32 bound;             // preemptions; RSAN_DPOR_UNBOUNDED
  u64 executions, steps; // of all bounds
  u64 of_bound;          // executions of the newest bound that came to their end
  u64 given_up[RSAN_GIVEN_UP_COUNT], gap[kRsanGapCount];
  u64 longest;
  u64 findings;
  u64 begun, told;
  bool stopped; // by a limit
};

} // namespace

static Explorer *explorer;

// A line of the file, by one write.
#define TELL(...)                                                                                  \
  do {                                                                                             \
    InternalScopedString line;                                                                     \
    line.AppendF(__VA_ARGS__);                                                                     \
    internal_write(explorer->file, line.data(), line.length());                                    \
  } while (false)

static void TellProgress() {
  const Explorer *e = explorer;
  TELL("progress bound=%lld executions=%llu asleep=%llu depth=%u longest=%llu findings=%llu\n",
       e->bound == RSAN_DPOR_UNBOUNDED ? -1ll : (long long)e->bound,
       (unsigned long long)e->executions, (unsigned long long)e->given_up[RSAN_GIVEN_UP_ASLEEP],
       e->shared->run.prefix, (unsigned long long)e->longest, (unsigned long long)e->findings);
}

// -- one execution --

static int Fork() {
  return _Fork ? _Fork() : internal_fork();
}

static void Silence() {
  const fd_t null = OpenFile("/dev/null", RdWr);
  if (null == kInvalidFd)
    return;
  internal_dup2(null, 1);
  internal_dup2(null, 2);
  internal_close(null);
}

// The child's part: it goes on with the program.
static void BecomeRun(const char *record) {
  Explorer *e = explorer;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rsan_exploration = e->shared;
  rsan_exploration_reports = record != nullptr;
  if (rsan_flags()->explore_timeout)
    rsan_exploration_until = MonotonicNanoTime() + kSecond * rsan_flags()->explore_timeout;
  rsan_self->os_id = GetTid();
  RsanForgetGaps();
  if (e->file != kInvalidFd)
    internal_close(e->file);
  RsanScheduleLock lock;
  rsan_schedule_state->schedule.explored = &e->shared->run;
  if (record) {
    RsanRecordTo(&rsan_schedule_state->schedule, record);
  } else {
    rsan_flags()->stats = false;
    Silence();
  }
}

// The status that wait says. In the child it returns -1.
static int Execute(const char *record) {
  RsanExploration *shared = explorer->shared;
  shared->found_count = 0;
  shared->deadlock = shared->livelock = shared->timeout = false;
  internal_memset(shared->gap, 0, sizeof shared->gap);
  const int child = Fork();
  if (child == 0) {
    BecomeRun(record);
    return -1;
  }
  if (child < 0) {
    TELL("failed fork\n");
    internal__exit(2);
  }
  int status = 0;
  while (internal_waitpid(child, &status, 0) != static_cast<uptr>(child)) {
  }
  return status;
}

static void AskFor(const rsan_dpor_node *node) {
  rsan_explored *run = &explorer->shared->run;
  rsan_explored_begin(run);
  run->prefix = rsan_dpor_prefix(node, run->step);
  run->preemptions = explorer->bound;
  run->loop = static_cast<u32>(rsan_flags()->explore_loop);
  if (run->prefix) {
    const rsan_dpor_sleep &sleep = node->sleep;
    run->sleepers = Min<u32>(sleep.count, RSAN_DPOR_THREADS);
    for (u32 i = 0; i < run->sleepers; i++)
      run->sleeper[i] = sleep.sleeper[i];
  }
  rsan_explored_add(run, rsan_self->id, RSAN_NO_THREAD);
  run->thread[0].pends = false; // it is at the creation of the first thread
}

// -- what comes of it --

static rsan_dpor_trace TraceOf(Explorer *e) {
  const rsan_explored &run = e->shared->run;
  rsan_dpor_trace trace = {run.step, run.count, e->pending, 0, RSAN_DPOR_ENDED};
  for (u32 number = 0; number < run.names; number++)
    if (run.thread[number].pends) {
      rsan_dpor_step *step = &e->pending[trace.pending_count++];
      *step = {};
      step->thread = number;
      step->op = run.thread[number].pending;
    }
  if (run.given_up)
    trace.end = run.given_up == RSAN_GIVEN_UP_ASLEEP ? RSAN_DPOR_ASLEEP : RSAN_DPOR_CUT;
  return trace;
}

// Numbers of what is seen from outside: above those of addresses.
static u64 NumberOfEnd(const RsanExploration &shared, int status) {
  if (shared.deadlock)
    return 1;
  if (shared.livelock || shared.run.spins)
    return 2;
  if (shared.timeout)
    return 3;
  if (shared.run.given_up)
    return 0;
  if (WIFSIGNALED(status))
    return 0x1000 + static_cast<u64>(WTERMSIG(status));
  // (66 where reports are what made it so.)
  if (WEXITSTATUS(status) &&
      !(shared.found_count && WEXITSTATUS(status) == common_flags()->exitcode))
    return 0x2000 + static_cast<u64>(WEXITSTATUS(status));
  return 0;
}

static const char *NameOfFinding(char *text, uptr room, u64 number) {
  if (number == 1)
    return "deadlock";
  if (number == 2)
    return "livelock";
  if (number == 3)
    return "timeout";
  if (number >> 12 == 1)
    internal_snprintf(text, room, "signal-%d", static_cast<int>(number & 0xfff));
  else if (number >> 12 == 2)
    internal_snprintf(text, room, "exit-%d", static_cast<int>(number & 0xfff));
  else
    return "report";
  return text;
}

static bool IsKnown(u64 number) {
  for (uptr i = 0; i < rsan_known_findings->Size(); i++)
    if ((*rsan_known_findings)[i].number == number)
      return true;
  return false;
}

// The same execution once more; this one reports. In the child it returns true.
static bool Report(u64 number, const rsan_dpor_trace &trace) {
  Explorer *e = explorer;
  char path[kMaxPathLength], name[32];
  e->findings++;
  internal_snprintf(path, sizeof path, "%s.%llu", rsan_flags()->explore,
                    (unsigned long long)e->findings);
  const u32 steps = trace.count;
  RsanExploration *shared = e->shared;
  const u8 given_up = shared->run.given_up;
  rsan_explored_begin(&shared->run);
  shared->run.prefix = steps;
  shared->run.preemptions = RSAN_DPOR_UNBOUNDED;
  shared->run.loop = static_cast<u32>(rsan_flags()->explore_loop);
  rsan_explored_add(&shared->run, rsan_self->id, RSAN_NO_THREAD);
  shared->run.thread[0].pends = false;
  if (Execute(path) < 0)
    return true;
  TELL("finding what=%s execution=%llu steps=%u preemptions=%lld given_up=%u schedule=%s\n",
       NameOfFinding(name, sizeof name, number), (unsigned long long)e->executions, steps,
       e->bound == RSAN_DPOR_UNBOUNDED ? -1ll : (long long)e->bound, given_up, path);
  return false;
}

static void Count(Explorer *e) {
  const RsanExploration &shared = *e->shared;
  e->executions++;
  e->steps += shared.run.count;
  e->longest = Max<u64>(e->longest, shared.run.count);
  e->given_up[shared.run.given_up]++;
  e->of_bound += !shared.run.given_up;
  for (u32 i = 0; i < kRsanGapCount; i++)
    e->gap[i] += shared.gap[i];
}

// Reports what is new of an execution. In a child it returns true.
static bool LookAtFindings(Explorer *e, int status, const rsan_dpor_trace &trace) {
  RsanExploration *shared = e->shared;
  u64 fresh = 0;
  for (u32 i = 0; i < shared->found_count; i++) {
    if (IsKnown(shared->found[i]))
      continue;
    rsan_known_findings->PushBack({shared->found[i], shared->counts[i]});
    if (shared->counts[i])
      fresh = shared->found[i];
  }
  const u64 end = NumberOfEnd(*shared, status);
  if (end && !IsKnown(end)) {
    rsan_known_findings->PushBack({end, true});
    fresh = end;
  }
  return fresh && Report(fresh, trace);
}

// In a child it returns true.
static bool ExecuteNext(Explorer *e, rsan_dpor_node *node) {
  AskFor(node);
  const int status = Execute(nullptr);
  if (status < 0)
    return true;
  const RsanExploration &shared = *e->shared;
  if (!shared.run.finished && !shared.run.given_up && !shared.run.stuck && !shared.timeout &&
      !WIFSIGNALED(status))
    e->shared->gap[kRsanGap_SILENT] = true;
  Count(e);
  const rsan_dpor_trace trace = TraceOf(e);
  if (!rsan_dpor_executed(&e->dpor, node, &trace) && !shared.run.given_up)
    e->given_up[RSAN_GIVEN_UP_DIVERGED]++;
  return LookAtFindings(e, status, trace);
}

static bool IsOver(Explorer *e) {
  const RsanFlags *flags = rsan_flags();
  const u64 now = MonotonicNanoTime();
  if (now - e->told > kTellsEach) {
    e->told = now;
    TellProgress();
  }
  e->stopped =
      (flags->explore_executions && e->executions >= static_cast<u64>(flags->explore_executions)) ||
      (flags->explore_time && now - e->begun > kSecond * static_cast<u64>(flags->explore_time)) ||
      (flags->explore_first && e->findings);
  return e->stopped;
}

// In a child it returns true.
static bool ExploreBound(Explorer *e) {
  rsan_dpor_clear(&e->dpor);
  rsan_dpor_init(&e->dpor, e->bound);
  while (!IsOver(e)) {
    rsan_dpor_node *node = rsan_dpor_next(&e->dpor);
    if (!node)
      return false;
    if (ExecuteNext(e, node))
      return true;
  }
  return false;
}

static void TellResult(const Explorer *e) {
  static const char *const reasons[] = {"ended",
#define RSAN_REASON(name, text) #name,
                                        RSAN_GIVEN_UP(RSAN_REASON)
#undef RSAN_REASON
  };
  static const char *const gaps[] = {
#define RSAN_GAP_NAME(name, text) #name,
      RSAN_GAPS(RSAN_GAP_NAME)
#undef RSAN_GAP_NAME
  };
  TellProgress();
  for (u32 i = 1; i < RSAN_GIVEN_UP_COUNT; i++)
    if (e->given_up[i])
      TELL("given-up why=%s executions=%llu\n", reasons[i], (unsigned long long)e->given_up[i]);
  for (u32 i = 0; i < kRsanGapCount; i++)
    if (e->gap[i])
      TELL("gap why=%s executions=%llu\n", gaps[i], (unsigned long long)e->gap[i]);
  TELL("result bound=%lld exhausted=%d cut=%llu whole=%llu executions=%llu steps=%llu ns=%llu\n",
       e->bound == RSAN_DPOR_UNBOUNDED ? -1ll : (long long)e->bound, !e->stopped,
       (unsigned long long)e->dpor.cut, (unsigned long long)e->of_bound,
       (unsigned long long)e->executions, (unsigned long long)e->steps,
       (unsigned long long)(MonotonicNanoTime() - e->begun));
}

// What does not belong to the last bound is of no interest in the end.
static void ForgetBound(Explorer *e) {
  e->of_bound = 0;
  internal_memset(e->given_up, 0, sizeof e->given_up);
  internal_memset(e->gap, 0, sizeof e->gap);
}

// In a child it returns true.
static bool ExploreAll(Explorer *e) {
  const u32 most = rsan_flags()->explore_preemptions < 0
                       ? RSAN_DPOR_UNBOUNDED
                       : static_cast<u32>(rsan_flags()->explore_preemptions);
  static const u32 kBounds = 3; // then all of them at once
  for (u32 bound = 0;; bound++) {
    e->bound = bound >= kBounds && most == RSAN_DPOR_UNBOUNDED ? RSAN_DPOR_UNBOUNDED : bound;
    ForgetBound(e);
    if (ExploreBound(e))
      return true;
    if (e->stopped || !e->dpor.cut || e->bound == most)
      return false;
  }
}

static RsanExploration *SharedMemory() {
  const uptr memory = internal_mmap(nullptr, sizeof(RsanExploration), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (internal_iserror(memory)) {
    Printf("ThreadSanitizer: explore: there is no memory to share\n");
    Die();
  }
  return reinterpret_cast<RsanExploration *>(memory);
}

bool RsanExploreFromHere() {
  if (!RsanExplores() || explorer || !rsan_self)
    return RsanExplores();
  explorer = New<Explorer>();
  internal_memset(explorer, 0, sizeof *explorer);
  Explorer *e = explorer;
  e->begun = e->told = MonotonicNanoTime();
  error_t error = 0;
  e->file = OpenFile(rsan_flags()->explore, WrOnly, &error);
  if (e->file == kInvalidFd) {
    Printf("ThreadSanitizer: explore=%s in RSAN_OPTIONS: the file cannot be written\n",
           rsan_flags()->explore);
    Die();
  }
  rsan_known_findings = New<Vector<RsanKnownFinding>>();
  e->shared = SharedMemory();
  fflush(nullptr);
  if (ExploreAll(e))
    return true;
  TellResult(e);
  internal__exit(0);
}

} // namespace __tsan
