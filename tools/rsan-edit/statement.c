// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "statement.h"

static bool opens(const struct unit *unit, size_t token) {
  return unit_is(unit, token, "(") || unit_is(unit, token, "[") || unit_is(unit, token, "{");
}

static bool closes(const struct unit *unit, size_t token) {
  return unit_is(unit, token, ")") || unit_is(unit, token, "]") || unit_is(unit, token, "}");
}

size_t statement_close(const struct unit *unit, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < unit->count; i++) {
    if (opens(unit, i))
      depth++;
    else if (closes(unit, i) && --depth == 0)
      return i;
  }
  return unit->count;
}

// The token WHAT at the level of FROM; unit->count if the bracket around it ends before.
static size_t find_level(const struct unit *unit, size_t from, const char *what) {
  for (size_t i = from; i < unit->count; i++) {
    if (unit_is(unit, i, what))
      return i;
    if (opens(unit, i))
      i = statement_close(unit, i);
    else if (closes(unit, i))
      break;
  }
  return unit->count;
}

static enum statement_kind kind_at(const struct unit *unit, size_t token) {
  static const struct word {
    const char *text;
    enum statement_kind kind;
  } words[] = {
      {"if", STATEMENT_IF},         {"while", STATEMENT_WHILE},   {"do", STATEMENT_DO},
      {"for", STATEMENT_FOR},       {"switch", STATEMENT_SWITCH}, {"return", STATEMENT_RETURN},
      {"throw", STATEMENT_JUMP},    {"goto", STATEMENT_JUMP},     {"co_return", STATEMENT_JUMP},
      {"co_yield", STATEMENT_JUMP},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (unit_is(unit, token, words[i].text))
      return words[i].kind;
  return STATEMENT_PLAIN;
}

// Behind labels, cases and attributes.
static size_t skip_labels(const struct unit *unit, size_t token, bool *labelled) {
  for (;;) {
    if (unit_is(unit, token, "case")) {
      token = find_level(unit, token, ":") + 1;
      *labelled = true;
    } else if (unit_is(unit, token + 1, ":") && !unit_is(unit, token, "{") &&
               !unit_is(unit, token, "}")) { // and default
      token += 2;
      *labelled = true;
    } else if (unit_is(unit, token, "[") && unit_is(unit, token + 1, "[")) {
      token = statement_close(unit, token) + 1;
    } else {
      return token;
    }
  }
}

static size_t parse(const struct unit *unit, size_t token, struct statement *statement);

// Behind the head: the body, or both branches.
static size_t parse_bodies(const struct unit *unit, size_t token, struct statement *statement) {
  struct statement inner;
  statement->body = token;
  statement->body_end = parse(unit, token, &inner);
  size_t end = statement->body_end;
  if (statement->kind == STATEMENT_IF && unit_is(unit, end + 1, "else")) {
    statement->orelse = end + 2;
    statement->orelse_end = end = parse(unit, end + 2, &inner);
  }
  return end;
}

// From a handler to the last one of its try.
static size_t parse_try(const struct unit *unit, size_t token) {
  size_t end = statement_close(unit, token + 1);
  while (unit_is(unit, end + 1, "catch"))
    end = statement_close(unit, statement_close(unit, end + 2) + 1);
  return end;
}

// The statement at TOKEN, labels before it included; its last token. The statement's own fields
// are of what stands behind the labels.
static size_t parse(const struct unit *unit, size_t token, struct statement *statement) {
  bool labelled = false;
  token = skip_labels(unit, token, &labelled);
  *statement = (struct statement){
      .kind = kind_at(unit, token), .begin = token, .head = token, .labelled = labelled};
  size_t open = token + 1;
  switch (statement->kind) {
  case STATEMENT_IF:
  case STATEMENT_WHILE:
  case STATEMENT_FOR:
  case STATEMENT_SWITCH:
    while (open < unit->count && !unit_is(unit, open, "(") && !unit_is(unit, open, ";"))
      open++; // if constexpr
    statement->head = open + 1;
    statement->head_end = statement_close(unit, open) - 1;
    statement->end = parse_bodies(unit, statement->head_end + 2, statement);
    break;
  case STATEMENT_DO:
    open = parse_bodies(unit, token + 1, statement) + 2; // while (
    statement->head = open + 1;
    statement->head_end = statement_close(unit, open) - 1;
    statement->end = statement->head_end + 2;
    break;
  default:
    if (unit_is(unit, token, "{"))
      statement->end = statement_close(unit, token);
    else if (unit_is(unit, token, "try"))
      statement->end = parse_try(unit, token);
    else
      statement->end = find_level(unit, token, ";");
    statement->head_end = statement->end;
  }
  return statement->end;
}

static bool within(size_t token, size_t begin, size_t end) {
  return begin <= token && token <= end;
}

// From the statement at BEGIN, which has the token in it, down to the innermost.
static bool descend(const struct unit *unit, size_t token, struct statement *statement) {
  for (;;) {
    if (statement->end >= unit->count)
      return false;
    size_t body = 0;
    if (statement->body && within(token, statement->body, statement->body_end))
      body = statement->body;
    else if (statement->orelse && within(token, statement->orelse, statement->orelse_end))
      body = statement->orelse;
    if (!body)
      return within(token, statement->head, statement->head_end);
    if (unit_is(unit, body, "{"))
      return false; // a block of its own, so not the innermost one was asked for
    size_t owner = statement->begin;
    parse(unit, body, statement);
    statement->nested = true;
    statement->owner = owner;
  }
}

bool statement_find(const struct unit *unit, size_t block, size_t token,
                    struct statement *statement) {
  size_t last = statement_close(unit, block);
  for (size_t at = block + 1; at < last;) {
    size_t end = parse(unit, at, statement);
    if (end >= last || end < at)
      return false;
    if (within(token, at, end)) {
      statement->last = end + 1 == last;
      bool outermost = statement->last;
      bool found = descend(unit, token, statement);
      statement->last = outermost;
      return found;
    }
    at = end + 1;
  }
  return false;
}
