// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of explore=, line by line.

#include <fcntl.h>
#include <sys/resource.h>

#include "exploration/rsan_explorer.h"
#include "exploration/rsan_graphs.h"
#include "port/rsan_common.h"

namespace __tsan {

// A line, by one write.
#define TELL(e, ...)                                                                               \
  do {                                                                                             \
    InternalScopedString line;                                                                     \
    line.AppendF(__VA_ARGS__);                                                                     \
    RsanWriteOwnFile(&(e)->file, "explore", rsan_flags()->explore, line.data(), line.length());    \
  } while (false)

typedef unsigned long long Number;

static long long BoundOf(const RsanExplorer *e) {
  const u32 bound = e->count.level.preemptions;
  return bound == RSAN_DPOR_UNBOUNDED ? -1ll : bound;
}

static u64 Nanoseconds(const timeval &time) {
  return static_cast<u64>(time.tv_sec) * 1000000000 + static_cast<u64>(time.tv_usec) * 1000;
}

// Processor time of the process and its runs, in ns; and before the exploration.
static u64 cpu_begun;
static u64 CpuTime() {
  rusage own = {}, runs = {};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &runs);
  return Nanoseconds(own.ru_utime) + Nanoseconds(own.ru_stime) + Nanoseconds(runs.ru_utime) +
         Nanoseconds(runs.ru_stime);
}

// (What others have written stays where it is.)
void RsanOpenExplorerFile(RsanExplorer *e) {
  const char *path = rsan_flags()->explore;
  int error;
  if (!RsanOpenOwnFile(&e->file, path, O_CREAT | O_APPEND, &error)) {
    Printf("ThreadSanitizer: explore=%s in RSAN_OPTIONS: the file cannot be written\n",
           Printable(path));
    RsanDieUnstarted();
  }
  cpu_begun = CpuTime();
}

void RsanTellProgress(RsanExplorer *e) {
  const struct rsan_dpor_left left = rsan_dpor_left(&e->dpor);
  TELL(e,
       "progress bound=%lld executions=%llu asleep=%llu left=%llu left-share=%u longest=%llu "
       "findings=%llu cpu=%llu\n",
       BoundOf(e), (Number)e->count.executions, (Number)e->count.given_up[RSAN_GIVEN_UP_ASLEEP],
       (Number)left.prefixes, left.share, (Number)e->count.longest, (Number)e->count.findings,
       (Number)(CpuTime() - cpu_begun));
}

void RsanTellFinding(const RsanExplorer *e, const char *what, u64 number, u64 token, u32 steps,
                     u32 departures, const char *path) {
  TELL(e,
       "finding what=%s number=%llu execution=%llu steps=%u departures=%u preemptions=%lld "
       "token=%016llx schedule=%s\n",
       what, (Number)number, (Number)e->count.executions, steps, departures, BoundOf(e),
       (Number)token, path);
}

void RsanTellFailure(const RsanExplorer *e, const char *what) {
  TELL(e, "failed %s\n", what);
}

void RsanTellParts(const RsanExplorer *e) {
  if (e->round.parts)
    TELL(e, "parts round=%llu count=%u\n", (Number)e->round.number, e->round.parts);
}

void RsanTellGraphs(const RsanExplorer *e, const RsanGraphCounts &counts, u32 turns) {
  TELL(e,
       "graphs turns=%u runs=%llu graphs=%llu weak=%llu turned=%llu endless=%llu failed=%llu "
       "cut=%llu diverged=%llu unmade=%s\n",
       turns, (Number)counts.runs, (Number)counts.graphs, (Number)counts.weak,
       (Number)counts.turned, (Number)counts.endless, (Number)counts.failed, (Number)counts.cut,
       (Number)counts.diverged, counts.unmade ? counts.unmade : "");
}

// What was lost, or came to a bound.
static void TellReasons(RsanExplorer *e) {
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
  const RsanExplored &count = e->count;
  for (u32 i = 1; i < RSAN_GIVEN_UP_COUNT; i++)
    if (count.given_up[i])
      TELL(e, "given-up why=%s executions=%llu\n", reasons[i], (Number)count.given_up[i]);
  for (u32 i = 0; i < kRsanGapCount; i++)
    if (count.gap[i])
      TELL(e, "gap why=%s executions=%llu\n", gaps[i], (Number)count.gap[i]);
}

// `word`: the first one of the line.
static void TellEnd(RsanExplorer *e, const char *word) {
  const RsanExplored &count = e->count;
  TellReasons(e);
  TELL(e,
       "%s bound=%lld loop=%u unroll=%u exhausted=%d cut=%llu whole=%llu departed=%llu "
       "executions=%llu steps=%llu ns=%llu\n",
       word, BoundOf(e), count.level.loop, count.level.unroll, !e->stopped, (Number)e->dpor.cut,
       (Number)count.of_level, (Number)count.departed, (Number)count.executions,
       (Number)count.steps, (Number)count.time);
}

void RsanTellLevel(RsanExplorer *e) {
  TellEnd(e, "level");
}

void RsanTellResult(RsanExplorer *e) {
  RsanTellProgress(e);
  TellEnd(e, "result");
}

} // namespace __tsan
