// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report in the text form, TSan's own or RSan's, line by line. Lines that are no part of a report
// (the program's output) are passed over.

#ifndef TEXT_REPORT_H
#define TEXT_REPORT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum text_state {
  TEXT_GOES_ON,
  TEXT_ENDS,    // the summary
  TEXT_MAY_END, // a rule: the end without a summary, or the beginning of the next report
};

// Takes the line that starts a report; NULL: it is a warning of the runtime's and no report.
struct text_report *text_begin(const char *line);

// Takes a line that follows.
enum text_state text_line(struct text_report *text, const char *line);

// Returns what has been read as a record, for cJSON_Delete. A report without a stack is cut off.
cJSON *text_end(struct text_report *text, bool *has_stack);

#endif
