// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "known.h"

#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "ends.h"
#include "printable.h"

void known_mark(struct known *known, struct records *records) {
  for (size_t i = 0; known->asked && i < records->count; i++)
    records->at[i].known = baseline_see(&known->baseline, records->at[i].token);
}

size_t known_fresh(const struct progress *progress, const struct records *records,
                   const char *program) {
  size_t fresh = 0;
  for (size_t i = 0; i < progress->findings; i++)
    fresh += !ends_is_known(&progress->finding[i], program, records);
  return fresh;
}

size_t known_fresh_violations(const struct records *records) {
  return records_of_type(records, "robustness violation");
}

void known_print(const struct known *known, const struct records *records,
                 unsigned long long executions) {
  char where[48];
  if (!known->asked)
    return;
  for (size_t i = 0; i < records->count; i++) {
    const struct record *record = &records->at[i];
    if (record->known)
      print_line(stdout, "known: %s%s%s", record->type, *record->place ? " " : "", record->place);
  }
  snprintf(where, sizeof where, "in %llu execution%s", executions, plural(executions));
  baseline_write_gone(&known->baseline, where, stdout);
}

void known_print_counts(const struct known *known, const struct records *records) {
  if (known->asked)
    printf("  of the findings %zu are known, %zu new (--baseline)\n", records_known(records),
           records_reports(records));
}
