// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With per_test=1 a finding is reported in full once. If another test shows it again, one short
// line names that test, which costs less than a second report.

#ifndef RSAN_AGAIN_H
#define RSAN_AGAIN_H

#include "base/rsan_state.h"

namespace __tsan {

void RsanBeginTestReports(); // another test runs

// Notes that the current test reported the pair of stacks with this key, and with which token.
void RsanNoteReported(u64 key, u64 token);

// The pair of stacks came about again. Prints a line if only other tests have reported it.
void RsanNoteAgain(u64 key);
// Like RsanNoteAgain, for a pair of stacks whose token another pair was reported with.
void RsanNoteFurther(u64 key, u64 token);

// Like RsanNoteAgain, for a data race. Returns whether the race was reported before. If it was not,
// keeps its key, and RsanNoteReportedRace notes the key with the token of the report.
bool RsanIsRaceAgain(StackTrace first, StackTrace second);
void RsanNoteReportedRace(u64 token);

} // namespace __tsan

#endif
