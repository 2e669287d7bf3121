// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rule would cost, and whether it can be made: asked of the runtime, which counts and
// changes nothing (count_repairs=1), before the rule is tried.

#include <stdlib.h>
#include <string.h>

#include "fix.h"

enum { COUNT_RUNS = 2 };

static void note(const struct fix *fix, struct fix_rule *rule, const struct rule_count *count,
                 unsigned runs) {
  if (!count)
    return;
  rule->executions = (double)count->executions / runs;
  rule->callers = count->callers;
  if (!count->refused)
    return;
  rule->illegal = strdup(count->refused);
  fix_say(fix, "not tried: %s: %s", rule->text, count->refused);
}

void fix_measure(struct fix *fix) {
  bool asked[FIX_MAX_RULES] = {false}, any = false;
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    asked[i] = !fix->problem.rules[i].measured;
    any |= asked[i];
    fix->problem.rules[i].measured = true;
  }
  if (!any)
    return;
  struct runs runs;
  unsigned before = fix->made, line = 0;
  fix_run(fix, asked, "count_repairs=1", fix->runs < COUNT_RUNS ? fix->runs : COUNT_RUNS, false,
          &runs);
  fix->made = before; // these do not look for violations
  for (size_t i = 0; i < fix->problem.rule_count && runs_ended(&runs); i++)
    if (asked[i])
      note(fix, &fix->problem.rules[i], counts_of(&runs.records.counts, ++line), runs_ended(&runs));
  records_free(&runs.records);
}
