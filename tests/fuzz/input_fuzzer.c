// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer's entry for all that rsan's tools read from files that others may have written, under
// ASan and UBSan: --target=NAME says what an input is (inputs.h).
//
// A file that a command of rsan has sealed with a checksum gets the right one, because no input
// would come further than the checksum otherwise.

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/output.h"
#include "file/temporary.h"
#include "inputs.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct input_target *target;
static char folder[PATH_MAX];

static void fail(const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n", what, text);
  exit(1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  static const char option[] = "--target=";
  for (int i = 1; i < *argc; i++)
    if (strncmp((*argv)[i], option, strlen(option)) == 0)
      target = input_target_find((*argv)[i] + strlen(option));
    else if (strcmp((*argv)[i], "--list") == 0) {
      input_target_list(stdout);
      exit(0);
    }
  if (!target)
    fail("--target", "it must be one of those that --list names");
  if (!file_temporary_make("rsan-fuzz", PATH_MAX, folder))
    fail(folder, strerror(errno));
  char state[PATH_MAX + 8];
  snprintf(state, sizeof state, "%s/rsan", folder); // of the list of what is trusted
  if (mkdir(state, 0700) != 0)
    fail(state, strerror(errno));
  setenv("XDG_STATE_HOME", folder, 1);
  unsetenv("RSAN_OPTIONS");
  unsetenv("TSAN_OPTIONS");
  return 0;
}

// The input with "format" and "checksum", as run/asked.c has it; NULL: it is no object. The caller
// frees it.
static char *seal(const char *text) {
  char digest[SHA256_DIGEST_STRING_LENGTH];
  cJSON *json = cJSON_Parse(text);
  char *sealed = NULL;
  if (cJSON_IsObject(json)) {
    cJSON_DeleteItemFromObjectCaseSensitive(json, "checksum");
    cJSON_DeleteItemFromObjectCaseSensitive(json, "format");
    cJSON_AddNumberToObject(json, "format", 1);
    char *plain = cJSON_PrintUnformatted(json);
    SHA256Data((const uint8_t *)plain, strlen(plain), digest);
    cJSON_AddStringToObject(json, "checksum", digest);
    sealed = cJSON_Print(json);
    cJSON_free(plain);
  }
  cJSON_Delete(json);
  return sealed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {.folder = folder, .text = malloc(size + 1), .size = size};
  char path[PATH_MAX + 64];
  if (!input.text)
    abort();
  memcpy(input.text, data, size);
  input.text[size] = 0;
  char *sealed = target->sealed ? seal(input.text) : NULL;
  if (target->file) {
    snprintf(path, sizeof path, "%s/%s", folder, target->file);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(sealed ? sealed : input.text, 1, sealed ? strlen(sealed) : size, file) !=
                     (sealed ? strlen(sealed) : size))
      abort();
    fclose(file);
    input.path = path;
  }
  target->read(&input);
  cJSON_free(sealed);
  free(input.text);
  return 0;
}
