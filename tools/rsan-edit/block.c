// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block around a place, by libclang's cursors: what tells a lambda's body from an initialiser's
// braces.

#include <stdio.h>
#include <string.h>

#include "unit.h"

struct search {
  const struct unit *unit;
  CXFile file;
  unsigned offset;
  CXCursor block, block_parent, function;
  bool found;
};

static bool is_own(const struct search *search, CXCursor cursor) {
  CXFile file;
  clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
  return file && clang_File_isEqual(file, search->file);
}

// A block in a macro's text does not begin with a brace here.
static bool covers(const struct search *search, CXCursor cursor) {
  CXSourceRange range = clang_getCursorExtent(cursor);
  CXFile begin_file, end_file;
  unsigned begin, end;
  clang_getExpansionLocation(clang_getRangeStart(range), &begin_file, NULL, NULL, &begin);
  clang_getExpansionLocation(clang_getRangeEnd(range), &end_file, NULL, NULL, &end);
  return begin_file && clang_File_isEqual(begin_file, search->file) && begin <= search->offset &&
         search->offset < end && search->unit->text[begin] == '{';
}

static bool has_result(enum CXCursorKind kind) {
  return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
         kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate ||
         kind == CXCursor_Constructor || kind == CXCursor_Destructor || kind == CXCursor_LambdaExpr;
}

// A macro may make the extent of what is in a declaration or an expression too short, never that of
// a block: all is looked into, and the innermost block that covers the place is taken.
static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data) {
  struct search *search = data;
  enum CXCursorKind kind = clang_getCursorKind(cursor);
  CXCursor function = search->function;
  if (clang_isPreprocessing(kind))
    return CXChildVisit_Continue;
  if (clang_getCursorKind(parent) == CXCursor_TranslationUnit && !is_own(search, cursor))
    return CXChildVisit_Continue;
  if (has_result(kind))
    search->function = cursor;
  if (kind == CXCursor_CompoundStmt && covers(search, cursor)) {
    search->block = cursor;
    search->block_parent = parent;
    search->found = true;
    clang_visitChildren(cursor, visit, data);
    return CXChildVisit_Break;
  }
  bool before = search->found;
  search->found = false;
  clang_visitChildren(cursor, visit, data);
  bool inside = search->found;
  search->found |= before;
  if (inside)
    return CXChildVisit_Break;
  search->function = function;
  return CXChildVisit_Continue;
}

static void name_result(const struct search *search, char *result, size_t size) {
  *result = 0;
  enum CXCursorKind kind = clang_getCursorKind(search->function);
  if (search->unit->cxx) {
    CXType type = clang_getCursorResultType(search->function);
    // Deduction drops what a reference refers to and conversions to the function's own type.
    if (kind == CXCursor_LambdaExpr)
      snprintf(result, size, "auto");
    else if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
      return;
  }
  if (*result || !has_result(kind))
    return;
  CXType type = clang_getCursorResultType(search->function);
  CXType plain = clang_getCanonicalType(type);
  bool declarator = plain.kind == CXType_Pointer &&
                    clang_getCanonicalType(clang_getPointeeType(plain)).kind != CXType_Pointer &&
                    clang_getResultType(clang_getPointeeType(plain)).kind != CXType_Invalid;
  CXString text = clang_getTypeSpelling(type);
  if (plain.kind != CXType_Void && plain.kind != CXType_Invalid && !declarator)
    snprintf(result, size, "%s", clang_getCString(text));
  clang_disposeString(text);
}

size_t unit_block(const struct unit *unit, unsigned offset, bool *value, char *result,
                  size_t size) {
  struct search search = {.unit = unit,
                          .file = clang_getFile(unit->parsed, unit->path),
                          .offset = offset,
                          .function = clang_getNullCursor()};
  clang_visitChildren(clang_getTranslationUnitCursor(unit->parsed), visit, &search);
  if (!search.found)
    return unit->count;
  *value = clang_getCursorKind(search.block_parent) == CXCursor_StmtExpr;
  name_result(&search, result, size);
  CXFile file;
  unsigned begin;
  CXSourceRange range = clang_getCursorExtent(search.block);
  clang_getExpansionLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
  size_t token = unit_token_at(unit, begin);
  return unit_is(unit, token, "{") ? token : unit->count;
}
