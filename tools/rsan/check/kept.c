// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kept.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/output.h"
#include "printable.h"

static const char *const variables[] = {"RSAN_OPTIONS", "TSAN_OPTIONS"};

static const char *path_in(const char *folder) {
  static char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/check.json", folder);
  return path;
}

// -- written --

static void add_asked(cJSON *json, const struct kept *kept) {
  char directory[PATH_MAX];
  cJSON *command = cJSON_AddArrayToObject(json, "command");
  for (char **word = kept->command; *word; word++)
    cJSON_AddItemToArray(command, cJSON_CreateString(*word));
  cJSON_AddStringToObject(json, "directory", getcwd(directory, sizeof directory) ? directory : "/");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (getenv(variables[i]))
      cJSON_AddStringToObject(json, variables[i], getenv(variables[i]));
  cJSON_AddNumberToObject(json, "preemptions", (double)kept->bounds.preemptions);
  cJSON_AddNumberToObject(json, "loop", kept->bounds.loop);
  cJSON_AddNumberToObject(json, "timeout", kept->timeout);
}

static void add_counted(cJSON *json, const struct counted_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (verdict_is_loss(&list->at[i]))
      cJSON_AddNumberToObject(json, list->at[i].why, (double)list->at[i].executions);
}

static void add_verdict(cJSON *json, const struct progress *p) {
  static const char *const words[] = {[VERDICT_PROVED] = "proved",
                                      [VERDICT_FOUND] = "found",
                                      [VERDICT_NOT_FINISHED] = "not proved"};
  cJSON_AddStringToObject(json, "verdict", words[verdict_of(p)]);
  cJSON_AddNumberToObject(json, "executions", (double)p->executions);
  cJSON_AddNumberToObject(json, "whole_executions", (double)p->whole);
  cJSON_AddNumberToObject(json, "assumed_executions", (double)verdict_assumed(p));
  cJSON_AddNumberToObject(json, "seconds", p->seconds);
  cJSON_AddBoolToObject(json, "exhausted", p->ended && p->exhausted && !p->cut);
  cJSON *gaps = cJSON_AddObjectToObject(json, "gaps");
  add_counted(gaps, &p->given_up);
  add_counted(gaps, &p->gaps);
  cJSON *findings = cJSON_AddArrayToObject(json, "findings");
  for (size_t i = 0; i < p->findings; i++) {
    cJSON *finding = cJSON_CreateObject();
    cJSON_AddStringToObject(finding, "what", p->finding[i].what);
    cJSON_AddStringToObject(finding, "schedule", p->finding[i].schedule);
    cJSON_AddNumberToObject(finding, "execution", (double)p->finding[i].execution);
    cJSON_AddNumberToObject(finding, "steps", (double)p->finding[i].steps);
    cJSON_AddItemToArray(findings, finding);
  }
}

bool kept_write(const char *folder, const struct kept *kept, const struct progress *progress) {
  cJSON *json = cJSON_CreateObject();
  add_asked(json, kept);
  if (progress)
    add_verdict(json, progress);
  char *text = cJSON_Print(json);
  cJSON_Delete(json);
  if (!text)
    abort();
  bool written = file_output(path_in(folder), text, strlen(text));
  cJSON_free(text);
  return written;
}

// -- read --

static char *read_text(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t room = 0;
  ssize_t length = file ? getdelim(&text, &room, 0, file) : -1;
  if (file)
    fclose(file);
  if (length >= 0)
    return text;
  free(text);
  return NULL;
}

static char **words_of(const cJSON *array) {
  int count = cJSON_GetArraySize(array);
  char **words = calloc((size_t)count + 1, sizeof *words);
  if (!words)
    abort();
  for (int i = 0; i < count; i++) {
    const char *word = cJSON_GetStringValue(cJSON_GetArrayItem(array, i));
    words[i] = strdup(word ? word : "");
    if (!words[i])
      abort();
  }
  return words;
}

static double number_of(const cJSON *json, const char *name) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, name);
  return cJSON_IsNumber(value) ? value->valuedouble : -1;
}

static const char *string_of(const cJSON *json, const char *name) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static bool take(const cJSON *json, struct kept *kept) {
  const cJSON *command = cJSON_GetObjectItemCaseSensitive(json, "command");
  const char *directory = string_of(json, "directory");
  double loop = number_of(json, "loop");
  if (cJSON_GetArraySize(command) < 1 || !directory || loop < 1 || loop > INT_MAX)
    return false;
  kept->command = words_of(command);
  kept->bounds.preemptions = (long long)number_of(json, "preemptions");
  kept->bounds.loop = (unsigned)loop;
  kept->timeout = number_of(json, "timeout");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = string_of(json, variables[i]);
    if (value)
      setenv(variables[i], value, 1);
    else
      unsetenv(variables[i]);
  }
  return chdir(directory) == 0;
}

bool kept_read(const char *folder, const char *name, struct kept *kept) {
  char *text = read_text(path_in(folder));
  cJSON *json = text ? cJSON_Parse(text) : NULL;
  bool taken = json && take(json, kept);
  if (!taken)
    print_line(stderr, "%s: --resume %s: there is no exploration to go on with (check.json)", name,
               folder);
  cJSON_Delete(json);
  free(text);
  return taken;
}

void kept_free(struct kept *kept) {
  for (char **word = kept->command; word && *word; word++)
    free(*word);
  free(kept->command);
}
