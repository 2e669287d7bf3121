// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs have found: known numbers, and the run that reports a new one.

#include <sys/wait.h>

#include "exploration/rsan_explorer.h"
#include "sanitizer_common/sanitizer_libc.h"

namespace __tsan {

// Numbers of what is seen from outside: below those that are hashes of addresses.
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
static bool Report(RsanExplorer *e, u64 number, const rsan_dpor_trace &trace) {
  char path[kMaxPathLength], name[32];
  e->count.findings++;
  internal_snprintf(path, sizeof path, "%s.%llu", rsan_flags()->explore,
                    (unsigned long long)e->count.findings);
  RsanRun run = {};
  run.shared = e->shared[kRsanMostJobs];
  run.shared->run.names = e->names;
  RsanAskAgain(&run.shared->run, trace.step, trace.count);
  if (RsanBeginRun(&run, path))
    return true;
  RsanAwaitRun(&run);
  RsanTellFinding(e, NameOfFinding(name, sizeof name, number), number, trace.count, path);
  RsanSaveExplorer(e);
  return false;
}

bool RsanLookAtFindings(RsanExplorer *e, const RsanExploration *shared, int status,
                        const rsan_dpor_trace &trace) {
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
  return fresh && Report(e, fresh, trace);
}

} // namespace __tsan
