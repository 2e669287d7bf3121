// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "journal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "file/line.h"
#include "file/regular.h"
#include "report/record.h"

static const char *path_in(const char *folder) {
  static char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/runs.jsonl", folder);
  return path;
}

static const char *kind_of(const struct made *made, bool first) {
  return made->trial.kind == TRIAL_TRY      ? "try"
         : made->trial.kind == TRIAL_AGAIN  ? "again"
         : made->trial.kind == TRIAL_REPEAT ? "repeat"
         : first                            ? "control"
                                            : "twin";
}

static void add_failures(cJSON *line, const char *name, const struct outcome *outcome) {
  cJSON *list = cJSON_AddArrayToObject(line, name);
  for (size_t i = 0; i < outcome->count; i++) {
    cJSON *failure = cJSON_CreateObject();
    cJSON_AddStringToObject(failure, "kind", failure_name(outcome->at[i].kind));
    cJSON_AddStringToObject(failure, "key", outcome->at[i].key);
    cJSON_AddStringToObject(failure, "text", outcome->at[i].text);
    cJSON_AddItemToArray(list, failure);
  }
}

static char *line_of(const struct trials *trials, const struct made *made, bool first) {
  const struct trial *trial = &made->trial;
  const struct recipe *recipe = &trial->recipe;
  cJSON *line = cJSON_CreateObject();
  cJSON_AddNumberToObject(line, "run", made->run);
  cJSON_AddStringToObject(line, "is", kind_of(made, first));
  cJSON_AddNumberToObject(line, "seed", recipe->seed);
  cJSON_AddStringToObject(line, "schedule", recipe_schedule(recipe->seed));
  if (trial->kind != TRIAL_CONTROL) {
    cJSON_AddStringToObject(line, "violation", trials->violation[trial->violation].token);
    cJSON_AddStringToObject(line, "candidate", candidate_name(recipe->candidate));
    cJSON_AddNumberToObject(line, "allowed", recipe->departures);
    cJSON_AddNumberToObject(line, "skip", recipe->skip);
    cJSON_AddBoolToObject(line, "pause", recipe->pause);
    cJSON_AddNumberToObject(line, "follow", recipe->follow);
    cJSON_AddNumberToObject(line, "departures", (double)made->departures);
    cJSON_AddNumberToObject(line, "most", (double)made->most);
  }
  if (trial->kind == TRIAL_AGAIN || trial->kind == TRIAL_REPEAT) {
    cJSON_AddNumberToObject(line, "of", trial->of);
    cJSON_AddNumberToObject(line, "number", trial->number);
  }
  cJSON_AddNumberToObject(line, "seconds", made->seconds);
  if (made->ceased)
    cJSON_AddTrueToObject(line, "ceased");
  add_failures(line, "failures", &made->outcome);
  if (made->before.count)
    add_failures(line, "before", &made->before);
  char *text = cJSON_PrintUnformatted(line);
  cJSON_Delete(line);
  if (!text)
    abort();
  return text;
}

bool journal_write(const char *folder, const struct trials *trials, const struct made *made,
                   bool first) {
  char *text = line_of(trials, made, first);
  FILE *file = fopen(path_in(folder), "a");
  bool written = file && fprintf(file, "%s\n", text) > 0;
  if (file)
    written &= fclose(file) == 0;
  cJSON_free(text);
  return written;
}

// -- read --

static unsigned number_of(const cJSON *line, const char *name) {
  uint64_t number = record_number(line, name);
  return number < UINT_MAX ? (unsigned)number : 0;
}

static bool find_violation(const struct trials *trials, const char *token, size_t *index) {
  for (*index = 0; token && *index < trials->violation_count; ++*index)
    if (strcmp(trials->violation[*index].token, token) == 0)
      return true;
  return false;
}

static bool read_kind(const char *text, enum trial_kind *kind, bool *first) {
  *first = text && strcmp(text, "control") == 0;
  *kind = TRIAL_CONTROL;
  if (text && strcmp(text, "try") == 0)
    *kind = TRIAL_TRY;
  else if (text && strcmp(text, "again") == 0)
    *kind = TRIAL_AGAIN;
  else if (text && strcmp(text, "repeat") == 0)
    *kind = TRIAL_REPEAT;
  else
    return *first || (text && strcmp(text, "twin") == 0);
  return true;
}

static void read_failures(const cJSON *line, const char *name, struct outcome *outcome) {
  const cJSON *failure;
  cJSON_ArrayForEach(failure, record_list(line, name)) {
    enum failure_kind kind;
    const char *key = record_text(failure, "key"), *text = record_text(failure, "text");
    if (failure_find(record_text(failure, "kind"), &kind) && key && text)
      outcome_add(outcome, kind, key, text);
  }
}

// Returns whether `rsan confirm' can have made the run. A forged seed would make it count the runs
// of four thousand million seeds.
static bool makes_sense(const struct trials *trials, const struct made *made) {
  unsigned seed = made->trial.recipe.seed;
  return made->run && made->run <= RUN_LAST && seed >= trials->first_seed &&
         seed - trials->first_seed <= 2 * TRIALS_MOST && made->seconds >= 0;
}

static bool read_line(const struct trials *trials, const cJSON *line, struct made *made,
                      bool *first) {
  struct trial *trial = &made->trial;
  const cJSON *seconds = cJSON_GetObjectItemCaseSensitive(line, "seconds");
  *made = (struct made){.run = number_of(line, "run"),
                        .seconds = cJSON_IsNumber(seconds) ? seconds->valuedouble : 0,
                        .ceased = record_true(line, "ceased"),
                        .departures = number_of(line, "departures"),
                        .most = number_of(line, "most")};
  trial->recipe = (struct recipe){.seed = number_of(line, "seed"),
                                  .departures = number_of(line, "allowed"),
                                  .skip = number_of(line, "skip"),
                                  .pause = record_true(line, "pause"),
                                  .follow = number_of(line, "follow")};
  trial->of = number_of(line, "of");
  trial->number = number_of(line, "number");
  bool sound = makes_sense(trials, made) && read_kind(record_text(line, "is"), &trial->kind, first);
  if (sound && trial->kind != TRIAL_CONTROL)
    sound = find_violation(trials, record_text(line, "violation"), &trial->violation) &&
            candidate_find(record_text(line, "candidate"), &trial->recipe.candidate);
  if (sound) {
    read_failures(line, "failures", &made->outcome);
    read_failures(line, "before", &made->before);
  }
  return sound;
}

// What is written next must not become a part of a line that was broken off.
static void end_line(const char *folder) {
  FILE *file = fopen(path_in(folder), "a");
  if (!file)
    return;
  fputc('\n', file);
  fclose(file);
}

bool journal_read(const char *folder, const struct trials *trials,
                  void (*take)(void *context, struct made *made, bool first), void *context) {
  char *text = NULL;
  size_t size = 0;
  bool whole = true;
  FILE *file = file_open_regular(path_in(folder), 0);
  if (!file)
    return errno == ENOENT;
  while (file_line(&text, &size, file) >= 0) {
    struct made made;
    bool first;
    whole = strchr(text, '\n');
    cJSON *line = cJSON_Parse(text);
    if (line && read_line(trials, line, &made, &first))
      take(context, &made, first);
    cJSON_Delete(line);
  }
  free(text);
  fclose(file);
  if (!whole)
    end_line(folder);
  return true;
}
