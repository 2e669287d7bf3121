// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>
#include <string.h>

#include "access.h"
#include "macro.h"
#include "order.h"
#include "place.h"
#include "statement.h"

static const char *const suffixes[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const macros[] = {"__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE",
                                     "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"};

// The order that the token names, -1 for none; it may be a macro that means one. SPELLING gets what
// comes before the order's own name in the names of all orders.
static int order_of(const struct unit *unit, size_t token, char spelling[64]) {
  const struct token *at = &unit->tokens[token];
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(at->end - at->begin), unit->text + at->begin);
  const char *means = at->means ? at->means : name;
  bool scoped = unit_is(unit, token - 1, "::") && unit_is(unit, token - 2, "memory_order");
  for (int i = 0; i < 5; i++) {
    bool standard =
        strncmp(means, "memory_order_", 13) == 0 && strcmp(means + 13, suffixes[i]) == 0;
    bool builtin = strcmp(means, macros[i]) == 0;
    if (!standard && !builtin && !(scoped && strcmp(name, suffixes[i]) == 0))
      continue;
    size_t length = strlen(name), suffix = strlen(suffixes[i]);
    if (length >= suffix && strcmp(name + length - suffix, suffixes[i]) == 0)
      snprintf(spelling, 64, "%.*s", (int)(length - suffix), name);
    else
      snprintf(spelling, 64, "%s",
               builtin     ? "__ATOMIC_"
               : unit->cxx ? "std::memory_order_"
                           : "memory_order_");
    return i;
  }
  return -1;
}

enum rule_order order_join(enum rule_order a, enum rule_order b) {
  if (a == b)
    return a;
  if (a == ORDER_SEQ_CST || b == ORDER_SEQ_CST)
    return ORDER_SEQ_CST;
  if (a == ORDER_RELAXED || b == ORDER_RELAXED)
    return a == ORDER_RELAXED ? b : a;
  return ORDER_ACQ_REL;
}

enum rule_order order_restrict(enum rule_order order, bool loads, bool stores) {
  if (order == ORDER_SEQ_CST || (loads && stores))
    return order;
  if (loads)
    return order == ORDER_RELEASE ? ORDER_RELAXED : order == ORDER_ACQ_REL ? ORDER_ACQUIRE : order;
  return order == ORDER_ACQUIRE ? ORDER_RELAXED : order == ORDER_ACQ_REL ? ORDER_RELEASE : order;
}

// The order's name in the family of names that the token is of, or, if the program has no such
// macro, in the language.
static const char *name_of(const struct unit *unit, size_t token, enum rule_order order,
                           const char *spelling, char text[128]) {
  const char *means = unit->tokens[token].means;
  snprintf(text, 128, "%s%s", spelling, suffixes[order]);
  bool builtin = strcmp(spelling, "__ATOMIC_") == 0;
  if (means && !builtin && !macro_is_defined(unit->parsed, text)) {
    builtin = strncmp(means, "__ATOMIC_", 9) == 0;
    snprintf(text, 128, "%smemory_order_%s", unit->cxx ? "std::" : "", suffixes[order]);
  }
  return builtin ? macros[order] : text;
}

// The order that an edit writes.
static enum rule_order written_order(const struct unit *unit, size_t token, const struct edit *edit,
                                     const char *spelling) {
  char text[128];
  int order = ORDER_ACQUIRE;
  while (order < ORDER_SEQ_CST &&
         strcmp(edit->text, name_of(unit, token, (enum rule_order)order, spelling, text)) != 0)
    order++;
  return (enum rule_order)order;
}

// Rules may ask for several orders of one access, such as acquire and release: it gets one that is
// as strong as all of them.
static bool raise(const struct unit *unit, size_t token, enum rule_order to, struct edits *edits) {
  char spelling[64] = "", text[128];
  int old = order_of(unit, token, spelling);
  const struct token *at = &unit->tokens[token];
  struct edit *edit = edits_replacement(edits, at->begin, at->end - at->begin);
  enum rule_order raised = order_join((enum rule_order)old, to);
  if (edit)
    raised = order_join(raised, written_order(unit, token, edit, spelling));
  if (raised == (enum rule_order)old)
    return true;
  const char *name = name_of(unit, token, raised, spelling, text);
  if (!edit)
    return edits_add(edits, at->begin, at->end - at->begin, EDIT_BEFORE, 0, name);
  edit_set_text(edit, name);
  return true;
}

static bool name_has(const struct unit *unit, size_t token, const char *part) {
  const struct token *at = &unit->tokens[token];
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)(at->end - at->begin), unit->text + at->begin);
  return strcasestr(name, part);
}

// The arguments of a call that name orders, two at most.
static size_t find_orders(const struct unit *unit, const struct access *access, size_t orders[2]) {
  size_t count = 0, depth = 0;
  for (size_t i = access->open + 1; i < access->close; i++) {
    char spelling[64];
    if (unit_is(unit, i, "(") || unit_is(unit, i, "[") || unit_is(unit, i, "{"))
      depth++;
    else if (unit_is(unit, i, ")") || unit_is(unit, i, "]") || unit_is(unit, i, "}"))
      depth--;
    else if (!depth && count < 2 && order_of(unit, i, spelling) >= 0 &&
             (unit_is(unit, i + 1, ",") || i + 1 == access->close))
      orders[count++] = i;
  }
  return count;
}

bool order_is_argument(const struct unit *unit, size_t token) {
  struct access access = access_at(unit, token);
  size_t orders[2];
  return access.open && find_orders(unit, &access, orders) > 0;
}

bool order_place(const struct unit *unit, struct rule *rule, size_t token, struct edits *edits) {
  struct access access = access_at(unit, token);
  if (!access.open)
    return rule_refuse(rule, "the access is not a call, so it is seq_cst already");
  size_t orders[2] = {0, 0}, count = find_orders(unit, &access, orders);
  bool compares = name_has(unit, access.name, "compare_exchange");
  bool loads = name_has(unit, access.name, "load"),
       stores = name_has(unit, access.name, "store") || name_has(unit, access.name, "clear");
  if (!loads && !stores)
    loads = stores = true;
  if (!count || (count == 2 && !compares))
    return rule_refuse(rule, "the access names no order that could be raised");
  enum rule_order to = order_restrict(rule->order, loads, stores);
  bool fine = to != ORDER_RELAXED && raise(unit, orders[0], to, edits);
  if (fine && count == 2)
    fine = raise(unit, orders[1], order_restrict(rule->order, true, false), edits);
  return fine || rule_refuse(rule, "the access cannot have this order");
}
