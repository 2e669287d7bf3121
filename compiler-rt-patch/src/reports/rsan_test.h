// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test that the process is running, for reports: what rsan_test_begin (include/rsan.h) was
// given, else the test of Rust's harness that the report's stacks are in, else what the environment
// says. With per_test=1 a test's choices and reports do not depend
// on what ran before it (RsanScheduleTest).

#ifndef RSAN_TEST_H
#define RSAN_TEST_H

#include "base/rsan_json.h"

namespace __tsan {

enum { kRsanTestName = 256 }; // bytes with the final null character; longer names are cut off

// False: none is known.
bool RsanRunningTest(char (&name)[kRsanTestName]);

// Lines of a report, and lists of a record: the name, and how to run this test alone. Nothing is
// written if no test is known. Null: the report has no stacks.
void RsanPrintTest(const ReportDesc *report = nullptr);
void RsanPutTest(RsanJson *json, const ReportDesc *report = nullptr);

void RsanPrintTestCount(); // of the statistics

} // namespace __tsan

#endif
