// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fix --pr FILE: the diff behind a message for whoever merges it: what could go wrong, in which
// execution, why the repair is enough, what it was preferred to, and what it costs. `git apply'
// passes over the message.

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "file/output.h"
#include "fix.h"
#include "need.h"
#include "report/output.h"
#include "report/record.h"

static char *read_file(const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "re");
  if (file && getdelim(&text, &size, 0, file) < 0) {
    free(text);
    text = NULL;
  }
  if (file)
    fclose(file);
  return text;
}

// -- the violations --

static const cJSON *item(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

// "acquire read of `state', f.cpp:16:24 in wake_by_ref()"
static void write_access(const cJSON *access, const cJSON *place, FILE *out) {
  const char *order = record_text(access, "order"), *kind = record_text(access, "kind");
  const char *name = record_text(access, "field");
  name = name ? name : record_text(access, "name");
  fprintf(out, "%s%s%s", order ? order : "", order ? " " : "", kind ? kind : "step");
  if (name)
    fprintf(out, " of `%s'", name);
  fputs(", ", out);
  write_site(place, out);
}

static void write_execution(const cJSON *record, FILE *out) {
  const cJSON *step;
  bool first = true;
  cJSON_ArrayForEach(step, item(item(record, "cycle"), "steps")) {
    if (!item(step, "access"))
      continue;
    if (first)
      fputs("\n  The steps of such an execution. Each comes before the next one: in its thread, or "
            "because the\n"
            "  next one sees it, overwrites it, or overwrites what it has read. They are a cycle, "
            "which no\n"
            "  interleaving of the threads has:\n\n",
            out);
    first = false;
    fprintf(out, "    thread %u: ", (unsigned)record_number(step, "thread"));
    write_access(item(step, "access"), record_place(step), out);
    fputc('\n', out);
  }
}

static void write_violation(const char *text, FILE *out) {
  cJSON *record = cJSON_Parse(text);
  const cJSON *accesses = item(record, "accesses");
  const cJSON *one = cJSON_GetArrayItem(accesses, 0), *other = cJSON_GetArrayItem(accesses, 1);
  const char *stale = record_text(record, "stale"), *seen = record_text(record, "seen");
  bool race = !record_is_violation(record);
  fputs("* The ", out);
  write_access(one, record_place(one), out);
  fprintf(out, "\n  %s ",
          race                                    ? "is in a data race with the"
          : record_text(record, "overwritten_by") ? "may be ordered before the"
                                                  : "may miss the");
  write_access(other, record_place(other), out);
  if (!race && stale && seen && strcmp(stale, seen) != 0)
    fprintf(out, "\n  and find %s in place of %s", stale, seen);
  fputs(".\n", out);
  write_execution(record, out);
  fputc('\n', out);
  cJSON_Delete(record);
}

// -- the repair --

static bool is_each_needed(const struct fix *fix) {
  bool needed = !fix->untried;
  for (size_t i = 0; i < fix->problem.rule_count; i++)
    needed &= !fix->chosen[i] || !fix->problem.rules[i].kept;
  return needed;
}

static void write_message(const struct fix *fix, FILE *out) {
  char text[80];
  const struct fix_problem *problem = &fix->problem;
  fix_count(fix, fix->chosen, text, sizeof text);
  fprintf(out, "Order atomic accesses by %s\n\nWhat can go wrong\n-----------------\n\n",
          strncmp(text, "0 fences, ", 10) == 0 ? text + 10 : text);
  for (size_t i = 0; i < problem->violation_count; i++)
    write_violation(problem->violations[i].text, out);
  for (size_t i = 0; i < fix->race_count; i++)
    if (!fix->races[i].given_up)
      write_violation(fix->races[i].text, out);
  fputs("The repair, and what was tried\n------------------------------\n\n", out);
  fix_write_rules_chosen(fix, out);
  fprintf(out,
          "\nWhy this is enough\n------------------\n\n"
          "With the repair %u runs of the program had no %s, %u of them with chosen schedules.\n",
          fix->runs, fix->race_count ? "violation and no data race that it repairs" : "violation",
          fix_scheduled(fix));
  if (is_each_needed(fix))
    fputs("Each part is needed: in runs without it there were some again.\n", out);
  fputs("This is no proof: `rsan check' of a small test is.\n", out);
  fprintf(out, "\nWhat it costs\n-------------\n\nFences executed in a run: %.0f.\n\n---\n",
          fix->fences);
}

// -- names --

// The folder that the diff's names begin in: a source's path without its name. "" if that is not
// found.
static char *top_of(const struct fix *fix, const char *diff) {
  for (const char *at = strstr(diff, "--- a/"); at; at = strstr(at + 1, "\n--- a/")) {
    at += *at == '\n';
    size_t name = strcspn(at + 6, "\n");
    for (size_t i = 0; i < fix->saved_count; i++) {
      const char *path = fix->saved[i].path;
      size_t length = strlen(path);
      if (length > name && path[length - name - 1] == '/' &&
          strncmp(path + length - name, at + 6, name) == 0)
        return need(strndup(path, length - name));
    }
  }
  return need(strdup(""));
}

static void write_without(const char *text, const char *top, FILE *out) {
  const char *found;
  size_t length = strlen(top);
  while (length && (found = strstr(text, top))) {
    fwrite(text, 1, (size_t)(found - text), out);
    text = found + length;
  }
  fputs(text, out);
}

bool fix_write_request(const struct fix *fix, const char *path, const char *diff_path) {
  char *message = NULL, *whole = NULL, *diff = read_file(diff_path);
  size_t size = 0, whole_size = 0;
  if (!diff)
    return false;
  FILE *out = need(open_memstream(&message, &size));
  write_message(fix, out);
  fclose(out);
  char *top = top_of(fix, diff);
  out = need(open_memstream(&whole, &whole_size));
  write_without(message, top, out);
  fputs(diff, out);
  fclose(out);
  bool fine = file_output(path, whole, whole_size);
  free(whole);
  free(message);
  free(diff);
  free(top);
  return fine;
}
