// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A series of runs with rules simulated, and what makes its result worth nothing.

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/options.h"
#include "fix.h"
#include "printable.h"
#include "run/checked.h"

void fix_say(const struct fix *fix, const char *format, ...) {
  va_list values;
  fprintf(stderr, "%s: ", fix->name);
  va_start(values, format);
  print_line_values(stderr, format, values);
  va_end(values);
}

// What makes the result worth nothing.
static bool is_sound(struct fix *fix, const struct runs *runs) {
  if (!runs->interrupted && checked_lack(&runs->records)) {
    checked_print(&runs->records, fix->name, fix->plan.allow_empty, stderr);
    fix->empty = !fix->plan.allow_empty;
    if (fix->empty)
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

bool fix_is_any(const struct fix *fix) {
  return is_any(fix, fix->chosen);
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
  fix_leave_harmless(fix, &runs->records);
  fix->made += runs_ended(runs);
  if (simulates && !records_of_type(&runs->records, "robustness violation") && runs_ended(runs))
    fix->fences = (double)runs->records.fences / runs_ended(runs);
  fix->interrupted |= runs->interrupted;
  fix->start_error = runs->start_error;
  bool refused = simulates && is_refused(fix, chosen, runs, rules);
  return done && !runs->start_error && !refused && is_sound(fix, runs);
}
