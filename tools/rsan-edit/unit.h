// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source file as libclang sees it: text, tokens, the macros used in it and its errors. Places are
// byte offsets into the text, or indices of tokens.

#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include <clang-c/Index.h>

enum token_macro { MACRO_NONE, MACRO_SYSTEM, MACRO_ACCESS, MACRO_USER, MACRO_CONTROL };

struct token {
  unsigned begin, end;
  enum token_macro macro; // of a name: is it a macro's, and is that one access, or statements?
  char *means;            // of a macro that is another name for one name: the last part of that
};

struct unit {
  const char *path;  // absolute
  char *parsed_path; // what is parsed: the file, or a source that includes it
  char *text;
  size_t size;
  struct token *tokens; // without comments and preprocessor lines
  size_t count;
  CXIndex index;
  CXTranslationUnit parsed;
  CXTranslationUnit checked; // with changes
  char **arguments;          // for the compiler
  int argument_count;
  bool cxx;
  bool has_c_atomics;   // <stdatomic.h> in C
  bool has_cxx_atomics; // <atomic>
};

// The sources of information on how a file is compiled.
struct compilation {
  const struct built *built; // which sources include the file
  const char *database;      // folder of compile_commands.json; NULL: one found above the file
  char *const *extra;        // more flags, NULL at their end
};

// Reads PATH and parses it: as it is, or, if it is a header that was compiled as a part of a source
// or does not stand alone, as that source includes it. False with a reason.
bool unit_open(struct unit *unit, const char *path, const struct compilation *how, char *reason,
               size_t size);
void unit_close(struct unit *unit);

bool unit_is(const struct unit *unit, size_t token, const char *text);

// The token that begins at this place, or the one it is in; unit->count if there is none.
size_t unit_token_at(const struct unit *unit, unsigned offset);

// The place of a line and a column, both from 1; false if there is none.
bool unit_offset(const struct unit *unit, unsigned line, unsigned column, unsigned *offset);

// The `{' of the innermost function body or block around the place; unit->count if there is none.
// VALUE: the block is a statement expression, whose last statement is its value. RESULT: the type
// that the function around it returns, "" if it cannot be named.
size_t unit_block(const struct unit *unit, unsigned offset, bool *value, char *result, size_t size);

// Errors of the file if its text were this; the first one's text.
unsigned unit_errors(struct unit *unit, const char *text, char *first, size_t size);

#endif
