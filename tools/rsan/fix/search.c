// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/plural.h"
#include "fix.h"

enum { MAX_ROUNDS = 100, MIN_LOOK = 3 };

void fix_count(const struct fix *fix, const bool *chosen, char *text, size_t size) {
  unsigned fences = 0, orders = 0;
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    fences += chosen[i] && fix->problem.rules[i].fence;
    orders += chosen[i] && !fix->problem.rules[i].fence;
  }
  int used = snprintf(text, size, "%u fence%s", fences, plural(fences));
  if (orders && used > 0 && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, ", %u stronger order%s", orders, plural(orders));
}

// A short look, and only if nothing is found the whole number of runs.
static bool look(struct fix *fix, const bool *chosen, struct runs *runs) {
  unsigned few = fix->runs / 5 > MIN_LOOK ? fix->runs / 5 : MIN_LOOK;
  if (few > fix->runs)
    few = fix->runs;
  if (!fix_run(fix, chosen, NULL, few, false, runs))
    return false;
  if (fix_goals(fix, &runs->records) || fix->interrupted)
    return true;
  records_free(&runs->records);
  return fix_confirm(fix, chosen, runs);
}

static void say_failures(const struct fix *fix, const struct runs *runs) {
  if (runs->count[RUN_FAILED] || runs->count[RUN_HUNG])
    fix_say(fix, "%u of these runs failed and %u hung without a report", runs->count[RUN_FAILED],
            runs->count[RUN_HUNG]);
}

enum fix_outcome fix_search(struct fix *fix) {
  char text[80];
  bool any = fix->problem.violation_count != 0 || fix_is_any(fix);
  for (unsigned round = 0; round < MAX_ROUNDS; round++) {
    struct runs runs;
    bool run = look(fix, any ? fix->chosen : NULL, &runs);
    size_t found = records_of_type(&runs.records, "robustness violation");
    bool news = run && fix_add_records(&fix->problem, &runs.records, fix->chosen);
    bool races = run && !found && !fix->interrupted && fix_goals(fix, &runs.records);
    if (races && !fix_publish(fix, &runs.records))
      run = false;
    if (run && !found && !races)
      say_failures(fix, &runs);
    records_free(&runs.records);
    fix_note_modules(fix);
    if (fix->interrupted || (!run && !fix_drop_refused(fix)))
      return FIX_FAILED;
    if (!run)
      continue;
    if (races) {
      any = fix_is_any(fix);
      continue;
    }
    if (!found)
      return any ? FIX_CLEAN : FIX_NO_VIOLATION;
    if (!news)
      return FIX_STUCK;
    fix_judge(fix);
    fix_measure(fix);
    fix_cover(&fix->problem, fix->chosen);
    any = true;
    fix_count(fix, fix->chosen, text, sizeof text);
    fix_say(fix, "%zu violation%s in %u runs; trying %s", fix->problem.violation_count,
            plural(fix->problem.violation_count), fix->made, text);
  }
  return FIX_STUCK;
}

// Is it clean without this rule?
static bool is_dispensable(struct fix *fix, size_t rule, bool *failed) {
  struct runs runs;
  fix->chosen[rule] = false;
  bool run = fix_confirm(fix, fix->chosen, &runs);
  bool clean = run && !fix_goals(fix, &runs.records) && !fix->interrupted;
  *failed = !run || fix->interrupted;
  records_free(&runs.records);
  if (!clean)
    fix->chosen[rule] = true;
  return clean;
}

bool fix_reduce(struct fix *fix) {
  bool failed = false;
  // What cannot be edited and what costs most is tried first.
  for (int pass = 0; pass < 3 && !failed; pass++)
    for (size_t i = 0; i < fix->problem.rule_count && !failed; i++) {
      const struct fix_rule *rule = &fix->problem.rules[i];
      int turn = rule->refused ? 0 : rule->fence ? 1 : 2;
      if (!fix->chosen[i] || rule->kept || turn != pass)
        continue;
      if (fix_is_late(fix))
        fix->untried++;
      else if (is_dispensable(fix, i, &failed))
        fix_say(fix, "not needed: %s", rule->text);
    }
  return !failed;
}
