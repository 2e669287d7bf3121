// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With per_test=1: a report that the process has made before is no second one, but its other tests
// are named. One line says so, which costs little.

#ifndef RSAN_AGAIN_H
#define RSAN_AGAIN_H

#include "base/rsan_state.h"

namespace __tsan {

void RsanBeginTestReports(); // another test runs

// What has this key, which is of a pair of stacks, was reported with this token in the test that
// runs.
void RsanNoteReported(u64 key, u64 token);

// That comes about once more: says so, if it was reported in other tests alone.
void RsanNoteAgain(u64 key);
// As RsanNoteAgain, for a key that shares the token with another one that was reported.
void RsanNoteFurther(u64 key, u64 token);

// As RsanNoteAgain, for a data race. Returns whether it was reported. If it was not, its key is
// kept for RsanNoteReportedRace.
bool RsanIsRaceAgain(StackTrace first, StackTrace second);
void RsanNoteReportedRace(u64 token);

} // namespace __tsan

#endif
