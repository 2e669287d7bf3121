// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports.h"

#include <stdatomic.h>
#include <string.h>

int __tsan_get_report_data(void *report, const char **description, int *count, int *stacks,
                           int *accesses, int *locations, int *mutexes, int *threads, int *tids,
                           void **sleep_trace, unsigned long trace_size);
unsigned long __rsan_violation_count(void);
const char *__tsan_default_options(void);
void __tsan_on_report(void *report);

static atomic_ullong violations, races, others;

// Every event is judged by itself, so no report may be taken for one that was there before.
// Two mutexes taken in both orders are nothing that the analysis of a trace speaks about. What
// carries the threads is not instrumented, and synchronises nothing.
const char *__tsan_default_options(void) {
  return "suppress_equal_stacks=0:detect_deadlocks=0:symbolize=0:exitcode=0:unseen_calls=0";
}

void __tsan_on_report(void *report) {
  const char *type = "";
  int count, stacks, accesses, locations, mutexes, threads, tids;
  void *sleep_trace[1];
  __tsan_get_report_data(report, &type, &count, &stacks, &accesses, &locations, &mutexes, &threads,
                         &tids, sleep_trace, 1);
  if (strcmp(type, "robustness-violation") == 0)
    violations++;
  else if (strcmp(type, "data-race") == 0)
    races++;
  else
    others++;
}

struct reports reports_so_far(void) {
  return (struct reports){violations, races, others, __rsan_violation_count()};
}
