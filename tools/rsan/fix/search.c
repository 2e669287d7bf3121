// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fix.h"
#include "options.h"
#include "printable.h"

enum { MAX_ROUNDS = 100, MIN_LOOK = 3 };

void fix_say(const struct fix *fix, const char *format, ...) {
  va_list values;
  fprintf(stderr, "%s: ", fix->name);
  va_start(values, format);
  print_line_values(stderr, format, values);
  va_end(values);
}

void fix_count(const struct fix *fix, const bool *chosen, char *text, size_t size) {
  unsigned fences = 0, orders = 0;
  for (size_t i = 0; i < fix->problem.rule_count; i++) {
    fences += chosen[i] && fix->problem.rules[i].fence;
    orders += chosen[i] && !fix->problem.rules[i].fence;
  }
  int used = snprintf(text, size, "%u fence%s", fences, fences == 1 ? "" : "s");
  if (orders && used > 0 && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, ", %u stronger order%s", orders,
             orders == 1 ? "" : "s");
}

static size_t violations(const struct runs *runs) {
  return records_of_type(&runs->records, "robustness violation");
}

// What makes the result worth nothing.
static bool is_sound(const struct fix *fix, const struct runs *runs) {
  if (!runs->interrupted && !runs->records.runtime_seen && !runs->records.count) {
    fix_say(fix, "nothing was checked: no process that uses RSan's runtime ran to completion "
                 "(`rsan doctor PROGRAM' tells what a program has)");
    return false;
  }
  for (size_t i = 0; i < runs->records.count; i++)
    if (!runs->records.at[i].json &&
        strcmp(runs->records.at[i].type, "robustness violation") == 0) {
      fix_say(fix, "the program's runtime writes no records of its reports: build it with this "
                   "version's rsan-clang, and leave RSAN_OPTIONS to rsan fix");
      return false;
    }
  return true;
}

static bool is_any(const struct fix *fix, const bool *chosen) {
  bool any = false;
  for (size_t i = 0; i < fix->problem.rule_count && chosen; i++)
    any |= chosen[i];
  return any;
}

// The runtime has refused the chosen rule that is on that line of the list: it is not made again.
static void note_refusal(struct fix *fix, const bool *chosen, const char *text) {
  char *why;
  unsigned long line = *text == ':' ? strtoul(text + 1, &why, 10) : 0;
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    if (chosen[i] && line && --line == 0 && !fix->problem.rules[i].illegal) {
      fix->problem.rules[i].illegal = strdup(why + strspn(why, ": "));
      fix->refused = true;
    }
}

// A run that a rule has ended says nothing about violations.
static bool is_refused(struct fix *fix, const bool *chosen, const struct runs *runs,
                       const char *rules) {
  bool refused = false;
  for (size_t i = 0; i < runs->records.remark_count; i++) {
    const char *found = strstr(runs->records.remarks[i], rules);
    if (!found)
      continue;
    fix_say(fix, "%s", runs->records.remarks[i]);
    note_refusal(fix, chosen, found + strlen(rules));
    refused = true;
  }
  return refused;
}

bool fix_run(struct fix *fix, const bool *chosen, const char *more, unsigned iterations,
             bool stop_on_first, struct runs *runs) {
  char folder[PATH_MAX], rules[PATH_MAX + 16], options[PATH_MAX + 128] = "";
  struct run_plan plan = fix->plan;
  *runs =
      (struct runs){.records = {.only = fix->unfiltered ? NULL : (const char *const *)fix->only}};
  snprintf(folder, sizeof folder, "%s/step-%03u", fix->folder, ++fix->steps);
  if (mkdir(folder, 0777) != 0) {
    fix_say(fix, "%s: %s", folder, strerror(errno));
    return false;
  }
  bool simulates = is_any(fix, chosen);
  if (more)
    snprintf(options, sizeof options, "%s", more);
  if (simulates) {
    snprintf(rules, sizeof rules, "%s/rules", folder);
    if (!fix_write_rules(fix, chosen, rules)) {
      fix_say(fix, "%s: %s", rules, strerror(errno));
      return false;
    }
    const char *quote = options_quote(rules);
    snprintf(options, sizeof options, "simulate=%s%s%s%s%s", quote, rules, quote, more ? ":" : "",
             more ? more : "");
  }
  plan.folder = folder;
  plan.options = *options ? options : NULL;
  plan.iterations = iterations;
  plan.stop_on_first = stop_on_first;
  bool done = runs_do(&plan, fix->name, runs);
  fix->made += runs_ended(runs);
  if (simulates && !violations(runs) && runs_ended(runs))
    fix->fences = (double)runs->records.fences / runs_ended(runs);
  fix->interrupted |= runs->interrupted;
  bool refused = simulates && is_refused(fix, chosen, runs, rules);
  return done && !refused && is_sound(fix, runs);
}

unsigned fix_scheduled(const struct fix *fix) {
  return fix->runs / 2;
}

bool fix_confirm(struct fix *fix, const bool *chosen, struct runs *runs) {
  unsigned scheduled = fix_scheduled(fix);
  if (!fix_run(fix, chosen, NULL, fix->runs - scheduled, true, runs))
    return false;
  if (violations(runs) || fix->interrupted || !scheduled)
    return true;
  records_free(&runs->records);
  fix->plan.schedule = "mix";
  bool done = fix_run(fix, chosen, NULL, scheduled, true, runs);
  fix->plan.schedule = NULL;
  return done;
}

// A short look, and only if nothing is found the whole number of runs.
static bool look(struct fix *fix, const bool *chosen, struct runs *runs) {
  unsigned few = fix->runs / 5 > MIN_LOOK ? fix->runs / 5 : MIN_LOOK;
  if (few > fix->runs)
    few = fix->runs;
  if (!fix_run(fix, chosen, NULL, few, false, runs))
    return false;
  if (violations(runs) || fix->interrupted)
    return true;
  records_free(&runs->records);
  return fix_confirm(fix, chosen, runs);
}

static void say_failures(const struct fix *fix, const struct runs *runs) {
  if (runs->count[RUN_FAILED] || runs->count[RUN_HUNG])
    fix_say(fix, "%u of these runs failed and %u hung without a report", runs->count[RUN_FAILED],
            runs->count[RUN_HUNG]);
}

static bool is_late(const struct fix *fix) {
  return fix->time > 0 && now_seconds() - fix->begun > fix->time;
}

bool fix_drop_refused(struct fix *fix) {
  bool any = fix->refused;
  fix->refused = false;
  if (any)
    fix_cover(&fix->problem, fix->chosen);
  return any;
}

enum fix_outcome fix_search(struct fix *fix) {
  char text[80];
  bool any = fix->problem.violation_count != 0;
  for (unsigned round = 0; round < MAX_ROUNDS; round++) {
    struct runs runs;
    bool run = look(fix, any ? fix->chosen : NULL, &runs);
    size_t found = violations(&runs);
    bool news = run && fix_add_records(&fix->problem, &runs.records, fix->chosen);
    if (run && !found)
      say_failures(fix, &runs);
    records_free(&runs.records);
    fix_note_modules(fix);
    if (fix->interrupted || (!run && !fix_drop_refused(fix)))
      return FIX_FAILED;
    if (!run)
      continue;
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
            fix->problem.violation_count == 1 ? "" : "s", fix->made, text);
  }
  return FIX_STUCK;
}

// Is it clean without this rule?
static bool is_dispensable(struct fix *fix, size_t rule, bool *failed) {
  struct runs runs;
  fix->chosen[rule] = false;
  bool run = fix_confirm(fix, fix->chosen, &runs);
  bool clean = run && !violations(&runs) && !fix->interrupted;
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
      if (is_late(fix))
        fix->untried++;
      else if (is_dispensable(fix, i, &failed))
        fix_say(fix, "not needed: %s", rule->text);
    }
  return !failed;
}
