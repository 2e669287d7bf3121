// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run is asked for, and what it gives back: between rsan/schedule/dpor.h and explored.h.

#include "exploration/rsan_exploration.h"
#include "sanitizer_common/sanitizer_libc.h"

namespace __tsan {

static void Begin(rsan_explored *run, u32 preemptions) {
  rsan_explored_begin(run);
  run->preemptions = preemptions;
  run->loop = static_cast<u32>(rsan_flags()->explore_loop);
}

void RsanAskFor(rsan_explored *run, const rsan_dpor_node *node, u32 preemptions) {
  Begin(run, preemptions);
  run->prefix = rsan_dpor_prefix(node, run->step);
  if (!run->prefix)
    return;
  run->sleepers = Min<u32>(node->sleep.count, RSAN_DPOR_THREADS);
  for (u32 i = 0; i < run->sleepers; i++)
    run->sleeper[i] = node->sleep.sleeper[i];
}

void RsanAskAgain(rsan_explored *run, const rsan_dpor_step *step, u32 count) {
  Begin(run, RSAN_DPOR_UNBOUNDED);
  run->prefix = count;
  if (step != run->step)
    internal_memcpy(run->step, step, count * sizeof *step);
}

rsan_dpor_trace RsanTraceOf(const rsan_explored &run, rsan_dpor_step *pending) {
  rsan_dpor_trace trace = {run.step, run.count, pending, 0, RSAN_DPOR_ENDED};
  for (u32 number = 0; number < run.names.count; number++)
    if (run.thread[number].pends) {
      rsan_dpor_step *step = &pending[trace.pending_count++];
      *step = {};
      step->thread = number;
      step->op = run.thread[number].pending;
    }
  // (Who assumed what does not hold had come to its end.)
  if (run.given_up && run.given_up != RSAN_GIVEN_UP_ASSUMED)
    trace.end = run.given_up == RSAN_GIVEN_UP_ASLEEP ? RSAN_DPOR_ASLEEP : RSAN_DPOR_CUT;
  return trace;
}

} // namespace __tsan
