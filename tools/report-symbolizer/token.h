// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The token of a report, as the runtime makes it (docs/guide/FORMATS.md).

#ifndef TOKEN_H
#define TOKEN_H

#include <stdint.h>

#include "symbolizer.h"

// The identity of a place as a line of tokens, for free(). NULL: the source cannot be read; then
// the line of version 1 stands for it. The path must be the whole one.
char *token_identity(const struct source_frame *source);

// The line of a place in tokens of version 1, for free(): of its source, if the file and the line
// are known, else of MODULE and OFFSET. NULL: nothing is known.
char *token_line(const struct source_frame *source, const char *module, uint64_t offset);

// What is read of a text report of a violation: the kinds of its two accesses, and their places.
struct text_token {
  const char *kind; // of the stack that comes next; NULL: of no access
  int places;
  uint64_t hash;
};

void text_token_begin(struct text_token *token);
// Takes a line of the report that is no frame.
void text_token_heading(struct text_token *token, const char *line);
// Takes the place of the stack that came with the last such line, and owns it. NULL: not known.
void text_token_place(struct text_token *token, char *line);

#endif
