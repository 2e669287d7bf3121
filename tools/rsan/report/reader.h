// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads reports from files as they come: records, TSan-shaped text, and both between lines of the
// program's own output. What cannot be read is said with file and line, and the rest is read on.

#ifndef READER_H
#define READER_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "collection.h"

// A text report is cut off after so many lines; a program that prints in the middle of one makes it
// longer.
enum { READER_MAX_LINES = 100000 };

struct reader {
  struct collection *collection;
  const char *file;         // as in messages
  size_t line;              // of the current line
  bool cut_off;             // the line has no end
  size_t reports;           // found in this file
  const char *foreign;      // what else the file seems to be; NULL: anything
  struct text_report *text; // being read; NULL: none
  size_t text_at;           // its first line
  bool at_rule;             // the last line may have been its end
  bool complained;          // of this file
};

// FILE "-": standard input. Complaints raise the exit status.
void read_reports(struct collection *collection, const char *file);

// Takes over a record that began at the line.
void reader_add(struct reader *reader, cJSON *record, size_t line);

// Reads what a text report is made of. `text_begin` takes the line that starts it, `text_line`
// those that follow, `text_end` hands it over, complete or not.
enum text_state {
  TEXT_GOES_ON,
  TEXT_ENDS,    // the summary
  TEXT_MAY_END, // a rule: the end without a summary, or the beginning of the next report
};
struct text_report *text_begin(const char *line);
enum text_state text_line(struct text_report *text, const char *line);
void text_end(struct reader *reader, bool complete);

#endif
