// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the time of a process is over, it reports what each of its threads does.

#ifndef RSAN_TIME_LIMIT_H
#define RSAN_TIME_LIMIT_H

#include "base/rsan_state.h"

namespace __tsan {

// Starts the time limit of time_limit= or time_limit_at=. Call this when a process starts, and in
// the child of a fork.
void RsanBeginTimeLimit();
// Reports the threads at `time`, in ns of the monotonic clock, and ends the process. `seconds` is
// the time limit that the report names. Used for the executions that `rsan check' makes to get
// their report, and for the replays of these.
void RsanEndWithReportAt(u64 time, u32 seconds);

} // namespace __tsan

#endif
