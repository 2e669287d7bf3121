// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_add(const char *variable, const char *more) {
  const char *old = getenv(variable);
  char *value;
  if (asprintf(&value, "%s%s%s", old ? old : "", old && *old ? ":" : "", more) < 0)
    abort();
  setenv(variable, value, 1);
  free(value);
}

const char *options_quote(const char *value) {
  return strchr(value, '"') ? "'" : "\"";
}
