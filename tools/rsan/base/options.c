// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *options_with(const char *variable, const char *more) {
  const char *old = getenv(variable);
  char *value;
  if (asprintf(&value, "%s%s%s", old ? old : "", old && *old ? ":" : "", more) < 0)
    abort();
  return value;
}

void options_add(const char *variable, const char *more) {
  char *value = options_with(variable, more);
  setenv(variable, value, 1);
  free(value);
}

void options_surround(const char *variable, const char *before, const char *behind) {
  const char *own = getenv(variable);
  char *value;
  if (asprintf(&value, "%s:%s%s%s", before, own ? own : "", own && *own ? ":" : "", behind) < 0)
    abort();
  setenv(variable, value, 1);
  free(value);
}

char *options_replay(const char *more, const char *file) {
  const char *quote = options_quote(file);
  char *text;
  if (asprintf(&text, "explore=:schedule_file=:%sreplay=%s%s%s", more, quote, file, quote) < 0)
    abort();
  return text;
}

const char *options_failures(void) {
  static const char *const names[] = {"handle_abort", "handle_sigill", "handle_sigtrap"};
  static char text[128];
  int used = snprintf(text, sizeof text, ":report_failures=1");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *own = options_value(names[i]);
    if (!own)
      used += snprintf(text + used, sizeof text - (size_t)used, ":%s=1", names[i]);
    free(own);
  }
  return text;
}

// What sanitizer_common takes between two options.
static const char separators[] = " ,:\n\t\r";

static size_t value_length(const char *at, const char **begin) {
  bool quoted = *at == '"' || *at == '\'';
  *begin = at + quoted;
  return quoted ? strcspn(at + 1, *at == '"' ? "\"" : "'") : strcspn(at, separators);
}

char *options_value(const char *name) {
  static const char *const variables[] = {"TSAN_OPTIONS", "RSAN_OPTIONS"};
  char *found = NULL;
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *at = getenv(variables[i]);
    while (at && *(at += strspn(at, separators))) {
      size_t key = strcspn(at, "="), size;
      const char *value;
      bool wanted = key == length && strncmp(at, name, key) == 0;
      at += key + (at[key] == '=');
      size = value_length(at, &value);
      if (wanted) {
        free(found);
        found = strndup(value, size);
      }
      at = value + size + (value != at && value[size]);
    }
  }
  return found;
}

const char *options_quote(const char *value) {
  return strchr(value, '"') ? "'" : "\"";
}
