// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "token.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "complain.h"
#include "frame.h"
#include "identity.h"

char *token_identity(const struct source_frame *source) {
  char *text = NULL;
  uint64_t identity =
      source->file && source->line > 0
          ? source_identity(source->file, source->line, source->column, source->function)
          : 0;
  if (identity && asprintf(&text, "%016" PRIx64, identity) < 0)
    abort();
  return text;
}

char *token_line(const struct source_frame *source, const char *module, uint64_t offset) {
  char *line = NULL;
  int written = 0;
  if (source->file && source->line > 0) {
    size_t length = 0;
    const char *name = source->function ? rsan_own_name(source->function, &length) : "";
    char *path = normal_path(source->file);
    written = asprintf(&line, "%.*s %s:%u", (int)length, name, path, source->line);
    free(path);
  } else if (module) {
    written = asprintf(&line, "%s+0x%" PRIx64, base_name(module), offset);
  }
  if (written < 0)
    abort();
  return line;
}

void text_token_begin(struct text_token *token) {
  *token = (struct text_token){.hash = rsan_hash_line(RSAN_HASH_START, "robustness violation")};
}

void text_token_heading(struct text_token *token, const char *line) {
  static const char *const kinds[] = {"failed atomic compare-exchange", "atomic compare-exchange",
                                      "atomic read-modify-write", "atomic read", "atomic write"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const char *found = strcasestr(line, kinds[i]);
    const char *end = found ? found + strlen(kinds[i]) : NULL;
    if (found && (strncmp(end, " of size ", 9) == 0 || // or ` by futex(...) of size `
                  (strncmp(end, " by ", 4) == 0 && strstr(end, " of size ")))) {
      token->kind = kinds[i];
      return;
    }
  }
}

void text_token_place(struct text_token *token, char *line) {
  if (token->kind && line) {
    token->hash = rsan_hash_line(rsan_hash_line(token->hash, token->kind), line);
    token->places++;
  }
  token->kind = NULL;
  free(line);
}
