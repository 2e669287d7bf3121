// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "macro.h"

#include <string.h>

// More names than this for the same thing are not followed; it also ends circles.
enum { MAX_DEPTH = 8 };

struct body {
  CXTranslationUnit parsed;
  CXToken *tokens;
  unsigned count;
};

static bool is(const struct body *body, unsigned token, const char *text) {
  if (token >= body->count)
    return false;
  CXString spelling = clang_getTokenSpelling(body->parsed, body->tokens[token]);
  bool same = strcmp(clang_getCString(spelling), text) == 0;
  clang_disposeString(spelling);
  return same;
}

static bool is_name(const struct body *body, unsigned token) {
  return token < body->count && clang_getTokenKind(body->tokens[token]) == CXToken_Identifier;
}

static bool contains(const struct body *body, unsigned token, const char *part, bool at_begin) {
  CXString spelling = clang_getTokenSpelling(body->parsed, body->tokens[token]);
  const char *found = strstr(clang_getCString(spelling), part);
  bool fine = found && (!at_begin || found == clang_getCString(spelling));
  clang_disposeString(spelling);
  return fine;
}

static bool is_atomic(const struct body *body, unsigned token) {
  static const char *const prefixes[] = {"atomic_", "__c11_atomic_", "__atomic_", "__sync_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (contains(body, token, prefixes[i], true))
      return true;
  return false;
}

// Behind the parenthesis at OPEN; body->count + 1 if there is a call in it, other than of a macro
// that names an order.
static unsigned behind_group(const struct body *body, unsigned open) {
  unsigned depth = 0;
  for (unsigned i = open; i < body->count; i++) {
    if (is(body, i, "("))
      depth++;
    else if (is(body, i, ")") && --depth == 0)
      return i + 1;
    else if (is_name(body, i) && is(body, i + 1, "(") && !contains(body, i, "memory_order", false))
      break;
    else if (is(body, i, "{")) // a statement expression, a lambda
      break;
  }
  return body->count + 1;
}

struct lookup {
  CXString name;
  CXCursor found;
};

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data) {
  (void)parent;
  struct lookup *lookup = data;
  if (clang_getCursorKind(cursor) == CXCursor_MacroDefinition) {
    CXString name = clang_getCursorSpelling(cursor);
    if (strcmp(clang_getCString(name), clang_getCString(lookup->name)) == 0)
      lookup->found = cursor; // the last one
    clang_disposeString(name);
  }
  return CXChildVisit_Continue;
}

static enum CXChildVisitResult find_name(CXCursor cursor, CXCursor parent, CXClientData data) {
  (void)parent;
  const char **wanted = data;
  if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition)
    return CXChildVisit_Continue;
  CXString name = clang_getCursorSpelling(cursor);
  bool same = strcmp(clang_getCString(name), *wanted) == 0;
  clang_disposeString(name);
  if (same)
    *wanted = NULL;
  return same ? CXChildVisit_Break : CXChildVisit_Continue;
}

bool macro_is_defined(CXTranslationUnit parsed, const char *name) {
  clang_visitChildren(clang_getTranslationUnitCursor(parsed), find_name, &name);
  return !name;
}

static bool is_one_access(CXTranslationUnit parsed, CXCursor definition, unsigned depth);

static bool means_access(const struct body *body, unsigned token, unsigned depth) {
  struct lookup lookup = {.name = clang_getTokenSpelling(body->parsed, body->tokens[token]),
                          .found = clang_getNullCursor()};
  clang_visitChildren(clang_getTranslationUnitCursor(body->parsed), visit, &lookup);
  clang_disposeString(lookup.name);
  return !clang_Cursor_isNull(lookup.found) && is_one_access(body->parsed, lookup.found, depth + 1);
}

static bool body_is_access(const struct body *body, unsigned depth) {
  unsigned at = 1; // behind the macro's name
  if (is(body, at, "("))
    at = behind_group(body, at);
  if (!is_name(body, at) || !(is_atomic(body, at) || means_access(body, at, depth)))
    return false;
  at++;
  if (is(body, at, "##") && is_name(body, at + 1))
    at += 2;
  while (is(body, at, "("))
    at = behind_group(body, at);
  return at == body->count;
}

static bool is_one_access(CXTranslationUnit parsed, CXCursor definition, unsigned depth) {
  struct body body = {.parsed = parsed};
  if (depth > MAX_DEPTH || !clang_Cursor_isMacroFunctionLike(definition))
    return false;
  clang_tokenize(parsed, clang_getCursorExtent(definition), &body.tokens, &body.count);
  bool fine = body_is_access(&body, depth);
  clang_disposeTokens(parsed, body.tokens, body.count);
  return fine;
}

bool macro_is_access(CXTranslationUnit parsed, CXCursor definition) {
  return is_one_access(parsed, definition, 0);
}
