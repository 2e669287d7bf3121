// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much has been reported so far, by the hook that the runtime calls at each report.

#ifndef RSAN_TESTS_RUNTIME_REPLAY_REPORTS_H
#define RSAN_TESTS_RUNTIME_REPLAY_REPORTS_H

#include <stdint.h>

struct reports {
  uint64_t violations, races, others; // reports, by type
  uint64_t counted;                   // violations by the runtime's own count
};

struct reports reports_so_far(void);

#endif
