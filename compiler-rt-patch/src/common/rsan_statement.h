// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The identity of a place in the source, for tokens (docs/guide/FORMATS.md): one number made of the
// names of the function and of what surrounds it, the statement's text without white space and
// comments, how many equal statements the function has before it, and which call of the statement
// it is. Compilers agree on lines, almost on columns, and not on names; so the source itself is
// read. The runtime and the tools both use this file, so they make the same tokens. C without
// libraries.
//
// This is no parser. It need not find the true functions and statements, but must find the same
// ones each time:
//   1. A statement ends at `;`, a brace, a label's `:`, and behind `if (...)` and its like.
//   2. `#else` and `#elif` begin in the blocks that `#if` stood in.
//   3. A macro's definition is skipped. Compilers place its accesses where it is used.
//   4. Blocks deeper than RSAN_SCAN_BLOCKS have the names of the deepest one that is kept.

#ifndef RSAN_STATEMENT_H
#define RSAN_STATEMENT_H

#include "rsan_source_name.h"

enum { RSAN_SCAN_BLOCKS = 64, RSAN_SCAN_CONDITIONS = 32 };
enum { RSAN_SOURCE_MOST = 16 << 20 }; // bytes of a source file that is read

struct rsan_scan_block {
  uint64_t names;  // of the functions, classes and namespaces that it is in
  unsigned parens; // open where it begins
  int is_code;     // it is a function's body, or in one
};

struct rsan_scan_header {
  uint64_t name;   // the last name outside of parentheses and template arguments
  unsigned angles; // open ones
  int is_closed;   // the name is final: parameters or bases follow
  int is_function; // parameters follow
  int is_first;    // nothing precedes the name, as in TEST(a, b): the parameters tell it apart
  int is_joined;   // the next word belongs to the name
  int is_operator; // 1: `operator` has just been read; 2: it is in the name
  int is_operand;  // the next parentheses are those of an attribute
  int has_class;   // `class` or its like has been read
  int has_comma;   // a comma comes first: behind a member's initialiser
};

struct rsan_scan {
  const char *text, *at, *end;
  unsigned line, column;               // of `at`
  unsigned wanted_line, wanted_column; // the position that is looked for

  // The statement so far:
  uint64_t names, hash; // of what it is in; of its text
  int is_code;          // it is in a function
  unsigned words;       // with punctuation
  unsigned parens;      // open ones in this block
  unsigned calls;       // up to the wanted position
  int is_control;       // `if` or its like begins it
  int is_label;         // `case` or its like begins it
  struct rsan_scan_header header;

  struct rsan_scan_block blocks[RSAN_SCAN_BLOCKS];
  unsigned depth;
  uint64_t function; // names of the last function's body
  unsigned conditions;
  struct {
    unsigned depth, parens;
  } condition[RSAN_SCAN_CONDITIONS];
};

static inline void rsan_scan_skip(struct rsan_scan *scan, size_t count) {
  for (; count && scan->at < scan->end; count--) {
    if (*scan->at++ == '\n')
      scan->line++, scan->column = 0;
    scan->column++;
  }
}

static inline size_t rsan_scan_left(const struct rsan_scan *scan) {
  return (size_t)(scan->end - scan->at);
}

static inline int rsan_scan_has(const struct rsan_scan *scan, const char *text) {
  size_t i = 0;
  while (text[i] && i < rsan_scan_left(scan) && scan->at[i] == text[i])
    i++;
  return !text[i];
}

static inline int rsan_is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline void rsan_scan_skip_to(struct rsan_scan *scan, const char *text) {
  while (scan->at < scan->end && !rsan_scan_has(scan, text))
    rsan_scan_skip(scan, 1);
  for (; *text; text++)
    rsan_scan_skip(scan, 1);
}

// Skips the rest of the line, and the lines that continue it.
static inline void rsan_scan_skip_line(struct rsan_scan *scan) {
  while (scan->at < scan->end && *scan->at != '\n') {
    if (rsan_scan_has(scan, "/*"))
      rsan_scan_skip(scan, 2), rsan_scan_skip_to(scan, "*/");
    else
      rsan_scan_skip(scan, rsan_scan_has(scan, "\\\n") ? 2 : rsan_scan_has(scan, "\\\r\n") ? 3 : 1);
  }
}

// Deviation 2 of the head: the state is saved at `#if`, and restored at `#else`.
static inline void rsan_scan_directive(struct rsan_scan *scan) {
  rsan_scan_skip(scan, 1);
  while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
    rsan_scan_skip(scan, 1);
  unsigned top = scan->conditions;
  if (rsan_scan_has(scan, "if")) {
    if (top < RSAN_SCAN_CONDITIONS)
      scan->condition[top].depth = scan->depth, scan->condition[top].parens = scan->parens;
    scan->conditions++;
  } else if (rsan_scan_has(scan, "el") && top && top <= RSAN_SCAN_CONDITIONS) {
    scan->depth = scan->condition[top - 1].depth;
    scan->parens = scan->condition[top - 1].parens;
  } else if (rsan_scan_has(scan, "endif") && top) {
    scan->conditions--;
  }
  rsan_scan_skip_line(scan);
}

static inline int rsan_scan_begins_line(const struct rsan_scan *scan) {
  const char *at = scan->at;
  while (at > scan->text && (at[-1] == ' ' || at[-1] == '\t'))
    at--;
  return at == scan->text || at[-1] == '\n';
}

static inline int rsan_scan_is_directive(const struct rsan_scan *scan) {
  const char *at = scan->at + 1;
  while (at < scan->end && (*at == ' ' || *at == '\t'))
    at++;
  return *scan->at == '#' && at < scan->end && rsan_is_identifier(*at) &&
         rsan_scan_begins_line(scan);
}

// Skips white space, comments and directives.
static inline void rsan_scan_skip_blank(struct rsan_scan *scan) {
  while (scan->at < scan->end) {
    if (rsan_is_blank(*scan->at) || *scan->at == '\\')
      rsan_scan_skip(scan, 1);
    else if (rsan_scan_has(scan, "//"))
      rsan_scan_skip_line(scan);
    else if (rsan_scan_has(scan, "/*"))
      rsan_scan_skip(scan, 2), rsan_scan_skip_to(scan, "*/");
    else if (rsan_scan_is_directive(scan))
      rsan_scan_directive(scan);
    else
      break;
  }
}

// The length of the literal that begins at the quote AT.
static inline size_t rsan_quoted_length(const char *at, const char *end) {
  const char *start = at++;
  while (at < end && *at != *start && *at != '\n')
    at += *at == '\\' && end - at > 1 ? 2 : 1;
  return (size_t)(at - start) + (at < end);
}

// Returns the length of a raw literal, such as R"x(...)x" or r#"..."#, from its quote on. BEFORE is
// the number of `#` before the quote.
static inline size_t rsan_raw_length(const char *at, const char *end, size_t before) {
  const char *start = at + 1, *stop = start;
  while (!before && stop < end && *stop != '(' && *stop != '\n')
    stop++;
  size_t mark = before ? before : (size_t)(stop - start);
  for (const char *close = stop; close < end; close++) {
    const char *behind = close;
    if (before ? *close != '"' : *close != ')')
      continue;
    size_t same = 0;
    while (same < mark && behind + 1 + same < end &&
           behind[1 + same] == (before ? '#' : start[same]))
      same++;
    if (same == mark && (before || (behind + 1 + same < end && behind[1 + same] == '"')))
      return (size_t)(behind - at) + 1 + mark + !before;
  }
  return (size_t)(end - at);
}

// 'a' is a literal, and 'a in Rust's `&'a T` is none.
static inline int rsan_is_character(const char *at, const char *end) {
  size_t left = (size_t)(end - at), i = 1;
  if (left > 2 && (at[1] == '\\' || at[2] == '\''))
    return 1;
  while (i < left && i < 6 && rsan_is_identifier(at[i]))
    i++;
  return i > 1 && i < left && at[i] == '\'';
}

// The length of a word with the literal that it may be a prefix of: L"a", R"(a)", r#"a"#, 1'000.
static inline size_t rsan_word_length(const struct rsan_scan *scan) {
  const char *at = scan->at, *end = scan->end;
  int is_number = *at >= '0' && *at <= '9';
  while (at < end && (rsan_is_identifier(*at) ||
                      (is_number && *at == '\'' && end - at > 1 && rsan_is_identifier(at[1]))))
    at++;
  size_t length = (size_t)(at - scan->at), marks = 0;
  if (is_number || length > 3)
    return length;
  char last = at[-1];
  while (last == 'r' && at + marks < end && at[marks] == '#')
    marks++;
  if (at + marks < end && at[marks] == '"')
    return length + marks +
           (last == 'R' || marks ? rsan_raw_length(at + marks, end, marks)
                                 : rsan_quoted_length(at, end));
  return at < end && *at == '\'' && rsan_is_character(at, end)
             ? length + rsan_quoted_length(at, end)
             : length;
}

static inline size_t rsan_token_length(const struct rsan_scan *scan) {
  if (rsan_is_identifier(*scan->at))
    return rsan_word_length(scan);
  if (*scan->at == '"' || (*scan->at == '\'' && rsan_is_character(scan->at, scan->end)))
    return rsan_quoted_length(scan->at, scan->end);
  return rsan_scan_has(scan, "::") ? 2 : 1;
}

static inline int rsan_is_word_of(const char *word, size_t length, const char *const *list) {
  for (; *list; list++)
    if (rsan_length_without(word, length, *list) == 0)
      return 1;
  return 0;
}

static inline uint64_t rsan_hash_bytes(uint64_t hash, const char *at, size_t length) {
  for (size_t i = 0; i < length; i++)
    hash = rsan_hash_byte(hash, (unsigned char)at[i]);
  return hash;
}

// A word of what may be the head of a function or class.
static inline void rsan_scan_name(struct rsan_scan *scan, size_t length) {
  static const char *const classes[] = {"class", "struct", "union", "enum", "namespace",
                                        "impl",  "trait",  "mod",   0};
  static const char *const operands[] = {
      "__attribute__", "__declspec", "_Alignas", "alignas",  "asm",    "const",    "decltype",
      "explicit",      "extern",     "final",    "for",      "inline", "noexcept", "override",
      "pub",           "requires",   "static",   "volatile", "where",  0};
  static const char *const operators[] = {"operator", 0};
  struct rsan_scan_header *header = &scan->header;
  header->is_operand = rsan_is_word_of(scan->at, length, operands);
  if (header->is_operand)
    return;
  if (rsan_is_word_of(scan->at, length, classes)) {
    header->has_class = 1;
    header->name = 0;
    return;
  }
  if (!header->is_joined && !header->is_operator) {
    header->is_first = scan->words == 0;
    header->name = RSAN_HASH_START;
  }
  header->name = rsan_hash_bytes(header->name, scan->at, length);
  header->is_joined = 0;
  if (header->is_operator || rsan_is_word_of(scan->at, length, operators))
    header->is_operator++;
}

// Punctuation of such a head.
static inline void rsan_scan_mark(struct rsan_scan *scan, size_t length) {
  struct rsan_scan_header *header = &scan->header;
  char c = *scan->at;
  if (header->is_operator && (c != '(' || header->is_operator == 1)) {
    header->name = rsan_hash_bytes(header->name, scan->at, length);
    header->is_operator = 2;
  } else if (length == 2 || c == '~') { // of names
    if (!header->is_joined && c == '~')
      header->name = RSAN_HASH_START;
    header->name = rsan_hash_bytes(header->name, scan->at, length);
    header->is_joined = 1;
  } else if (c == '(' && header->name && !header->is_operand) {
    header->is_closed = header->is_function = 1;
  } else if (c == ':' || c == '=') {
    header->is_closed = 1;
  } else {
    header->angles += c == '<';
    header->has_comma |= c == ',' && scan->words == 0;
    header->is_joined = 0;
  }
}

// Reads the token of that length as one of the head of a function or class.
static inline void rsan_scan_head(struct rsan_scan *scan, size_t length) {
  struct rsan_scan_header *header = &scan->header;
  char c = *scan->at;
  if (header->is_function && header->is_first && scan->parens) {
    header->is_first = c != ')' || scan->parens > 1;
    header->name = rsan_hash_bytes(header->name, scan->at, length);
  }
  if (header->is_closed || scan->parens)
    return;
  if (header->angles)
    header->angles = header->angles + (c == '<') - (c == '>');
  else if (rsan_is_identifier(c))
    rsan_scan_name(scan, length);
  else
    rsan_scan_mark(scan, length);
}

static inline struct rsan_scan_block *rsan_scan_block(struct rsan_scan *scan) {
  unsigned top = scan->depth < RSAN_SCAN_BLOCKS ? scan->depth : RSAN_SCAN_BLOCKS - 1;
  return &scan->blocks[top];
}

static inline uint64_t rsan_scan_join(uint64_t names, uint64_t name) {
  for (int i = 0; i < 8; i++)
    names = rsan_hash_byte(names, (unsigned char)(name >> (8 * i)));
  return names;
}

// A brace opens a block that the statement so far is the head of.
static inline void rsan_scan_open(struct rsan_scan *scan) {
  const struct rsan_scan_header *header = &scan->header;
  struct rsan_scan_block inner = *rsan_scan_block(scan);
  if (inner.is_code) {
  } else if (header->is_function) {
    inner.names = scan->function = rsan_scan_join(inner.names, header->name);
    inner.is_code = 1;
  } else if (header->has_class) {
    inner.names = rsan_scan_join(inner.names, header->name);
  } else if (scan->function && (scan->words == 0 || header->has_comma)) {
    inner.names = scan->function; // behind the initialiser of a member
    inner.is_code = 1;
  }
  inner.parens = scan->parens;
  scan->parens = 0;
  scan->depth++;
  if (scan->depth < RSAN_SCAN_BLOCKS)
    *rsan_scan_block(scan) = inner;
}

static inline void rsan_scan_close(struct rsan_scan *scan) {
  if (scan->depth == 0)
    return;
  scan->parens = rsan_scan_block(scan)->parens;
  scan->depth--;
}

// Does the token of that length end the statement?
static inline int rsan_scan_ends(const struct rsan_scan *scan, size_t length) {
  static const char *const alone[] = {"else", "do", 0};
  char c = *scan->at;
  if (c == '{' || c == '}')
    return 1;
  if (scan->parens)
    return c == ')' && scan->parens == 1 && scan->is_control;
  if (c == ':' && length == 1)
    return scan->is_label || scan->words == 1;
  return c == ';' || (scan->words == 0 && rsan_is_word_of(scan->at, length, alone));
}

// Is the position beyond the one that is looked for?
static inline int rsan_scan_is_beyond(const struct rsan_scan *scan) {
  return scan->line > scan->wanted_line ||
         (scan->line == scan->wanted_line && scan->column > scan->wanted_column);
}

// Adds the token of that length to the statement, and goes behind it.
static inline void rsan_scan_take(struct rsan_scan *scan, size_t length) {
  static const char *const controls[] = {"if", "while", "for", "switch", "catch", 0};
  static const char *const labels[] = {"case", "default", "public", "private", "protected", 0};
  char c = *scan->at;
  int may_call = rsan_is_identifier(c) && !rsan_scan_is_beyond(scan);
  if (scan->words == 0) {
    scan->is_control = rsan_is_word_of(scan->at, length, controls);
    scan->is_label = rsan_is_word_of(scan->at, length, labels);
  }
  if (!rsan_scan_block(scan)->is_code)
    rsan_scan_head(scan, length);
  scan->hash = rsan_hash_bytes(scan->hash, scan->at, length);
  scan->words++;
  scan->parens = scan->parens + (c == '(') - (c == ')' && scan->parens);
  rsan_scan_skip(scan, length);
  rsan_scan_skip_blank(scan);
  scan->calls += may_call && scan->at < scan->end && *scan->at == '(';
}

// Reads the next statement. False: there is none.
static inline int rsan_scan_statement(struct rsan_scan *scan) {
  static const struct rsan_scan_header none = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  scan->names = rsan_scan_block(scan)->names;
  scan->is_code = rsan_scan_block(scan)->is_code;
  scan->hash = RSAN_HASH_START;
  scan->words = scan->calls = 0;
  scan->is_control = scan->is_label = 0;
  scan->header = none;
  rsan_scan_skip_blank(scan);
  while (scan->at < scan->end) {
    size_t length = rsan_token_length(scan);
    char c = *scan->at;
    int ends = rsan_scan_ends(scan, length);
    if (c == '{')
      rsan_scan_open(scan);
    else if (c == '}')
      rsan_scan_close(scan);
    if (ends && (c == '{' || c == '}' || c == ';'))
      rsan_scan_skip(scan, length); // it is not of the text: `}` may be where `;` was
    else
      rsan_scan_take(scan, length);
    if (ends)
      return 1;
  }
  return 0;
}

static inline void rsan_scan_begin(struct rsan_scan *scan, const char *text, size_t size) {
  scan->text = scan->at = text;
  scan->end = text + size;
  scan->line = scan->column = 1;
  scan->parens = scan->depth = scan->conditions = 0;
  scan->function = 0;
  scan->blocks[0].names = RSAN_HASH_START;
  scan->blocks[0].parens = 0;
  scan->blocks[0].is_code = 0;
}

// Hashes the own name of a function. Needed where a macro defines the function, for then the source
// at the place does not contain it.
static inline uint64_t rsan_hash_own_name(const char *function) {
  size_t length = 0;
  const char *name = function ? rsan_own_name(function, &length) : 0;
  return rsan_hash_bytes(RSAN_HASH_START, name, length);
}

// The identity of the place at LINE and COLUMN (0: the column is not known), both from 1 on, in the
// source TEXT of SIZE bytes. FUNCTION is its name in the debug information, or null; it counts
// where the source has no function, as where a macro defines it. 0: the text has no such line. SCAN
// is room for the work. Takes twice the time to read the text up to there.
static inline uint64_t rsan_identify_place(struct rsan_scan *scan, const char *text, size_t size,
                                           unsigned line, unsigned column, const char *function) {
  scan->wanted_line = line;
  scan->wanted_column = column;
  rsan_scan_begin(scan, text, size);
  do {
    if (!rsan_scan_statement(scan))
      return 0;
  } while (!rsan_scan_is_beyond(scan));
  const char *end = scan->at;
  uint64_t names = scan->names, hash = scan->hash, same = 0, calls = column ? scan->calls : 0;
  uint64_t own = scan->is_code ? 0 : rsan_hash_own_name(function);
  rsan_scan_begin(scan, text, size);
  while (rsan_scan_statement(scan) && scan->at < end)
    same += scan->names == names && scan->hash == hash;
  uint64_t place = rsan_scan_join(rsan_scan_join(names, hash), same << 32 | calls);
  place = rsan_scan_join(place, own);
  return place ? place : 1;
}

#endif
