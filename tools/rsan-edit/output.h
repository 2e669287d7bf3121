// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "edits.h"

// Writes a unified diff, made by diff(1), which names the file PATH. False after a message.
bool output_diff(FILE *to, const char *path, const char *old, const char *changed);

// The text as a YAML scalar between single quotes.
void output_single(FILE *to, const char *text);

// What clang-apply-replacements reads: call for each file, the FIRST and the others, then end it.
void output_yaml(FILE *to, const char *path, const struct edits *edits, bool first);
void output_yaml_end(FILE *to, bool empty);

#endif
