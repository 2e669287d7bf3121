// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "asked.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/output.h"

static const char *const variables[] = {"RSAN_OPTIONS", "TSAN_OPTIONS"};

void asked_add(cJSON *json, char *const *command) {
  char directory[PATH_MAX];
  cJSON *words = cJSON_AddArrayToObject(json, "command");
  for (char *const *word = command; *word; word++)
    cJSON_AddItemToArray(words, cJSON_CreateString(*word));
  cJSON_AddStringToObject(json, "directory", getcwd(directory, sizeof directory) ? directory : "/");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (getenv(variables[i]))
      cJSON_AddStringToObject(json, variables[i], getenv(variables[i]));
}

bool asked_write(const char *path, cJSON *json) {
  char *text = cJSON_Print(json);
  cJSON_Delete(json);
  if (!text)
    abort();
  bool written = file_output(path, text, strlen(text));
  int error = errno;
  cJSON_free(text);
  errno = error;
  return written;
}

cJSON *asked_read(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t room = 0;
  ssize_t length = file ? getdelim(&text, &room, 0, file) : -1;
  if (file)
    fclose(file);
  cJSON *json = length >= 0 ? cJSON_Parse(text) : NULL;
  free(text);
  return json;
}

static const char *string_of(const cJSON *json, const char *name) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
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

bool asked_take(const cJSON *json, char ***command) {
  const cJSON *words = cJSON_GetObjectItemCaseSensitive(json, "command");
  const char *directory = string_of(json, "directory");
  if (cJSON_GetArraySize(words) < 1 || !directory || chdir(directory) != 0)
    return false;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = string_of(json, variables[i]);
    if (value)
      setenv(variables[i], value, 1);
    else
      unsetenv(variables[i]);
  }
  *command = words_of(words);
  return true;
}

void asked_free(char **command) {
  for (char **word = command; word && *word; word++)
    free(*word);
  free(command);
}
