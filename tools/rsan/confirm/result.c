// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the runs to records: what came of each violation, as the member "confirmed" of its record
// (docs/guide/FORMATS.md).

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shell.h"
#include "confirm.h"
#include "replay/trusted.h"
#include "report/record.h"
#include "run/departures.h"

enum { SHOWN_DEPARTURES = 16 };

// Are they at the same program point, and miss a write at the same one?
static bool is_alike(const cJSON *a, const cJSON *b) {
  static const char *const stacks[] = {"stack", "missed"};
  for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
    const char *pc = record_text(cJSON_GetArrayItem(record_list(a, stacks[i]), 0), "pc");
    const char *other = record_text(cJSON_GetArrayItem(record_list(b, stacks[i]), 0), "pc");
    if (!pc || !other || strcmp(pc, other) != 0)
      return false;
  }
  return true;
}

static bool has_alike(const cJSON *list, const cJSON *departure) {
  const cJSON *one;
  cJSON_ArrayForEach(one, list) if (is_alike(one, departure)) return true;
  return false;
}

// The first ones, of what is not among them the first one that is like it, and the last one, after
// which it failed.
static void add_departures(cJSON *confirmed, const struct departures *departures) {
  cJSON *object = cJSON_AddObjectToObject(confirmed, "departures");
  cJSON_AddNumberToObject(object, "count", (double)departures->count);
  cJSON *list = cJSON_AddArrayToObject(object, "list");
  int count = cJSON_GetArraySize(departures->list);
  for (int i = 0; i < count; i++) {
    const cJSON *departure = cJSON_GetArrayItem(departures->list, i);
    int shown = cJSON_GetArraySize(list);
    if (i == count - 1 || shown < SHOWN_DEPARTURES / 2 ||
        (shown < SHOWN_DEPARTURES - 1 && !has_alike(list, departure)))
      cJSON_AddItemToArray(list, cJSON_Duplicate(departure, true));
  }
}

// The line for a shell that makes the run again.
static char *command_of(const struct confirm *confirm, const struct made *made) {
  char *text = NULL, *options = NULL, places[PATH_MAX + 16];
  size_t size = 0;
  const char *own = getenv("RSAN_OPTIONS");
  snprintf(places, sizeof places, "%s/places", run_folder(&confirm->plan, made->run));
  FILE *out = open_memstream(&options, &size);
  if (!out)
    abort();
  fprintf(out, "%s%s", own ? own : "", own && *own ? ":" : "");
  recipe_write(&made->trial.recipe, places, out);
  fclose(out);
  out = open_memstream(&text, &size);
  if (!out)
    abort();
  fputs("RSAN_OPTIONS=", out);
  shell_quote(options, out);
  for (char *const *word = confirm->plan.command; *word; word++) {
    fputc(' ', out);
    shell_quote(*word, out);
  }
  fclose(out);
  free(options);
  return text;
}

// What `rsan replay' repeats: the schedule of the process that departed first.
static void add_schedule(cJSON *confirmed, const struct confirm *confirm, const struct made *made,
                         const struct departures *departures) {
  char path[PATH_MAX + 64];
  uint64_t pid = record_number(cJSON_GetArrayItem(departures->list, 0), "pid");
  snprintf(path, sizeof path, "%s/schedule.%lu", run_folder(&confirm->plan, made->run),
           (unsigned long)pid);
  if (recipe_is_repeatable(made->trial.recipe.seed) && access(path, R_OK) == 0) {
    schedule_trust(path);
    cJSON_AddStringToObject(confirmed, "schedule", path);
  }
}

// A program that else ends with 0 says so itself that something is wrong.
static const char *kind_of(const struct confirm *confirm, const struct failure *failure) {
  return failure->kind == FAILURE_EXIT && !confirm->trials.failed_without[FAILURE_EXIT]
             ? "own check"
             : failure_name(failure->kind);
}

static void add_failure(cJSON *confirmed, const struct confirm *confirm,
                        const struct violation *violation, const struct made *best) {
  const struct failure *failure = trials_failure(&confirm->trials, best);
  struct departures departures;
  departures_read(&departures, &confirm->plan, best->run);
  char *command = command_of(confirm, best);
  cJSON_AddStringToObject(confirmed, "kind", kind_of(confirm, failure));
  cJSON_AddStringToObject(confirmed, "text", failure->text);
  cJSON_AddNumberToObject(confirmed, "failed", trials_failed(&confirm->trials, violation, failure));
  cJSON_AddNumberToObject(confirmed, "run", best->run);
  add_departures(confirmed, &departures);
  if (best->repeats)
    cJSON_AddNumberToObject(confirmed, "repeats", best->repeats);
  cJSON_AddStringToObject(confirmed, "command", command);
  add_schedule(confirmed, confirm, best, &departures);
  free(command);
  departures_free(&departures);
}

static cJSON *confirmed_of(const struct confirm *confirm, const struct violation *violation) {
  cJSON *confirmed = cJSON_CreateObject();
  const struct made *best = trials_best(&confirm->trials, violation);
  if (best)
    add_failure(confirmed, confirm, violation, best);
  else
    cJSON_AddStringToObject(confirmed, "kind", "none");
  cJSON_AddNumberToObject(confirmed, "injected", violation->runs);
  cJSON_AddNumberToObject(confirmed, "tries", violation->tries);
  cJSON_AddNumberToObject(confirmed, "controls", (double)confirm->trials.control_count);
  cJSON_AddNumberToObject(confirmed, "all_departures", (double)violation->departures);
  if (trials_unfair(&confirm->trials, violation))
    cJSON_AddNumberToObject(confirmed, "unfair", trials_unfair(&confirm->trials, violation));
  return confirmed;
}

static cJSON *object_of(const struct record *record) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  record_write(record, out);
  fclose(out);
  cJSON *object = cJSON_Parse(text);
  free(text);
  return object;
}

void confirm_collect(struct confirm *confirm, struct collection *collection) {
  for (size_t i = 0; i < confirm->records.count; i++) {
    const struct record *record = &confirm->records.at[i];
    cJSON *object = record->json ? object_of(record) : NULL;
    if (!object)
      continue;
    for (size_t j = 0; j < confirm->trials.violation_count; j++)
      if (strcmp(confirm->trials.violation[j].token, record->token) == 0)
        cJSON_AddItemToObject(object, "confirmed",
                              confirmed_of(confirm, &confirm->trials.violation[j]));
    collection_add(collection, object, record->source, 1);
  }
  collection_finish(collection);
}
