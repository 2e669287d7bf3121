// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SUMMARY_H
#define SUMMARY_H

#include "runs.h"

// Writes the reports, each once, to reports.jsonl and reports.txt in the plan's folder; neither if
// there are none. With `always` reports.jsonl is written without a report as well, if instrumented
// code was in any process: then a file says that there is no report, and no file that nothing was
// checked. False after a message.
bool summary_write(const struct run_plan *plan, const struct runs *runs, bool always);

// Prints them, in full, to standard output.
void summary_print_reports(const struct run_plan *plan, const struct runs *runs);

// Prints what came of the runs: a line a report, what failed, and the verdict.
void summary_print(const struct run_plan *plan, const struct runs *runs);

#endif
