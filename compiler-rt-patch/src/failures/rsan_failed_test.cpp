// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test that has failed by what its framework says, such as an assertion that goes on. With
// per_test=1 it is reported like other failures, as it has a seed that repeats it.

#include "common/rsan_source_name.h"
#include "failures/rsan_failure.h"
#include "port/rsan_tsan.h"
#include "reports/rsan_test.h"

using namespace __tsan;

extern "C" SANITIZER_INTERFACE_ATTRIBUTE void __rsan_test_failed(const char *message) {
  char name[kRsanTestName];
  if (!rsan_flags()->per_test || !RsanRunningTest(name))
    return;
  RsanFailure failure = {};
  failure.type = "failed test";
  failure.end = "test";
  failure.message = message && *message ? message : nullptr;
  failure.key = rsan_hash_line(RSAN_HASH_START, name);
  failure.tid = cur_thread()->tid;
  RsanPrintFailure(failure);
}
