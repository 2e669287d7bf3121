// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads reports from files as they come: records, TSan-shaped text, and both between lines of the
// program's own output. What cannot be read is said with file and line, and the rest is read on.

#ifndef READER_H
#define READER_H

#include <stdbool.h>

#include "collection.h"

// FILE "-": standard input. Complaints raise the exit status. False: the file could not be opened.
bool read_reports(struct collection *collection, const char *file);

#endif
