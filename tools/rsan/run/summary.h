// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SUMMARY_H
#define SUMMARY_H

#include "runs.h"

// Writes the reports, each once, to reports.jsonl and reports.txt in the plan's folder. False after
// a message.
bool summary_write(const struct run_plan *plan, const struct runs *runs);

// Prints them, in full, to standard output.
void summary_print_reports(const struct run_plan *plan, const struct runs *runs);

// Prints what came of the runs: a line a report, what failed, and the verdict.
void summary_print(const struct run_plan *plan, const struct runs *runs);

#endif
