// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process whose time is up says what each of its threads does.

#ifndef RSAN_TIME_LIMIT_H
#define RSAN_TIME_LIMIT_H

#include "base/rsan_state.h"

namespace __tsan {

// As time_limit= and time_limit_at= have it; at the start of a process, and of a forked one.
void RsanBeginTimeLimit();
// At that time, in ns of the monotonic clock; the process ends with that report. For an
// execution that `rsan check' makes for its report, and for its replay.
void RsanEndWithReportAt(u64 time, u32 seconds);

} // namespace __tsan

#endif
