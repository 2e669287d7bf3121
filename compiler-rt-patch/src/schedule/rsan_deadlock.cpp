// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a deadlock: no thread can proceed, and none is outside. All threads wait here, so
// their stacks can be read. The process ends with it, as it would go on for ever without.

#include "reports/rsan_place.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "schedule/rsan_token.h"
#include "tsan_report.h"
#include "tsan_symbolize.h"

namespace __tsan {

static void PrintStackOf(const ThreadState *thr) {
  if (!thr || !thr->shadow_stack || thr->shadow_stack_pos == thr->shadow_stack) {
    Printf("    [failed to restore the stack]\n\n");
    return;
  }
  BufferedStackTrace stack;
  stack.Init(thr->shadow_stack, thr->shadow_stack_pos - thr->shadow_stack);
  // The shadow stack has the caller first.
  for (uptr i = 0; i < stack.size / 2; i++)
    Swap(stack.trace_buffer[i], stack.trace_buffer[stack.size - 1 - i]);
  stack.Print();
}

static void PrintWaiting(u32 id) {
  static const char *const kinds[] = {
#define RSAN_TEXT(name, words) words,
      RSAN_KINDS(RSAN_TEXT)
#undef RSAN_TEXT
  };
  const RsanScheduleState *state = rsan_schedule_state;
  const rsan_scheduled &thread = state->schedule.threads.thread[id];
  const RsanScheduled *own = state->threads[id];
  if (thread.state != RSAN_THREAD_PENDING)
    return;
  char name[64];
  if (!own->thr || own->thr->tid == kMainTid)
    internal_snprintf(name, sizeof name, "main thread");
  else
    internal_snprintf(name, sizeof name, "thread T%d", own->thr->tid);
  if (thread.pending.until == RSAN_UNTIL_END) {
    const RsanScheduled *joined = state->threads[thread.pending.object];
    Printf("  %s: %s T%d:\n", name, kinds[thread.pending.kind],
           joined->thr ? static_cast<int>(joined->thr->tid) : -1);
  } else {
    Printf("  %s: %s at %p:\n", name, kinds[thread.pending.kind],
           reinterpret_cast<void *>(thread.pending.object));
  }
  PrintStackOf(own->thr);
}

void RsanReportDeadlock() {
  ScopedIgnoreInterceptors ignore;
  {
    // (Nobody has the token: what is read does not change. A signal handler may still run.)
    Printf("==================\n");
    Printf("WARNING: ThreadSanitizer: deadlock (pid=%d)\n", static_cast<int>(internal_getpid()));
    Printf("  No thread can proceed any more:\n\n");
    const u32 count = rsan_schedule_state->schedule.threads.count;
    for (u32 id = 0; id < count; id++)
      PrintWaiting(id);
    RsanPrintRepeat();
    Printf("SUMMARY: ThreadSanitizer: deadlock\n");
    Printf("==================\n");
  }
  RsanFinalizeSchedule();
  internal__exit(common_flags()->exitcode);
}

} // namespace __tsan
