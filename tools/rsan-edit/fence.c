// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>
#include <string.h>

#include "access.h"
#include "place.h"
#include "statement.h"

struct site {
  const struct unit *unit;
  struct rule *rule;
  const char *fence; // the call
  char text[128];    // the statement
  char result[256];  // the type of what the function returns
  bool value;        // the block is an expression
  struct statement statement;
  struct access access;
  struct edits *edits;
};

static bool insert(struct site *site, size_t token, bool behind, const char *format) {
  char text[256];
  const struct token *at = &site->unit->tokens[token];
  snprintf(text, sizeof text, format, site->fence);
  return edits_add(site->edits, behind ? at->end : at->begin, 0, behind ? EDIT_CLOSE : EDIT_BEFORE,
                   at->begin, text);
}

// (fence, access)
static bool before_in_expression(struct site *site, const struct access *access) {
  if (!access->open)
    return rule_refuse(site->rule, "the access is not a call");
  return insert(site, access->begin, false, "(%s, ") && insert(site, access->end, true, ")");
}

// In which part of a for is the access? 0 the first one, 1 the condition, 2 the last, -1 of a range
// for. BEGIN gets that part's first token.
static int for_part(const struct site *site, size_t *begin) {
  const struct statement *statement = &site->statement;
  int part = 0, semicolons = 0;
  *begin = statement->head;
  for (size_t i = statement->head; i <= statement->head_end; i++) {
    if (unit_is(site->unit, i, "(") || unit_is(site->unit, i, "[") || unit_is(site->unit, i, "{"))
      i = statement_close(site->unit, i);
    else if (unit_is(site->unit, i, ";")) {
      semicolons++;
      if (i < site->access.begin) {
        part = semicolons;
        *begin = i + 1;
      }
    }
  }
  return semicolons ? part : -1;
}

static bool fence_before(struct site *site) {
  const struct statement *statement = &site->statement;
  struct neighbours calls =
      access_neighbours(site->unit, &site->access, statement->head, statement->head_end + 1);
  size_t begin = statement->head;
  if (calls.inside)
    return rule_refuse(site->rule, "another call is among the arguments of the access");
  if (calls.before)
    return before_in_expression(site, &site->access);
  bool repeated = statement->kind == STATEMENT_WHILE || statement->kind == STATEMENT_DO;
  if (statement->kind == STATEMENT_FOR)
    repeated = for_part(site, &begin) > 0;
  if (repeated)
    return insert(site, begin, false, "%s, ");
  return layout_before(site->unit, statement, site->text, site->edits);
}

// At the beginning of a body, which may be a single statement.
static bool in_body(struct site *site, size_t body, size_t body_end) {
  if (unit_is(site->unit, body, "{"))
    return layout_in_block(site->unit, body, site->text, site->edits);
  struct statement inner = {
      .begin = body, .end = body_end, .nested = true, .owner = site->statement.begin};
  return layout_before(site->unit, &inner, site->text, site->edits);
}

static bool is_empty(const struct unit *unit, size_t body, size_t body_end) {
  return unit_is(unit, body, ";") || (unit_is(unit, body, "{") && body_end == body + 1);
}

static bool after_condition(struct site *site) {
  const struct statement *statement = &site->statement;
  bool fine = true;
  if (statement->kind == STATEMENT_IF) {
    fine = in_body(site, statement->body, statement->body_end);
    if (statement->orelse)
      return fine && in_body(site, statement->orelse, statement->orelse_end);
    return fine && layout_else(site->unit, statement, site->text, site->edits);
  }
  // A loop that only waits has no other access that the fence must precede.
  if (!is_empty(site->unit, statement->body, statement->body_end))
    fine = in_body(site, statement->body, statement->body_end);
  return fine && layout_after(site->unit, statement, site->text, site->edits);
}

static bool after_in_for(struct site *site) {
  size_t begin;
  switch (for_part(site, &begin)) {
  case 0:
    return rule_refuse(site->rule, "the access is in the first part of a for");
  case 2:
    return insert(site, site->statement.head_end, true, ", %s");
  default:
    return after_condition(site);
  }
}

static bool has_word(const struct unit *unit, const char *word) {
  for (size_t i = 0; i < unit->count; i++)
    if (unit_is(unit, i, word))
      return true;
  return false;
}

// T result = E; fence; return result;
static bool after_return(struct site *site) {
  const struct unit *unit = site->unit;
  static const char *const names[] = {"result", "returned", "result_of_access"};
  const struct statement *statement = &site->statement;
  const char *name = NULL;
  char text[600], indent[128];
  for (size_t i = 0; !name && i < sizeof names / sizeof *names; i++)
    if (!has_word(unit, names[i]))
      name = names[i];
  if (!*site->result || !name)
    return rule_refuse(site->rule, "the type of what is returned cannot be written down");
  if (statement->labelled)
    return rule_refuse(site->rule, "a label stands before the return");
  const struct token *word = &unit->tokens[statement->begin];
  snprintf(text, sizeof text, "%s %s =", site->result, name);
  bool fine = edits_add(site->edits, word->begin, word->end - word->begin, EDIT_BEFORE, 0, text);
  layout_indent(unit, statement->begin, indent, sizeof indent);
  unsigned line = word->begin;
  while (line > 0 && unit->text[line - 1] != '\n')
    line--;
  bool alone = line + strspn(unit->text + line, " \t") == word->begin;
  snprintf(text, sizeof text, "%s%s%sreturn %s;", site->text, alone ? "\n" : " ",
           alone ? indent : "", name);
  return (fine || rule_refuse(site->rule, "another change is made in the same return")) &&
         layout_after(unit, statement, text, site->edits);
}

static bool fence_after(struct site *site) {
  const struct statement *statement = &site->statement;
  struct neighbours calls =
      access_neighbours(site->unit, &site->access, statement->head, statement->head_end + 1);
  if (calls.around)
    return rule_refuse(site->rule, "the value is passed on to a call in the same statement");
  if (calls.after && calls.sequenced) {
    struct access next = access_at(site->unit, calls.next);
    return before_in_expression(site, &next);
  }
  if (calls.after)
    return rule_refuse(site->rule, "another call follows in the same statement");
  switch (statement->kind) {
  case STATEMENT_PLAIN:
    if (site->value && statement->last)
      return rule_refuse(site->rule, "the access is the value of a statement expression");
    return layout_after(site->unit, statement, site->text, site->edits);
  case STATEMENT_RETURN:
    return after_return(site);
  case STATEMENT_FOR:
    return after_in_for(site);
  case STATEMENT_IF:
  case STATEMENT_WHILE:
  case STATEMENT_DO:
    return after_condition(site);
  case STATEMENT_SWITCH:
    return rule_refuse(site->rule, "the access decides a switch");
  default:
    return rule_refuse(site->rule, "the statement leaves the function");
  }
}

// Macros in the statement's own tokens must not hide where it begins and ends.
static bool is_plain_text(struct site *site) {
  const struct statement *statement = &site->statement;
  for (size_t i = statement->begin; i <= statement->end; i++)
    if (site->unit->tokens[i].macro == MACRO_CONTROL) {
      const struct token *token = &site->unit->tokens[i];
      return rule_refuse(site->rule, "macro %.*s is part of the statement",
                         (int)(token->end - token->begin), site->unit->text + token->begin);
    }
  return true;
}

bool fence_place(const struct unit *unit, struct rule *rule, size_t token, const char *fence,
                 struct edits *edits) {
  struct site site = {.unit = unit, .rule = rule, .fence = fence, .edits = edits};
  snprintf(site.text, sizeof site.text, "%s;", fence);
  site.access = access_at(unit, token);
  size_t block =
      unit_block(unit, unit->tokens[token].begin, &site.value, site.result, sizeof site.result);
  if (block == unit->count)
    return rule_refuse(rule, "the access is in no function's body");
  if (!statement_find(unit, block, token, &site.statement))
    return rule_refuse(rule, "the statement around the access is not understood");
  if (!is_plain_text(&site))
    return false;
  if (site.statement.nested && site.statement.labelled)
    return rule_refuse(rule, "the statement is a body without braces, behind a label");
  return rule->kind == RULE_FENCE_BEFORE ? fence_before(&site) : fence_after(&site);
}
