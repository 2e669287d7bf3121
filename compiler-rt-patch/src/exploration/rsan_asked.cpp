// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run is asked for.

#include "exploration/rsan_exploration.h"
#include "sanitizer_common/sanitizer_libc.h"

namespace __tsan {

static void SetBounds(rsan_explored *run, u32 preemptions) {
  run->preemptions = preemptions;
  run->loop = static_cast<u32>(rsan_flags()->explore_loop);
  run->spurious = static_cast<u32>(rsan_flags()->explore_spurious);
  const u32 departures = static_cast<u32>(rsan_flags()->weak_departures);
  run->departures = departures ? departures : ~0u;
}

void RsanAskFor(rsan_explored *run, const rsan_dpor_node *node, u32 preemptions) {
  rsan_explored_ask(run, node);
  SetBounds(run, preemptions);
}

void RsanAskAgain(rsan_explored *run, const rsan_dpor_step *step, u32 count) {
  rsan_explored_begin(run);
  SetBounds(run, RSAN_DPOR_UNBOUNDED);
  run->prefix = count;
  if (step != run->step)
    internal_memcpy(run->step, step, count * sizeof *step);
}

} // namespace __tsan
