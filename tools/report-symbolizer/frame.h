// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a report that have to do with symbols: how they are recognised and how they are
// written. Pure functions on text.
//
// A raw frame is what the runtime prints with symbolize=0 (the second form with the
// stack_trace_format that other symbolizing scripts ask for):
//
//     #0 <null> <null> (prog+0x1234) (BuildId: 0123abcd)
//     #0 0x55d0c0de1235 (/path/prog+0x1234)
//
// Whatever stands before the number is kept, colours and the line prefixes of log collectors
// included.

#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// `(module+0xoffset)`, possibly with a build id. Points into the line.
struct place {
  const char *module;
  size_t module_length;
  uint64_t offset;
  const char *build_id; // NULL: none
  size_t build_id_length;
};

struct frame_line {
  const char *text; // from the line's start
  size_t prefix;    // length of what stands before the '#'
  unsigned number;
  size_t body, end; // what follows the number; where the line's own text ends
  bool raw;
  struct place place; // if raw
};

// What a frame that is not raw says: `function file:line:column (module+0xoffset)`.
struct source_text {
  const char *function, *position; // within the line; "<null>": not known
  size_t function_length, position_length;
  bool has_place;
  struct place place;
};

// Is the line a frame, raw or not?
bool frame_parse(const char *line, struct frame_line *frame);

// Takes a frame that is not raw apart. False: it is in a format of its own.
bool source_parse(const struct frame_line *frame, struct source_text *source);

// A raw `SUMMARY: ThreadSanitizer: <type> (/path/prog+0x1234) (BuildId: ...)`. *place_at: where the
// place starts.
bool summary_parse(const char *line, size_t *place_at, struct place *place);

// A raw `Location is global '<null>' at 0x... (prog+0x1234)`. *name_at: where the quoted name
// starts.
bool location_parse(const char *line, size_t *name_at, uint64_t *address, struct place *place);

// The first place in the text, from its parenthesis to *end; NULL: there is none.
const char *place_find(const char *text, const char **end, struct place *place);

bool line_starts_report(const char *line);
bool line_ends_report(const char *line);

// What the runtime does to names and paths before it prints them.
const char *strip_interceptor(const char *function);
const char *strip_prefix(const char *file, const char *prefix);
const char *base_name(const char *path);

// The path as names of places have it (rsan_source_name.h), for free().
char *normal_path(const char *path);

// Is it code of the runtime or of the C++ library, which a summary is not about?
bool frame_is_internal(const char *file, const char *module);

// Does the runtime leave out the last frame of a stack whose last two functions these are (either
// may be NULL)?
bool strips_last(const char *before_last, const char *last);

// Prints the line's prefix. Frames that were not in the input have no colours.
void frame_print_prefix(const struct frame_line *frame, bool with_colours, FILE *out);

// The end of the line: blanks and newline.
const char *line_end(const char *line);

#endif
