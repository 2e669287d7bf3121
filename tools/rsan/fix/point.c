// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problem.h"

static const char *text_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text ? text : "";
}

static int number_of(const cJSON *object, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  return cJSON_IsNumber(item) ? item->valueint : 0;
}

// Member functions of std::atomic and the like; a rule there would be one for all their callers.
static bool is_own(const char *file) {
  return *file && strncmp(file, "/usr/", 5) != 0 && !strstr(file, "/include/c++/") &&
         strcmp(file, "??") != 0;
}

static char *source_point(const char *file, int line, int column) {
  char *point = NULL;
  if (line <= 0 || !is_own(file) ||
      (column > 0 ? asprintf(&point, "%s:%d:%d", file, line, column)
                  : asprintf(&point, "%s:%d", file, line)) < 0)
    return NULL;
  return point;
}

// What llvm-symbolizer says of the place in the module; to be freed.
static char *symbolize(const char *module, const char *offset) {
  int out[2];
  char *text = NULL, option[4200];
  if (pipe2(out, O_CLOEXEC) != 0)
    return NULL;
  snprintf(option, sizeof option, "--obj=%s", module);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    execl(RSAN_LLVM_SYMBOLIZER, "llvm-symbolizer", option, "--output-style=JSON", "--inlines",
          offset, (char *)NULL);
    execlp("llvm-symbolizer-19", "llvm-symbolizer", option, "--output-style=JSON", "--inlines",
           offset, (char *)NULL);
    _exit(127);
  }
  close(out[1]);
  FILE *stream = fdopen(out[0], "r");
  size_t size = 0;
  if (stream && getdelim(&text, &size, 0, stream) < 0) {
    free(text);
    text = NULL;
  }
  if (stream)
    fclose(stream);
  if (child > 0)
    waitpid(child, NULL, 0);
  return text;
}

// The innermost frame of one's own among the inlined ones. NULL if that has no line, because code
// of several lines was merged: the line of the call that it was inlined at stands for all accesses
// of that call.
static char *inlined_point(const char *module, const char *offset) {
  char *text = symbolize(module, offset), *point = NULL;
  cJSON *answer = text ? cJSON_Parse(text) : NULL, *frame;
  const cJSON *first = cJSON_IsArray(answer) ? cJSON_GetArrayItem(answer, 0) : answer;
  cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(first, "Symbol")) {
    point = source_point(text_of(frame, "FileName"), number_of(frame, "Line"),
                         number_of(frame, "Column"));
    if (is_own(text_of(frame, "FileName")))
      break;
  }
  cJSON_Delete(answer);
  free(text);
  return point;
}

char *fix_point(const cJSON *frame, bool *in_source) {
  char *point =
      source_point(text_of(frame, "file"), number_of(frame, "line"), number_of(frame, "column"));
  const char *module = text_of(frame, "module"), *offset = text_of(frame, "offset");
  if (!point && *module && *offset)
    point = inlined_point(module, offset);
  *in_source = point;
  if (!point && *module && *offset && asprintf(&point, "%s+%s", module, offset) < 0)
    return NULL;
  return point;
}
