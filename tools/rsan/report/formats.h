// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FORMATS_H
#define FORMATS_H

#include <stdio.h>

#include "collection.h"

typedef void report_writer(const struct collection *collection, FILE *out);

#define REPORT_FORMATS "text|summary|short|json|sarif|junit|html|markdown|github|gitlab"

// What writes reports in the form of that name, one of REPORT_FORMATS; NULL: there is none.
report_writer *report_format_find(const char *name);

#endif
