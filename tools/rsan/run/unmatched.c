// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "unmatched.h"

#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "printable.h"

static const char of[] = " of the rules of ", none[] = " match no atomic access of this run";

void unmatched_none(struct unmatched *unmatched) {
  unmatched->known = true;
  memset(unmatched->lines, 0, sizeof unmatched->lines);
}

bool unmatched_read(struct unmatched *unmatched, const char *line) {
  const char *file = strstr(line, of), *end = file ? strstr(file, none) : NULL;
  const char *numbers = end ? strstr(end, ": line") : NULL;
  if (!numbers)
    return false;
  bool here[UNMATCHED_MAX] = {false};
  for (numbers += strlen(": line"); *numbers; numbers++) {
    char *after;
    unsigned long number = strtoul(numbers, &after, 10);
    if (after == numbers)
      continue;
    if (number < UNMATCHED_MAX)
      here[number] = true;
    numbers = after - 1;
  }
  if (!unmatched->file) {
    file += strlen(of);
    unmatched->file = strndup(file, (size_t)(end - file));
  }
  for (size_t i = 0; i < UNMATCHED_MAX; i++)
    unmatched->lines[i] = here[i] && (!unmatched->known || unmatched->lines[i]);
  unmatched->known = true;
  return true;
}

void unmatched_print(const struct unmatched *unmatched, FILE *to) {
  unsigned count = 0, named = 0;
  for (size_t i = 0; i < UNMATCHED_MAX; i++)
    count += unmatched->lines[i];
  if (!count)
    return;
  fprintf(to, "%u of the rules of ", count);
  put_printable(unmatched->file, to);
  fprintf(to, " match no atomic access of any process: line%s", plural(count));
  for (size_t i = 0; i < UNMATCHED_MAX; i++)
    if (unmatched->lines[i])
      fprintf(to, "%s%zu", named++ ? ", " : " ", i);
  putc('\n', to);
}
