// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test that the process is running, for reports: what rsan_test_begin (include/rsan.h) was
// given, else what the environment says.

#ifndef RSAN_TEST_H
#define RSAN_TEST_H

#include "base/rsan_json.h"

namespace __tsan {

// A line of a report, and a list of a record. Nothing is written if no test is known.
void RsanPrintTest();
void RsanPutTest(RsanJson *json);

} // namespace __tsan

#endif
