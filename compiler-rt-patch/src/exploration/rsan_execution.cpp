// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of an exploration, in a child of the explorer.

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/rsan_upcalls.h"
#include "departures/rsan_departures.h"
#include "exploration/rsan_explorer.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

// The C library's fork without what the program has asked for around it.
extern "C" __attribute__((weak)) int _Fork();

namespace __tsan {

static const u64 kSecond = 1000000000;
static const u32 kReportSeconds = 20; // for the report of what takes too long
// A run that was made before, and is to report, may take so long after the end of explore_time=.
static const u64 kReports = 10 * kSecond;

static int Fork() {
  return _Fork ? _Fork() : internal_fork();
}

static void Silence() {
  if (rsan_explorer->null == kInvalidFd)
    return;
  internal_dup2(rsan_explorer->null, 1);
  internal_dup2(rsan_explorer->null, 2);
}

static void LogDepartures(const char *record) {
  char path[kMaxPathLength];
  internal_snprintf(path, sizeof path, "%s.departures", record);
  if (RsanExploresDepartures())
    RsanLogDepartures(path);
}

void RsanForgetDeparturesOf(const char *record) {
  char path[kMaxPathLength];
  internal_snprintf(path, sizeof path, "%s.departures", record);
  if (RsanExploresDepartures())
    internal_unlink(path);
}

void RsanRenameRecord(const char *record, const char *name) {
  char from[kMaxPathLength], to[kMaxPathLength];
  rename(record, name);
  internal_snprintf(from, sizeof from, "%s.departures", record);
  internal_snprintf(to, sizeof to, "%s.departures", name);
  rename(from, to);
}

// A run that blocks outside is ended by the kernel. One that is known to end by explore_timeout=
// and is to report says first what its threads do at that time; if it cannot, it is ended later.
static void EndInTime(const RsanRun &run, bool reports) {
  const RsanFlags *flags = rsan_flags();
  const u64 now = MonotonicNanoTime();
  const u32 seconds = static_cast<u32>(flags->explore_timeout);
  u64 until = seconds ? now + kSecond * seconds : ~0ull;
  bool by_limit = false;
  if (flags->explore_time) {
    u64 limit = rsan_explorer->begun + kSecond * static_cast<u64>(flags->explore_time);
    if (!run.node)
      limit = Max(limit, now + kReports);
    by_limit = limit < until;
    until = Min(until, limit);
  }
  if (until == ~0ull)
    return;
  run.shared->until_limit = by_limit;
  run.shared->until = until;
  if (!reports || by_limit || run.shared->ends != kRsanEndsByTime)
    return RsanEndRunAt(until);
  rsan_upcalls.end_with_report_at(until, seconds);
  RsanEndRunAt(until + kSecond * kReportSeconds);
}

// The child's part: it goes on with the program.
static void Become(const RsanRun &run, const char *record) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rsan_exploration = run.shared;
  RsanNoteGapsIn(run.shared->gap);
  RsanNoteDeparturesIn(&run.shared->departed);
  rsan_exploration_reports = record != nullptr;
  EndInTime(run, record != nullptr);
  rsan_upcalls.stay_on_processor();
  rsan_self->os_id = GetTid();
  RsanForgetGaps();
  RsanFillForThreads(&run.shared->suspects);
  RsanCloseOwnFile(&rsan_explorer->file);
  RsanScheduleLock lock;
  rsan_schedule_state->schedule.explored = &run.shared->run;
  if (record) {
    RsanRecordTo(&rsan_schedule_state->schedule, record, run.shared->ends);
    LogDepartures(record);
  } else {
    rsan_flags()->stats = rsan_flags()->explain = false;
    if (RsanEngine())
      rsan_engine_explain_nothing(RsanEngine());
    Silence();
  }
  internal_close(rsan_explorer->null);
}

bool RsanBeginRun(RsanRun *run, const char *record) {
  RsanExploration *shared = run->shared;
  shared->found_count = shared->stack_words = shared->departed.count = 0;
  if (run->node) // else it is made again, for those that it has
    shared->suspects.count = 0;
  shared->until = 0;
  shared->deadlock = shared->livelock = shared->timeout = false;
  shared->failure = shared->token = 0;
  shared->signal = 0;
  shared->until_limit = shared->unfinished = false;
  internal_memset(shared->gap, 0, sizeof shared->gap);
  rsan_explored_add(&shared->run, rsan_self->id, RSAN_NO_THREAD);
  shared->run.thread[0].pends = false; // it is at the creation of the first thread
  run->child = Fork();
  if (run->child == 0) {
    Become(*run, record);
    return true;
  }
  if (run->child < 0) {
    RsanTellFailure(rsan_explorer, "fork");
    internal__exit(2);
  }
  return false;
}

int RsanAwaitRun(const RsanRun *run) {
  int status = 0;
  while (internal_waitpid(run->child, &status, 0) != static_cast<uptr>(run->child)) {
  }
  const bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && run->shared->until &&
                     MonotonicNanoTime() >= run->shared->until;
  run->shared->timeout = ended && !run->shared->until_limit;
  run->shared->unfinished = ended && run->shared->until_limit;
  return status;
}

void RsanKillRun(const RsanRun *run) {
  kill(run->child, SIGKILL);
  RsanAwaitRun(run);
}

} // namespace __tsan
