// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source files that the line tables of a program name, as llvm-dwarfdump prints them. The tools
// need the checksums or the embedded texts of sources, to know whether a file is the one that the
// program was built from; libdw has neither.

#ifndef LINE_TABLE_H
#define LINE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

struct line_file {
  char *name;       // as the table has it
  char *path;       // with its folder; NULL in tables before DWARF 5, which do not tell all folders
  char *md5, *text; // NULL if the table has none
  unsigned folder;
  // In tables of DWARF 5; else NULL. The folder that the compiler ran in, and the path of the
  // source that it compiled, which is the first file of a table.
  const char *compiled_in, *compiled;
};

typedef void line_visitor(const struct line_file *file, void *context);

// Calls VISIT for each file in what llvm-dwarfdump has printed.
void line_table_parse(FILE *dump, line_visitor *visit, void *context);

// Calls VISIT for each file of the program. False, after a message, if the program cannot be read.
bool line_table_read(const char *binary, line_visitor *visit, void *context);

#endif
