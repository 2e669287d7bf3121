// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FORMATS_H
#define FORMATS_H

#include <stdio.h>

#include "collection.h"

typedef void report_writer(const struct collection *collection, FILE *out);

// What writes reports in the form of that name, text, json, sarif, junit or html; NULL: there is
// none.
report_writer *report_format_find(const char *name);

#endif
