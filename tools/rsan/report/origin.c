// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "origin.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/shell.h"
#include "file/regular.h"
#include "need.h"

static const char *const stores[] = {"run.json", "check.json", "confirm.json", "campaign.json"};
enum { STORES = sizeof stores / sizeof *stores, LARGEST = 1 << 20 }; // bytes

// The file's text, for free(); NULL: there is none, or it is larger.
static char *read_text(const char *path) {
  FILE *file = file_open_regular(path, 0);
  if (!file)
    return NULL;
  char *text = need(malloc(LARGEST + 1));
  const size_t length = fread(text, 1, LARGEST + 1, file);
  fclose(file);
  text[length <= LARGEST ? length : 0] = 0;
  return text;
}

// The command in the file as a line, for free(); NULL: there is none.
static char *read_command(const char *path) {
  char *text = read_text(path);
  cJSON *json = text ? cJSON_Parse(text) : NULL;
  const cJSON *words = cJSON_GetObjectItemCaseSensitive(json, "command"), *word;
  const size_t count = cJSON_IsArray(words) ? (size_t)cJSON_GetArraySize(words) : 0;
  const char **list = need(calloc(count + 1, sizeof *list));
  size_t used = 0;
  cJSON_ArrayForEach(word, words) if (cJSON_IsString(word)) list[used++] = word->valuestring;
  char *line = used && used == count ? shell_line(list) : NULL;
  free(list);
  cJSON_Delete(json);
  free(text);
  return line;
}

static void add_command(struct origin *origin, char *command) {
  const size_t kept = origin->count < ORIGIN_COMMANDS ? origin->count : ORIGIN_COMMANDS;
  for (size_t i = 0; i < kept; i++)
    if (strcmp(origin->commands[i], command) == 0) {
      free(command);
      return;
    }
  if (kept < ORIGIN_COMMANDS)
    origin->commands[kept] = command;
  else
    free(command);
  origin->count++;
}

void origin_note(struct origin *origin, const char *file) {
  struct stat info;
  if (strcmp(file, "-") == 0 || stat(file, &info) != 0 || !S_ISREG(info.st_mode))
    return;
  if (info.st_mtime > origin->written)
    origin->written = info.st_mtime;
  const char *slash = strrchr(file, '/');
  for (size_t i = 0; i < STORES; i++) {
    char path[PATH_MAX];
    const int length =
        slash ? snprintf(path, sizeof path, "%.*s/%s", (int)(slash - file), file, stores[i])
              : snprintf(path, sizeof path, "%s", stores[i]);
    char *command = length < (int)sizeof path ? read_command(path) : NULL;
    if (command)
      add_command(origin, command);
  }
}

void origin_clear(struct origin *origin) {
  for (size_t i = 0; i < ORIGIN_COMMANDS; i++)
    free(origin->commands[i]);
  *origin = (struct origin){0};
}
