// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/rsan_exploring.h"

namespace __tsan {

bool rsan_explores, rsan_on_fibers;
static bool inherited[kRsanGapCount];
static bool *gaps = inherited;

void RsanNoteGap(RsanGap gap) {
  gaps[gap] = true;
}

void RsanNoteGapsIn(bool *of_run) {
  gaps = of_run ? of_run : inherited;
}

bool RsanIsRun() {
  return gaps != inherited;
}

bool RsanInheritsGap(RsanGap gap) {
  return inherited[gap];
}

} // namespace __tsan
