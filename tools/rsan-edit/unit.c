// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "built.h"
#include "flags.h"
#include "macro.h"

static unsigned offset_of(CXSourceLocation location, CXFile *file) {
  unsigned offset;
  clang_getExpansionLocation(location, file, NULL, NULL, &offset);
  return offset;
}

static bool read_text(struct unit *unit) {
  FILE *file = fopen(unit->path, "r");
  if (!file)
    return false;
  size_t got;
  char block[65536];
  while ((got = fread(block, 1, sizeof block, file)) > 0) {
    unit->text = realloc(unit->text, unit->size + got + 1);
    if (!unit->text)
      abort();
    memcpy(unit->text + unit->size, block, got);
    unit->size += got;
  }
  bool fine = !ferror(file);
  fclose(file);
  if (!unit->text)
    unit->text = calloc(1, 1);
  unit->text[unit->size] = 0;
  return fine;
}

bool unit_is(const struct unit *unit, size_t token, const char *text) {
  if (token >= unit->count)
    return false;
  const struct token *at = &unit->tokens[token];
  size_t length = at->end - at->begin;
  return strlen(text) == length && memcmp(unit->text + at->begin, text, length) == 0;
}

static bool in_preprocessor_line(const struct unit *unit, unsigned offset) {
  // Back to the first line that no backslash continues.
  size_t begin = offset;
  while (begin > 0 &&
         (unit->text[begin - 1] != '\n' || (begin > 1 && unit->text[begin - 2] == '\\')))
    begin--;
  return unit->text[begin + strspn(unit->text + begin, " \t")] == '#';
}

static void read_tokens(struct unit *unit) {
  CXFile file = clang_getFile(unit->parsed, unit->path);
  CXSourceLocation begin = clang_getLocationForOffset(unit->parsed, file, 0);
  CXSourceLocation end = clang_getLocationForOffset(unit->parsed, file, (unsigned)unit->size);
  CXToken *tokens = NULL;
  unsigned count = 0;
  clang_tokenize(unit->parsed, clang_getRange(begin, end), &tokens, &count);
  unit->tokens = calloc((size_t)count + 1, sizeof *unit->tokens);
  if (!unit->tokens)
    abort();
  for (unsigned i = 0; i < count; i++) {
    CXSourceRange range = clang_getTokenExtent(unit->parsed, tokens[i]);
    CXFile in;
    struct token token = {.begin = offset_of(clang_getRangeStart(range), &in),
                          .end = offset_of(clang_getRangeEnd(range), &in)};
    if (clang_getTokenKind(tokens[i]) != CXToken_Comment &&
        !in_preprocessor_line(unit, token.begin))
      unit->tokens[unit->count++] = token;
  }
  clang_disposeTokens(unit->parsed, tokens, count);
}

size_t unit_token_at(const struct unit *unit, unsigned offset) {
  for (size_t i = 0; i < unit->count; i++)
    if (unit->tokens[i].begin <= offset && offset < unit->tokens[i].end)
      return i;
  return unit->count;
}

bool unit_offset(const struct unit *unit, unsigned line, unsigned column, unsigned *offset) {
  const char *at = unit->text;
  for (unsigned i = 1; at && i < line; i++) {
    at = strchr(at, '\n');
    at = at ? at + 1 : NULL;
  }
  if (!at || strcspn(at, "\n") < column - 1)
    return false;
  *offset = (unsigned)(at - unit->text) + column - 1;
  return true;
}

// A macro whose text has parts of statements in it may turn what looks like one statement into
// something else.
static bool has_control(CXTranslationUnit parsed, CXCursor definition) {
  static const char *const words[] = {"{",      "}",     ";",      "for",     "while",
                                      "if",     "do",    "switch", "else",    "goto",
                                      "return", "break", "case",   "continue"};
  CXToken *tokens = NULL;
  unsigned count = 0;
  bool found = false;
  clang_tokenize(parsed, clang_getCursorExtent(definition), &tokens, &count);
  for (unsigned i = 0; i < count; i++) {
    CXString text = clang_getTokenSpelling(parsed, tokens[i]);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      found |= strcmp(clang_getCString(text), words[w]) == 0;
    clang_disposeString(text);
  }
  clang_disposeTokens(parsed, tokens, count);
  return found;
}

// "memory_order_relaxed" for #define DATA std::memory_order_relaxed; NULL for other macros.
static char *meaning(CXTranslationUnit parsed, CXCursor definition) {
  CXToken *tokens = NULL;
  unsigned count = 0;
  char *text = NULL;
  clang_tokenize(parsed, clang_getCursorExtent(definition), &tokens, &count);
  bool plain = count > 1 && !clang_Cursor_isMacroFunctionLike(definition);
  for (unsigned i = 1; plain && i < count; i++) {
    CXString part = clang_getTokenSpelling(parsed, tokens[i]);
    plain = clang_getTokenKind(tokens[i]) == CXToken_Identifier ||
            strcmp(clang_getCString(part), "::") == 0;
    if (plain && i + 1 == count)
      text = strdup(clang_getCString(part));
    clang_disposeString(part);
  }
  clang_disposeTokens(parsed, tokens, count);
  return text;
}

static void note_macro(struct unit *unit, CXCursor expansion) {
  CXFile file, own = clang_getFile(unit->parsed, unit->path);
  unsigned offset = offset_of(clang_getCursorLocation(expansion), &file);
  if (!clang_File_isEqual(file, own))
    return;
  size_t token = unit_token_at(unit, offset);
  CXCursor definition = clang_getCursorReferenced(expansion);
  if (token == unit->count || clang_Cursor_isMacroBuiltin(expansion))
    return;
  free(unit->tokens[token].means);
  unit->tokens[token].means = meaning(unit->parsed, definition);
  if (clang_Location_isInSystemHeader(clang_getCursorLocation(definition)))
    unit->tokens[token].macro = MACRO_SYSTEM;
  else if (has_control(unit->parsed, definition))
    unit->tokens[token].macro = MACRO_CONTROL;
  else
    unit->tokens[token].macro =
        macro_is_access(unit->parsed, definition) ? MACRO_ACCESS : MACRO_USER;
}

static enum CXChildVisitResult visit_macro(CXCursor cursor, CXCursor parent, CXClientData data) {
  (void)parent;
  if (clang_getCursorKind(cursor) == CXCursor_MacroExpansion)
    note_macro(data, cursor);
  return CXChildVisit_Continue;
}

static void visit_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth,
                            CXClientData data) {
  (void)stack, (void)depth;
  struct unit *unit = data;
  CXString name = clang_getFileName(file);
  const char *text = clang_getCString(name), *base = text ? strrchr(text, '/') : NULL;
  if (base && strcmp(base, "/stdatomic.h") == 0)
    unit->has_c_atomics = !unit->cxx;
  if (base && strcmp(base, "/atomic") == 0)
    unit->has_cxx_atomics = unit->cxx;
  clang_disposeString(name);
}

enum { MAX_INCLUDERS = 8 };

// A file to parse for the unit's, which is that or is included in it.
struct parsed {
  CXTranslationUnit parsed;
  char *path;
  char **arguments;
  int argument_count;
  unsigned errors;
};

static unsigned count_errors(CXTranslationUnit parsed) {
  unsigned errors = parsed ? 0 : UINT_MAX;
  for (unsigned i = 0; parsed && i < clang_getNumDiagnostics(parsed); i++) {
    CXDiagnostic diagnostic = clang_getDiagnostic(parsed, i);
    errors += clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    clang_disposeDiagnostic(diagnostic);
  }
  return errors;
}

static void parse(const struct unit *unit, struct parsed *to) {
  if (to->parsed)
    clang_disposeTranslationUnit(to->parsed);
  to->parsed = clang_parseTranslationUnit(
      unit->index, to->path, (const char *const *)to->arguments, to->argument_count, NULL, 0,
      CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing);
  to->errors = count_errors(to->parsed);
}

static void free_parsed(struct parsed *parsed) {
  if (parsed->parsed)
    clang_disposeTranslationUnit(parsed->parsed);
  flags_free(parsed->arguments, parsed->argument_count);
  free(parsed->path);
}

// A header of either language, or a part of a source with a name that does not tell the language.
static bool may_be_cxx(const char *path) {
  const char *point = strrchr(path, '.');
  return !point || strcmp(point, ".h") == 0 || flags_are_cxx(path, NULL, 0);
}

static void parse_alone(const struct unit *unit, const struct compilation *how, struct parsed *to) {
  *to = (struct parsed){.path = strdup(unit->path)};
  to->arguments = flags_for(unit->path, how->database, how->extra, &to->argument_count);
  parse(unit, to);
  if (to->argument_count == 0 && to->errors && may_be_cxx(unit->path)) {
    to->arguments = flags_cxx(&to->argument_count);
    parse(unit, to);
  }
}

struct inclusion {
  CXFile wanted;
  bool found;
};

static void find_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth,
                           CXClientData data) {
  struct inclusion *inclusion = data;
  (void)stack, (void)depth;
  inclusion->found |= clang_File_isEqual(file, inclusion->wanted);
}

static bool includes(CXTranslationUnit parsed, const char *path) {
  struct inclusion inclusion = {.wanted = parsed ? clang_getFile(parsed, path) : NULL};
  if (inclusion.wanted)
    clang_getInclusions(parsed, find_inclusion, &inclusion);
  return inclusion.found;
}

// Parses SOURCE in place of the file if that has fewer errors.
static void try_includer(const struct unit *unit, const struct compilation *how, const char *source,
                         const char *folder, struct parsed *best) {
  struct parsed next = {.path = strdup(source)};
  next.arguments = flags_in(source, folder, how->database, how->extra, &next.argument_count);
  parse(unit, &next);
  bool better = next.errors < best->errors && includes(next.parsed, unit->path);
  free_parsed(better ? best : &next);
  if (better)
    *best = next;
}

// How the program was built says what is compiled: a header may compile alone, and be another text
// for the compiler than in the source, by macros that are defined there.
static void parse_any(const struct unit *unit, const struct compilation *how, struct parsed *best) {
  const struct includer *includer;
  *best = (struct parsed){.errors = UINT_MAX};
  for (size_t i = 0;
       i < MAX_INCLUDERS && best->errors && (includer = built_includer(how->built, unit->path, i));
       i++)
    try_includer(unit, how, includer->source, includer->folder, best);
  if (!best->errors)
    return;
  struct parsed alone;
  parse_alone(unit, how, &alone);
  bool better = alone.errors <= best->errors;
  free_parsed(better ? best : &alone);
  if (better)
    *best = alone;
  char *source = NULL;
  for (unsigned i = 0; i < MAX_INCLUDERS && best->errors &&
                       (source = flags_source_near(unit->path, how->database, i));
       i++) {
    try_includer(unit, how, source, NULL, best);
    free(source);
  }
}

bool unit_open(struct unit *unit, const char *path, const struct compilation *how, char *reason,
               size_t size) {
  *unit = (struct unit){.path = path};
  if (!read_text(unit)) {
    snprintf(reason, size, "the file cannot be read: %s", strerror(errno));
    return false;
  }
  if (strlen(unit->text) != unit->size) {
    snprintf(reason, size, "it is no text: there is a byte 0 in it");
    return false;
  }
  struct parsed best;
  unit->index = clang_createIndex(0, 0);
  parse_any(unit, how, &best);
  unit->parsed = best.parsed;
  unit->parsed_path = best.path;
  unit->arguments = best.arguments;
  unit->argument_count = best.argument_count;
  if (!unit->parsed) {
    snprintf(reason, size, "libclang cannot parse the file, nor a source that includes it");
    return false;
  }
  CXCursor root = clang_getTranslationUnitCursor(unit->parsed);
  unit->cxx = flags_are_cxx(unit->parsed_path, unit->arguments, unit->argument_count);
  read_tokens(unit);
  clang_visitChildren(root, visit_macro, unit);
  clang_getInclusions(unit->parsed, visit_inclusion, unit);
  return true;
}

void unit_close(struct unit *unit) {
  if (unit->parsed)
    clang_disposeTranslationUnit(unit->parsed);
  if (unit->checked)
    clang_disposeTranslationUnit(unit->checked);
  if (unit->index)
    clang_disposeIndex(unit->index);
  flags_free(unit->arguments, unit->argument_count);
  for (size_t i = 0; i < unit->count; i++)
    free(unit->tokens[i].means);
  free(unit->tokens);
  free(unit->text);
  free(unit->parsed_path);
}

// Parses the file once more; what it includes only the first time.
static bool parse_again(struct unit *unit, const char *text) {
  struct CXUnsavedFile file = {unit->path, text, strlen(text)};
  const unsigned options = CXTranslationUnit_KeepGoing | CXTranslationUnit_PrecompiledPreamble |
                           CXTranslationUnit_CreatePreambleOnFirstParse;
  if (!unit->checked)
    unit->checked = clang_parseTranslationUnit(unit->index, unit->parsed_path,
                                               (const char *const *)unit->arguments,
                                               unit->argument_count, &file, 1, options);
  else if (clang_reparseTranslationUnit(unit->checked, 1, &file, options) != 0) {
    clang_disposeTranslationUnit(unit->checked);
    unit->checked = NULL;
  }
  return unit->checked;
}

unsigned unit_errors(struct unit *unit, const char *text, char *first, size_t size) {
  *first = 0;
  if (!parse_again(unit, text)) {
    snprintf(first, size, "libclang cannot parse the file");
    return UINT_MAX;
  }
  unsigned errors = 0;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit->checked); i++) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit->checked, i);
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
      CXString message = clang_getDiagnosticSpelling(diagnostic);
      if (errors++ == 0)
        snprintf(first, size, "%s", clang_getCString(message));
      clang_disposeString(message);
    }
    clang_disposeDiagnostic(diagnostic);
  }
  return errors;
}
