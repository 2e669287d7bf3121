// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "place.h"
#include "statement.h"

static unsigned line_begin(const struct unit *unit, unsigned offset) {
  while (offset > 0 && unit->text[offset - 1] != '\n')
    offset--;
  return offset;
}

void layout_indent(const struct unit *unit, size_t token, char *indent, size_t size) {
  const char *line = unit->text + line_begin(unit, unit->tokens[token].begin);
  snprintf(indent, size, "%.*s", (int)strspn(line, " \t"), line);
}

// But for blanks and comments.
static bool begins_line(const struct unit *unit, size_t token) {
  unsigned offset = unit->tokens[token].begin;
  unsigned line = line_begin(unit, offset);
  return token == 0 || unit->tokens[token - 1].end <= line;
}

// Is there nothing behind the token in its line but comments? END gets where to insert lines.
static bool ends_line(const struct unit *unit, size_t token, unsigned *end) {
  unsigned at = unit->tokens[token].end;
  *end = at;
  for (;;) {
    at += (unsigned)strspn(unit->text + at, " \t\r");
    const char *text = unit->text + at;
    if (*text == '\n' || !*text)
      break;
    if (strncmp(text, "//", 2) == 0) {
      at += (unsigned)strcspn(text, "\n");
    } else if (strncmp(text, "/*", 2) == 0) {
      const char *close = strstr(text, "*/");
      if (!close || memchr(text, '\n', (size_t)(close - text)))
        return false;
      at = (unsigned)(close + 2 - unit->text);
    } else {
      return false;
    }
  }
  while (at > *end && isspace((unsigned char)unit->text[at - 1]))
    at--;
  *end = at;
  return true;
}

// Is the statement a body in the line of what it belongs to?
static bool in_line(const struct unit *unit, const struct statement *statement) {
  return !begins_line(unit, statement->begin);
}

bool layout_braces(const struct unit *unit, const struct statement *statement,
                   struct edits *edits) {
  if (!statement->nested)
    return true;
  char indent[128], text[160];
  unsigned begin = unit->tokens[statement->begin].begin, end;
  // Labels stay inside.
  size_t previous = statement->begin - 1;
  edits_add(edits, unit->tokens[previous].end, 0, EDIT_OPEN, 0, " {");
  layout_indent(unit, statement->owner, indent, sizeof indent);
  if (in_line(unit, statement) || !ends_line(unit, statement->end, &end)) {
    end = unit->tokens[statement->end].end;
    snprintf(text, sizeof text, " }");
  } else {
    snprintf(text, sizeof text, "\n%s}", indent);
  }
  // Behind what is inserted after the statement itself.
  return edits_add(edits, end, 0, EDIT_CLOSE, begin ? begin - 1 : 0, text);
}

bool layout_before(const struct unit *unit, const struct statement *statement, const char *text,
                   struct edits *edits) {
  char indent[128], line[1024];
  layout_indent(unit, statement->begin, indent, sizeof indent);
  if (in_line(unit, statement))
    snprintf(line, sizeof line, "%s ", text);
  else
    snprintf(line, sizeof line, "%s\n%s", text, indent);
  return layout_braces(unit, statement, edits) &&
         edits_add(edits, unit->tokens[statement->begin].begin, 0, EDIT_BEFORE, 0, line);
}

bool layout_after(const struct unit *unit, const struct statement *statement, const char *text,
                  struct edits *edits) {
  char indent[128], line[1024];
  unsigned end;
  layout_indent(unit, statement->begin, indent, sizeof indent);
  if (in_line(unit, statement) || !ends_line(unit, statement->end, &end)) {
    end = unit->tokens[statement->end].end;
    snprintf(line, sizeof line, " %s", text);
  } else {
    snprintf(line, sizeof line, "\n%s%s", indent, text);
  }
  return layout_braces(unit, statement, edits) &&
         edits_add(edits, end, 0, EDIT_CLOSE, unit->tokens[statement->begin].begin, line);
}

bool layout_in_block(const struct unit *unit, size_t open, const char *text, struct edits *edits) {
  char indent[128], line[1024];
  unsigned end;
  if (!ends_line(unit, open, &end)) {
    snprintf(line, sizeof line, " %s", text);
    return edits_add(edits, unit->tokens[open].end, 0, EDIT_BEFORE, 0, line);
  }
  layout_indent(unit, open, indent, sizeof indent);
  size_t first = open + 1;
  if (unit_is(unit, first, "}"))
    strcat(indent, strchr(indent, '\t') ? "\t" : "  ");
  else
    layout_indent(unit, first, indent, sizeof indent);
  snprintf(line, sizeof line, "\n%s%s", indent, text);
  return edits_add(edits, end, 0, EDIT_BEFORE, 0, line);
}

bool layout_else(const struct unit *unit, const struct statement *statement, const char *text,
                 struct edits *edits) {
  char indent[128], inner[128], line[1024];
  bool block = unit_is(unit, statement->body, "{");
  size_t first = block ? statement->body + 1 : statement->body;
  layout_indent(unit, statement->begin, indent, sizeof indent);
  layout_indent(unit, first, inner, sizeof inner);
  unsigned end = unit->tokens[statement->body_end].end, comment_end;
  if (begins_line(unit, first))
    snprintf(line, sizeof line, " else {\n%s%s\n%s}", inner, text, indent);
  else
    snprintf(line, sizeof line, " else { %s }", text);
  // Behind the brace that the first branch gets.
  if (!block && begins_line(unit, first) && ends_line(unit, statement->body_end, &comment_end))
    end = comment_end;
  unsigned begin = unit->tokens[statement->body].begin;
  return edits_add(edits, end, 0, EDIT_CLOSE, begin > 1 ? begin - 2 : 0, line);
}
