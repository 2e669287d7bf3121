// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A repair of orders is for one write and one read of it. Where the reader had seen other writes of
// the writer, too, the record names these as siblings (docs/guide/FORMATS.md): each is the
// violation in a schedule in which the reader comes too early for the first one. No run needs to
// have taken that schedule, and some programs' runs all take the same; so siblings in the same
// functions are repaired as well, without a run that shows it.

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "fix.h"
#include "report/record.h"

static const cJSON *item(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool same_function(const cJSON *a, const cJSON *b) {
  const char *names[] = {"function", "file"};
  for (int i = 0; i < 2; i++) {
    const char *one = record_text(a, names[i]), *other = record_text(b, names[i]);
    if (!one || !other || strcmp(one, other) != 0)
      return false;
  }
  return true;
}

// The chosen rule among the repairs at the steps FROM and FROM + 1; -1 if there is none.
static int chosen_rule(struct fix *fix, const cJSON *record, int from) {
  const cJSON *repair;
  char kind[64];
  cJSON_ArrayForEach(repair, item(record, "repairs")) {
    int step = (int)record_number(repair, "step");
    const char *what = record_text(repair, "kind"), *order = record_text(repair, "order");
    if ((step != from && step != from + 1) || !order || !what || strcmp(what, "order") != 0)
      continue;
    snprintf(kind, sizeof kind, "order %s", order);
    int rule = fix_add_rule(&fix->problem, kind, item(repair, "frame"));
    if (rule >= 0 && fix->chosen[rule])
      return rule;
  }
  return -1;
}

// Is there nothing to do for this side, or can it be done?
static bool is_near(const cJSON *side, const cJSON *step) {
  return !record_text(side, "order") ||
         (!fix_is_in_wrapper(side) && same_function(fix_place_of(side), fix_place_of(step)));
}

static bool demand_side(struct fix *fix, const cJSON *side, int first) {
  const char *order = record_text(side, "order");
  char kind[64];
  if (!order)
    return false;
  snprintf(kind, sizeof kind, "order %s", order);
  int number = fix_add_rule(&fix->problem, kind, item(side, "frame"));
  if (number < 0 || fix->chosen[number])
    return false;
  struct fix_rule *rule = &fix->problem.rules[number];
  if (rule->sibling_of || rule->illegal) // it has been here before
    return false;
  rule->sibling_of = fix->problem.rules[first].text;
  rule->kept = fix->problem.rules[first].kept = true;
  fix_demand(&fix->problem, (unsigned)first);
  return true;
}

static bool add_of_record(struct fix *fix, const cJSON *record) {
  const cJSON *steps = item(item(record, "cycle"), "steps"), *sibling;
  bool added = false;
  cJSON_ArrayForEach(sibling, item(record, "siblings")) {
    int step = (int)record_number(sibling, "step");
    const cJSON *write = item(sibling, "write"), *read = item(sibling, "read");
    int first = chosen_rule(fix, record, step);
    if (first < 0 || !is_near(write, cJSON_GetArrayItem(steps, step)) ||
        !is_near(read, cJSON_GetArrayItem(steps, step + 1)))
      continue;
    added |= demand_side(fix, write, first);
    added |= demand_side(fix, read, first);
  }
  return added;
}

// Does the repair have to be written by hand anyway?
static bool is_first_refused(const struct fix *fix, const struct fix_rule *sibling) {
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    if (fix->problem.rules[i].text == sibling->sibling_of)
      return fix->problem.rules[i].refused;
  return false;
}

bool fix_add_siblings(struct fix *fix) {
  bool added = false, chosen = false;
  for (size_t i = 0; i < fix->problem.violation_count; i++) {
    cJSON *record = cJSON_Parse(fix->problem.violations[i].text);
    added |= add_of_record(fix, record);
    cJSON_Delete(record);
  }
  if (!added)
    return false;
  fix_judge(fix);
  fix_measure(fix);
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    const struct fix_rule *rule = &fix->problem.rules[i];
    if (!rule->sibling_of || rule->illegal || fix->chosen[i])
      continue;
    if (rule->refused && !is_first_refused(fix, rule)) {
      fix_say(fix, "another schedule may need this, by hand: %s: %s", rule->text, rule->refused);
      continue;
    }
    fix_demand(&fix->problem, (unsigned)i);
    fix->chosen[i] = chosen = true;
    fix_say(fix, "for other schedules: %s", rule->text);
  }
  return chosen;
}
