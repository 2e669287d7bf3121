// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file for suppressions=FILE that silences the reports, with their reasons as comments.

#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "failure.h"
#include "frame.h"
#include "output.h"
#include "record.h"

// The runtime's name for suppressions of the type; see tsan_suppressions.cpp.
static const char *suppression_type(const cJSON *record, bool top) {
  static const struct {
    const char *text, *name;
  } others[] = {{"mutex", "mutex"},
                {"lock of", "mutex"},
                {"unlock", "mutex"},
                {"signal", "signal"},
                {"lock-order", "deadlock"},
                {"thread leak", "thread"},
                {"uninitialised", "uninitialised"}};
  const char *type = record_type(record);
  if (record_is_violation(record))
    return top ? "robustness_top" : "robustness";
  if (record_is_race(record))
    return top ? "race_top" : "race";
  // "read lock of a write locked mutex" and its like are all of mutexes
  for (size_t i = sizeof others / sizeof *others; i-- > 0;)
    if (strstr(type, others[i].text))
      return others[i].name;
  return "race";
}

// A comment is one line, whatever names hold.
static void write_comment(const char *before, const char *text, const char *after, FILE *out) {
  fputs(before, out);
  for (; *text; text++)
    fputc(*text == '\n' ? ' ' : *text, out);
  fprintf(out, "%s\n", after);
}

// A * in a rule matches any text. If the * is part of a pointer type or an operator's name, the
// rule matches few other functions, so it is offered. Any other * is refused, because the rule
// would suppress reports that the user has not seen.
static bool has_wildcard(const char *function) {
  static const char word[] = "operator";
  unsigned depth = 0;
  for (const char *at = function; *at; at++) {
    if (*at == '<' || *at == '(')
      depth++;
    else if ((*at == '>' || *at == ')') && depth)
      depth--;
    bool is_operator = (size_t)(at - function) >= strlen(word) &&
                       strncmp(at - strlen(word), word, strlen(word)) == 0;
    if (*at == '*' && !depth && !is_operator)
      return true;
  }
  return false;
}

// The suppression of all reports with its first site's function, for free(). NULL: there is no
// function that a rule can name.
static char *suppression_of(const cJSON *record) {
  const cJSON *site = record_site(record, 0);
  const char *function = record_text(site, "function");
  // robustness_top: matches the place of a violation, wherever it stands in the stack.
  bool top = record_is_violation(record) ||
             cJSON_Compare(site, cJSON_GetArrayItem(record_stack(record, 0), 0), true);
  char *line;
  if (!function || has_wildcard(function))
    return NULL;
  if (asprintf(&line, "%s:^%s$", suppression_type(record, top), function) < 0)
    exit(STATUS_FAILED);
  return line;
}

static void write_one(const struct entry *entry, FILE *out) {
  const cJSON *record = entry->record;
  const char *name = record_text(record_object(record, "location"), "name");
  char *text = sentence(record), *line = suppression_of(record);
  write_comment("\n# ", text, "", out);
  fprintf(out, "# Seen %llu times. Reason why it is harmless: (say it here)\n",
          (unsigned long long)entry->count);
  if (record_is_failure(record))
    fputs("# The program ends with it, so nothing can be suppressed.\n", out);
  else
    fprintf(out, "token:%s\n", entry->token);
  if (line && !record_is_failure(record))
    write_comment("# Or, for all reports of the function: ", line, "", out);
  if (record_is_violation(record) && name && strcmp(name, "??") != 0)
    write_comment("# Or, for all that is done to it: robustness_location:^", name, "$", out);
  free(line);
  free(text);
}

void write_suppressions(const struct collection *collection, FILE *out) {
  fputs("# Suppressions for RSAN_OPTIONS=suppressions=FILE. A line silences one finding, by its "
        "token:\n"
        "# keep only what is harmless.\n",
        out);
  for (size_t i = 0; i < collection->count; i++)
    write_one(&collection->at[i], out);
}
