// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trusted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "trust/list.h"

// Returns the list's entry for the program, which the caller frees, or NULL if the head lacks the
// build or the arguments.
static char *entry_of(const struct schedule_head *head) {
  char *entry = NULL;
  if (head->build && head->arguments &&
      asprintf(&entry, "schedule %s %s", head->build, head->arguments) < 0)
    abort();
  return entry;
}

void schedule_trust(const char *file) {
  static char *last; // most commands record many schedules of one program
  struct schedule_head head;
  bool is_schedule;
  char *entry =
      schedule_head_read(file, &head, &is_schedule) && is_schedule ? entry_of(&head) : NULL;
  schedule_head_free(&head);
  if (!entry || (last && strcmp(last, entry) == 0)) {
    free(entry);
    return;
  }
  trust_list_add(entry);
  free(last);
  last = entry;
}

bool schedule_is_trusted(const struct schedule_head *head) {
  char *entry = entry_of(head);
  bool trusted = entry && trust_list_has(entry);
  free(entry);
  return trusted;
}
