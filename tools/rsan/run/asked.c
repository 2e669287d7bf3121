// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "asked.h"

#include <errno.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "file/output.h"
#include "file/regular.h"
#include "need.h"
#include "printable.h"
#include "trust/list.h"

enum {
  FORMAT = 1,        // increment when the meaning of a field changes
  LARGEST = 16 << 20 // bytes of a file
};

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

// Returns the object's entry in the list: all fields that decide which programs are started, and
// how. The caller frees it.
static char *entry_of(const cJSON *json) {
  static const char *const names[] = {"command",      "directory", "RSAN_OPTIONS",
                                      "TSAN_OPTIONS", "on",        "with"};
  cJSON *asked = cJSON_CreateObject();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    cJSON *value = cJSON_GetObjectItemCaseSensitive(json, names[i]);
    if (value)
      cJSON_AddItemToObject(asked, names[i], cJSON_Duplicate(value, true));
  }
  char *text = need(cJSON_PrintUnformatted(asked)), *entry;
  cJSON_Delete(asked);
  if (asprintf(&entry, "command %s", text) < 0)
    abort();
  cJSON_free(text);
  return entry;
}

// Computes the SHA-256 of the object's text. The object must not contain its checksum yet.
static char *checksum_of(const cJSON *json, char digest[static SHA256_DIGEST_STRING_LENGTH]) {
  char *text = need(cJSON_PrintUnformatted(json));
  SHA256Data((const uint8_t *)text, strlen(text), digest);
  cJSON_free(text);
  return digest;
}

bool asked_write(const char *path, cJSON *json) {
  char digest[SHA256_DIGEST_STRING_LENGTH], *entry = entry_of(json);
  trust_list_add(entry);
  free(entry);
  cJSON_AddNumberToObject(json, "format", FORMAT);
  cJSON_AddStringToObject(json, "checksum", checksum_of(json, digest));
  char *text = need(cJSON_Print(json));
  cJSON_Delete(json);
  bool written = file_output(path, text, strlen(text));
  int error = errno;
  cJSON_free(text);
  errno = error;
  return written;
}

// Returns the text of the file, which the caller frees. Returns NULL if the file cannot be read, is
// not regular, is empty, has LARGEST bytes or more, or contains a null byte.
static char *read_text(const char *path) {
  FILE *file = file_open_regular(path, 0);
  struct stat status;
  char *text = NULL;
  if (file && fstat(fileno(file), &status) == 0 && status.st_size > 0 && status.st_size < LARGEST) {
    size_t size = (size_t)status.st_size;
    text = need(calloc(size + 1, 1));
    if (fread(text, 1, size, file) != size || strlen(text) != size) {
      free(text);
      text = NULL;
    }
  }
  if (file)
    fclose(file);
  return text;
}

static bool is_sound(cJSON *json) {
  char digest[SHA256_DIGEST_STRING_LENGTH];
  cJSON *checksum = cJSON_DetachItemFromObjectCaseSensitive(json, "checksum");
  double format;
  bool sound = cJSON_IsString(checksum) && asked_number(json, "format", FORMAT, FORMAT, &format) &&
               strcmp(cJSON_GetStringValue(checksum), checksum_of(json, digest)) == 0;
  cJSON_Delete(checksum);
  return sound;
}

cJSON *asked_read(const char *path) {
  char *text = read_text(path);
  cJSON *json = text ? cJSON_ParseWithOpts(text, NULL, true) : NULL;
  free(text);
  if (cJSON_IsObject(json) && is_sound(json))
    return json;
  cJSON_Delete(json);
  return NULL;
}

bool asked_number(const cJSON *json, const char *name, double least, double most, double *number) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, name);
  if (!cJSON_IsNumber(value) || !(value->valuedouble >= least && value->valuedouble <= most))
    return false;
  *number = value->valuedouble;
  return true;
}

static const char *string_of(const cJSON *json, const char *name) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

// Returns the command's words, which the caller frees with asked_free. Returns NULL if the array
// has an item that is not a string, or if the first word is missing or empty.
static char **words_of(const cJSON *array) {
  int count = cJSON_GetArraySize(array);
  if (!cJSON_IsArray(array) || count < 1)
    return NULL;
  char **words = need(calloc((size_t)count + 1, sizeof *words));
  for (int i = 0; i < count; i++) {
    const char *word = cJSON_GetStringValue(cJSON_GetArrayItem(array, i));
    if (!word || (i == 0 && !*word)) {
      asked_free(words);
      return NULL;
    }
    words[i] = need(strdup(word));
  }
  return words;
}

bool asked_is_trusted(const cJSON *json, const char *name, const char *path) {
  char *entry = entry_of(json),
       **words = words_of(cJSON_GetObjectItemCaseSensitive(json, "command"));
  bool trusted = trust_list_has(entry);
  if (!trusted && !words) {
    print_line(stderr, "%s: %s asks for no command: begin anew", name, path);
  } else if (!trusted) {
    char *line = shell_line((const char *const *)words);
    print_line(stderr,
               "%s: %s was not written by a command of rsan for this user, so its command is not "
               "run. Add --trust to run it:",
               name, path);
    print_line(stderr, "  %s", line);
    free(line);
  }
  asked_free(words);
  free(entry);
  return trusted;
}

bool asked_take(const cJSON *json, char ***command) {
  const char *directory = string_of(json, "directory");
  char **words = words_of(cJSON_GetObjectItemCaseSensitive(json, "command"));
  if (!words || !directory || *directory != '/' || chdir(directory) != 0) {
    asked_free(words);
    return false;
  }
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = string_of(json, variables[i]);
    if (value)
      setenv(variables[i], value, 1);
    else
      unsetenv(variables[i]);
  }
  *command = words;
  return true;
}

void asked_free(char **command) {
  for (char **word = command; word && *word; word++)
    free(*word);
  free(command);
}
