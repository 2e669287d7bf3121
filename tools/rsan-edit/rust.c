// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stronger orders in sources of Rust, where the order is written in the call: `x.load(
// Ordering::Relaxed)`. rustc says of an access where the method's name begins, so the call is read
// from there, without a parser of the language: its end is the parenthesis that belongs to the one
// behind the name, comments, strings and characters being skipped. Fences are not written, because
// where a statement ends takes more than that.

#include "rust.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_words.h"
#include "order.h"

static const char *const names[] = {"Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"};

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Returns the text from the place on, or NULL if the text has no such line or column.
static const char *find_place(const char *text, unsigned line, unsigned column) {
  while (text && line-- > 1) {
    text = strchr(text, '\n');
    text += text ? 1 : 0;
  }
  return text && column && strcspn(text, "\n") >= column ? text + column - 1 : NULL;
}

// Returns the end of the string that begins at AT, with a quote or with the `r` of a raw string.
static const char *skip_string(const char *at) {
  size_t hashes = 0;
  bool raw = *at == 'r';
  for (at += raw; *at == '#'; at++)
    hashes++;
  if (*at++ != '"')
    return at;
  for (; *at; at++) {
    if (!raw && *at == '\\' && at[1])
      at++;
    else if (*at == '"' && strspn(at + 1, "#") >= hashes)
      return at + 1 + hashes;
  }
  return at;
}

// Returns the end of a block comment, which may contain other block comments.
static const char *skip_comment(const char *at) {
  unsigned depth = 0;
  do {
    if (strncmp(at, "/*", 2) == 0 || strncmp(at, "*/", 2) == 0) {
      depth += *at == '/' ? 1u : -1u;
      at += 2;
    } else {
      at++;
    }
  } while (*at && depth);
  return at;
}

// Returns the end of a character literal, or of the quote that begins a lifetime.
static const char *skip_quote(const char *at) {
  if (at[1] == '\\') {
    const char *end = at[2] ? strchr(at + 3, '\'') : NULL;
    return end ? end + 1 : at + 1;
  }
  return at[1] && at[2] == '\'' ? at + 3 : at + 1;
}

// Skips the comment, string or character at AT; if there is none, skips one character of code.
static const char *skip(const char *begin, const char *at) {
  bool raw = *at == 'r' && (at[1] == '"' || (at[1] == '#' && strchr("#\"", at[2]))) &&
             (at == begin || !is_word(at[-1]));
  if (strncmp(at, "//", 2) == 0)
    return at + strcspn(at, "\n");
  if (strncmp(at, "/*", 2) == 0)
    return skip_comment(at);
  if (*at == '"' || raw)
    return skip_string(at);
  return *at == '\'' ? skip_quote(at) : at + 1;
}

// Looks for `Ordering::X` in the argument. Returns the index of X in `names`, and stores in *NAME
// where X begins. Returns -1 if the argument names no order.
static int order_of(const char *begin, const char *end, const char **name) {
  static const char path[] = "Ordering::";
  while (begin < end && isspace((unsigned char)*begin))
    begin++;
  while (end > begin && isspace((unsigned char)end[-1]))
    end--;
  for (int i = 0; i < 5; i++) {
    size_t length = strlen(names[i]), whole = length + strlen(path);
    if ((size_t)(end - begin) < whole || strncmp(end - length, names[i], length) != 0 ||
        strncmp(end - whole, path, strlen(path)) != 0)
      continue;
    *name = end - length;
    return i;
  }
  return -1;
}

struct call {
  const char *orders[2]; // the names
  size_t count;
  bool closed;
};

// Reads the arguments behind the opening parenthesis.
static struct call read_call(const char *at) {
  struct call call = {.count = 0};
  const char *begin = at, *argument = at, *name;
  for (unsigned depth = 1; *at && depth;) {
    depth += strchr("([{", *at) != NULL;
    depth -= strchr(")]}", *at) != NULL;
    if (depth == 0 || (depth == 1 && *at == ',')) {
      if (order_of(argument, at, &name) >= 0 && call.count < 2)
        call.orders[call.count++] = name;
      argument = at + 1;
      call.closed = depth == 0;
    }
    at = skip(begin, at);
  }
  return call;
}

static bool raise(const char *text, const char *name, enum rule_order to, struct edits *edits) {
  unsigned length = (unsigned)strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  unsigned offset = (unsigned)(name - text);
  struct edit *edit = edits_replacement(edits, offset, length);
  enum rule_order old = ORDER_RELAXED, raised;
  for (int i = 0; i < 5; i++)
    if (strncmp(name, names[i], length) == 0 && !names[i][length])
      old = (enum rule_order)i;
  raised = order_join(old, to);
  for (int i = 0; edit && i < 5; i++)
    if (strcmp(edit->text, names[i]) == 0)
      raised = order_join(raised, (enum rule_order)i);
  if (edit)
    edit_set_text(edit, names[raised]);
  else if (raised != old)
    return edits_add(edits, offset, length, EDIT_BEFORE, 0, names[raised]);
  return true;
}

bool rust_place(const char *text, struct rule *rule, struct edits *edits) {
  const char *wanted = rsan_order_text(rule_text(rule) + strlen("order "), true);
  const char *at = find_place(text, rule->line, rule->column);
  size_t length = 0;
  while (at && is_word(at[length]))
    length++;
  const char *open = at ? at + length + strspn(at + length, " \n\t") : "";
  struct call call = length && *open == '(' ? read_call(open + 1) : (struct call){.count = 0};
  bool compares = at && strncmp(at, "compare_exchange", 16) == 0;
  bool loads = length == 4 && strncmp(at, "load", 4) == 0;
  bool stores = length == 5 && strncmp(at, "store", 5) == 0;
  bool known = compares || loads || stores || (length == 4 && strncmp(at, "swap", 4) == 0) ||
               (at && strncmp(at, "fetch_", 6) == 0 && strncmp(at, "fetch_update", 12) != 0);
  if (!known || !call.closed || call.count != (compares ? 2 : 1))
    return rule_refuse(rule, "no call with Ordering:: is read there; the order is %s", wanted);
  enum rule_order to = order_restrict(rule->order, !stores, !loads);
  bool fine = to != ORDER_RELAXED && raise(text, call.orders[0], to, edits);
  if (fine && compares)
    fine = raise(text, call.orders[1], order_restrict(rule->order, true, false), edits);
  return fine || rule_refuse(rule, "the access cannot have this order");
}
