// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run is asked for.

#include "exploration/rsan_exploration.h"
#include "port/rsan_common.h"

namespace __tsan {

static rsan_level level;

// Are executions judged that differ in the order of fences alone, and alike? (Departures are
// RC20's, and TSan's clocks alone are not asked without the order.)
static bool RsanJudgesFencesAlike() {
  return RsanEngine() && rsan_engine_has_cxx20(RsanEngine()) && !RsanIsWeak();
}

bool RsanFencesMatter(const rsan_level &now, const RsanFenced &fenced) {
  return now.commute &&
         (!RsanJudgesFencesAlike() || (fenced.executions && (fenced.found || fenced.apart)));
}

bool RsanIsFenced(const rsan_explored &run) {
  return (run.fencers & (run.fencers - 1)) != 0;
}

rsan_level RsanAskedLevel() {
  const RsanFlags *flags = rsan_flags();
  return {flags->explore_preemptions < 0 ? RSAN_DPOR_UNBOUNDED
                                         : static_cast<u32>(flags->explore_preemptions),
          static_cast<u32>(flags->explore_loop), static_cast<u32>(flags->explore_unroll),
          RsanJudgesFencesAlike()};
}

void RsanSetLevel(const rsan_level &now) {
  level = now;
}

void RsanCountBounds(const rsan_explored &run, rsan_given_up reason, u64 *turned, u64 *unrolled) {
  if (reason && reason != RSAN_GIVEN_UP_LOOP && reason != RSAN_GIVEN_UP_ASSUMED)
    return;
  *turned += run.stopped;
  *unrolled += run.unrolled;
}

static void SetBounds(rsan_explored *run, u32 preemptions) {
  run->preemptions = preemptions;
  run->loop = level.loop;
  run->unroll = level.unroll;
  run->fences_commute = level.commute != 0;
  run->spurious = static_cast<u32>(rsan_flags()->explore_spurious);
  const u32 departures = static_cast<u32>(rsan_flags()->weak_departures);
  run->departures = departures ? departures : ~0u;
}

void RsanAskFor(rsan_explored *run, const rsan_dpor_node *node) {
  rsan_explored_ask(run, node);
  SetBounds(run, level.preemptions);
}

void RsanAskAgain(rsan_explored *run, const rsan_dpor_step *step, u32 count) {
  rsan_explored_begin(run);
  SetBounds(run, RSAN_DPOR_UNBOUNDED);
  run->prefix = count;
  if (step != run->step)
    internal_memcpy(run->step, step, count * sizeof *step);
}

} // namespace __tsan
