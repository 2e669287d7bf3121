// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From raw lines to symbolized ones. A report is held back until its end, for its summary is the
// one line that gives the program's path; everything else passes at once.

#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "sources.h"

// A report that is longer is written in pieces, of which the first do not know the program's path.
enum { REPORT_MAX_LINES = 100000 };

struct rewriter {
  struct sources sources;
  bool in_report;
  char **lines; // held back: of a report, or a stack outside of any
  size_t count, room;
};

void rewriter_line(struct rewriter *rewriter, const char *text, size_t length);

// Writes what is held back. At the end of each input.
void rewriter_flush(struct rewriter *rewriter);

void rewriter_end(struct rewriter *rewriter);

#endif
