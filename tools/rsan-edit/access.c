// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "access.h"

#include <ctype.h>
#include <string.h>

#include "statement.h"

static bool is_name(const struct unit *unit, size_t token) {
  static const char *const keywords[] = {
      "if",       "while",      "for",      "switch",   "return",   "sizeof",       "alignof",
      "_Alignof", "else",       "do",       "decltype", "typeof",   "case",         "noexcept",
      "catch",    "__typeof__", "throw",    "alignas",  "_Alignas", "co_await",     "and",
      "or",       "not",        "operator", "_Generic", "_Atomic",  "__attribute__"};
  if (token >= unit->count)
    return false;
  char first = unit->text[unit->tokens[token].begin];
  if (!isalpha((unsigned char)first) && first != '_')
    return false;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (unit_is(unit, token, keywords[i]))
      return false;
  return true;
}

static size_t open_of(const struct unit *unit, size_t close) {
  size_t depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (unit_is(unit, i, ")") || unit_is(unit, i, "]"))
      depth++;
    else if ((unit_is(unit, i, "(") || unit_is(unit, i, "[")) && --depth == 0)
      return i;
  }
  return 0;
}

static bool joins(const struct unit *unit, size_t token) {
  return unit_is(unit, token, ".") || unit_is(unit, token, "->") || unit_is(unit, token, "::");
}

// Where the expression begins whose last name is NAME: p->a[i].load.
static size_t postfix_begin(const struct unit *unit, size_t name) {
  size_t at = name;
  while (at > 0 && joins(unit, at - 1)) {
    if (at < 2 || (unit_is(unit, at - 1, "::") && !is_name(unit, at - 2)))
      return at - 1; // ::name
    at -= 2;
    while (at > 0 && (unit_is(unit, at, ")") || unit_is(unit, at, "]"))) {
      at = open_of(unit, at);
      if (at > 0 &&
          (is_name(unit, at - 1) || unit_is(unit, at - 1, ")") || unit_is(unit, at - 1, "]")))
        at--;
    }
  }
  return at;
}

struct access access_at(const struct unit *unit, size_t token) {
  struct access access = {.begin = token, .end = token, .name = token};
  size_t name = unit_is(unit, token, "::") ? token + 1 : token;
  while (is_name(unit, name) && unit_is(unit, name + 1, "::"))
    name += 2;
  if (is_name(unit, name) && unit_is(unit, name + 1, "(")) {
    access.name = name;
    access.begin = postfix_begin(unit, name);
    access.open = name + 1;
    access.close = access.end = statement_close(unit, name + 1);
  }
  return access;
}

// Are these in the language or compiled to nothing that is ordered?
static bool is_harmless(const struct unit *unit, size_t name) {
  static const char *const names[] = {"assert",
                                      "likely",
                                      "unlikely",
                                      "__builtin_expect",
                                      "printf",
                                      "fprintf",
                                      "__builtin_unreachable",
                                      "offsetof"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (unit_is(unit, name, names[i]))
      return true;
  return false;
}

struct neighbours access_neighbours(const struct unit *unit, const struct access *access,
                                    size_t begin, size_t end) {
  struct neighbours found = {0};
  for (size_t i = begin; i < end && i < unit->count; i++) {
    if (!is_name(unit, i) || !unit_is(unit, i + 1, "(") || i == access->name ||
        is_harmless(unit, i))
      continue;
    size_t close = statement_close(unit, i + 1);
    if (close < access->begin) {
      found.before = true;
    } else if (i > access->end) {
      if (!found.after)
        found.next = i;
      found.after = true;
    } else if (i < access->begin) {
      found.around = true;
    } else if (i > access->name) {
      found.inside = true;
    } else {
      found.before = true; // in the object: f().load()
    }
  }
  for (size_t i = access->end + 1; found.after && i < found.next; i++)
    found.sequenced |= unit_is(unit, i, "&&") || unit_is(unit, i, "||");
  return found;
}
