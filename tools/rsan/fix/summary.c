// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rsan fix says in the end: the repair, what it was preferred to, and for which schedules it
// holds.

#include <string.h>

#include "base/plural.h"
#include "fix.h"
#include "printable.h"

enum { MAX_ALTERNATIVES = 4 };

static const char *cost_of(const struct fix_rule *rule) {
  static char text[96];
  int used = snprintf(text, sizeof text, "%.0f time%s in a run", rule->executions,
                      plural(rule->executions));
  if (rule->callers > 1 && used > 0)
    snprintf(text + used, sizeof text - (size_t)used, ", by %lu callers", rule->callers);
  return text;
}

static bool costs_more(const struct fix_rule *rule, const struct fix_rule *than) {
  return rule->executions > than->executions || (rule->outermost && !than->outermost) ||
         (rule->executions >= than->executions && rule->callers > than->callers);
}

// The rules that would have served in place of CHOSEN, and cost more.
static void find_alternatives(const struct fix *fix, size_t chosen, bool others[FIX_MAX_RULES]) {
  const struct fix_problem *problem = &fix->problem;
  for (size_t i = 0; i < problem->demand_count; i++) {
    const struct fix_demand *demand = &problem->demands[i];
    bool here = false;
    for (size_t j = 0; j < demand->count; j++)
      here |= demand->choices[j] == chosen;
    for (size_t j = 0; j < demand->count && here; j++) {
      const struct fix_rule *rule = &problem->rules[demand->choices[j]];
      others[demand->choices[j]] |= !fix->chosen[demand->choices[j]] && !rule->illegal &&
                                    costs_more(rule, &problem->rules[chosen]);
    }
  }
}

static void write_preference(const struct fix *fix, size_t chosen, FILE *out) {
  bool others[FIX_MAX_RULES] = {false};
  size_t found = 0;
  find_alternatives(fix, chosen, others);
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    const struct fix_rule *rule = &fix->problem.rules[i];
    if (others[i] && found++ < MAX_ALTERNATIVES)
      print_line(out, "    preferred to %s: %s%s", rule->text, cost_of(rule),
                 rule->outermost && !fix->problem.rules[chosen].outermost
                     ? ", in the function of a thread, which others do not pass"
                     : "");
  }
  if (found > MAX_ALTERNATIVES)
    fprintf(out, "    and to %zu more\n", found - MAX_ALTERNATIVES);
}

void fix_write_rules_chosen(const struct fix *fix, FILE *out) {
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    const struct fix_rule *rule = &fix->problem.rules[i];
    if (!fix->chosen[i])
      continue;
    print_line(out, "  %s", rule->text);
    if (rule->executions > 0)
      fprintf(out, "    executed %s\n", cost_of(rule));
    write_preference(fix, i, out);
    if (rule->sibling_of)
      print_line(out, "    for a schedule that was not seen: the reader comes too early for %s",
                 rule->sibling_of);
    if (rule->refused)
      print_line(out, "    to be written by hand: %s", rule->refused);
  }
}

void fix_print_summary(const struct fix *fix) {
  char text[80];
  const struct fix_problem *problem = &fix->problem;
  printf("%zu violation%s in %u runs%s\n", problem->violation_count,
         plural(problem->violation_count), fix->made, problem->violation_count ? ":" : "");
  for (size_t i = 0; i < problem->violation_count; i++)
    print_line(stdout, "  %s", problem->violations[i].place);
  fix_print_races(fix);
  fix_count(fix, fix->chosen, text, sizeof text);
  printf("repair: %s\n", text);
  fix_write_rules_chosen(fix, stdout);
  printf("fences executed in a run: %.0f\n", fix->fences);
}

void fix_print_schedules(const struct fix *fix) {
  unsigned siblings = 0;
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    siblings += fix->chosen[i] && fix->problem.rules[i].sibling_of;
  printf(
      "with the repair simulated: no %sviolation%s in %u runs, %u of them with chosen schedules\n",
      fix->only ? "confirmed " : "", fix->race_count ? " or repaired data race" : "", fix->runs,
      fix_scheduled(fix));
  puts("the repair holds for the schedules of these runs; no others were tried");
  if (siblings)
    printf("%u of its orders %s for schedules that were not seen\n", siblings,
           siblings == 1 ? "is" : "are");
}
