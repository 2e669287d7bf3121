// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "place.h"

#include <string.h>

const char *place_fence(const struct unit *unit, bool builtin) {
  if (!builtin && unit->has_cxx_atomics)
    return "std::atomic_thread_fence(std::memory_order_seq_cst)";
  if (!builtin && unit->has_c_atomics)
    return "atomic_thread_fence(memory_order_seq_cst)";
  return "__atomic_thread_fence(__ATOMIC_SEQ_CST)";
}

static bool is_access(const struct unit *unit, size_t token) {
  static const char *const parts[] = {"atomic_", "__sync_",  "load",        "store",
                                      "fetch_",  "exchange", "test_and_set"};
  const struct token *at = &unit->tokens[token];
  if (!unit_is(unit, token + 1, "("))
    return false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    for (unsigned o = at->begin; o + strlen(parts[i]) <= at->end; o++)
      if (memcmp(unit->text + o, parts[i], strlen(parts[i])) == 0)
        return true;
  return false;
}

// The only access in the rule's line; unit->count if there is not exactly one.
static size_t only_access(const struct unit *unit, unsigned line) {
  unsigned begin;
  size_t found = unit->count;
  if (!unit_offset(unit, line, 1, &begin))
    return found;
  unsigned end = begin + (unsigned)strcspn(unit->text + begin, "\n");
  for (size_t i = 0; i < unit->count; i++) {
    if (unit->tokens[i].begin < begin || unit->tokens[i].begin >= end || !is_access(unit, i))
      continue;
    if (found != unit->count)
      return unit->count;
    found = i;
  }
  return found;
}

bool place_rule(const struct unit *unit, struct rule *rule, const char *fence,
                struct edits *edits) {
  unsigned offset;
  size_t token = unit->count;
  if (!rule->column)
    token = only_access(unit, rule->line);
  else if (unit_offset(unit, rule->line, rule->column, &offset))
    token = unit_token_at(unit, offset);
  if (token == unit->count)
    return rule_refuse(rule, rule->column ? "nothing stands at this place: was the file changed?"
                                          : "there is not exactly one access in the line: name "
                                            "its column");
  const struct token *at = &unit->tokens[token];
  if (at->macro == MACRO_USER || at->macro == MACRO_CONTROL ||
      (at->macro == MACRO_ACCESS && rule->kind == RULE_ORDER && !order_is_argument(unit, token)))
    return rule_refuse(rule, "the access is inside the macro %.*s", (int)(at->end - at->begin),
                       unit->text + at->begin);
  if (rule->kind == RULE_ORDER)
    return order_place(unit, rule, token, edits);
  return fence_place(unit, rule, token, fence, edits);
}
