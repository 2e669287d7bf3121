// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"

// As the runtime words it (rsan_unchecked.cpp):
// ThreadSanitizer: 12 accesses could not be checked: 9 REASON; 3 REASON
static const char start[] = "ThreadSanitizer: ", middle[] = " could not be checked: ";

enum { MAX_REASONS = 16 };

struct reason {
  unsigned long long count;
  const char *text; // not terminated
  size_t length;
};

struct lost {
  struct reason at[MAX_REASONS];
  size_t count;
};

bool lost_is(const char *line) {
  unsigned long long count;
  return strncmp(line, start, sizeof start - 1) == 0 &&
         sscanf(line + sizeof start - 1, "%llu access", &count) == 1 && strstr(line, middle);
}

const char *lost_text(const char *line) {
  return line + sizeof start - 1;
}

static void add_reason(struct lost *lost, struct reason reason) {
  for (size_t i = 0; i < lost->count; i++)
    if (lost->at[i].length == reason.length &&
        memcmp(lost->at[i].text, reason.text, reason.length) == 0) {
      lost->at[i].count += reason.count;
      return;
    }
  if (lost->count < MAX_REASONS)
    lost->at[lost->count++] = reason;
}

static void read_reasons(struct lost *lost, const char *line) {
  const char *at = strstr(line, middle) + sizeof middle - 1;
  while (*at) {
    char *text;
    const unsigned long long count = strtoull(at, &text, 10);
    if (*text == ' ')
      text++;
    const char *end = strstr(text, "; ");
    const size_t length = end ? (size_t)(end - text) : strlen(text);
    add_reason(lost, (struct reason){count, text, length});
    at = end ? end + 2 : text + length;
  }
}

char *lost_add(const char *one, const char *other) {
  struct lost lost = {.count = 0};
  unsigned long long all = 0;
  char *line = NULL;
  size_t size;
  read_reasons(&lost, one);
  read_reasons(&lost, other);
  for (size_t i = 0; i < lost.count; i++)
    all += lost.at[i].count;
  FILE *out = need(open_memstream(&line, &size));
  fprintf(out, "%s%llu access%s%s", start, all, all == 1 ? "" : "es", middle);
  for (size_t i = 0; i < lost.count; i++)
    fprintf(out, "%s%llu %.*s", i ? "; " : "", lost.at[i].count, (int)lost.at[i].length,
            lost.at[i].text);
  fclose(out);
  return need(line);
}
