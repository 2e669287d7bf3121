// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Violations of a class that does no harm (`class' of the record, docs/guide/FORMATS.md) are left.

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "fix.h"
#include "need.h"
#include "printable.h"
#include "report/record.h"

static void note(struct fix *fix, const struct record *record, const char *class) {
  for (size_t i = 0; i < fix->harmless_count; i++)
    if (strcmp(fix->harmless[i].token, record->token) == 0)
      return;
  size_t size = (fix->harmless_count + 1) * sizeof *fix->harmless;
  fix->harmless = need(realloc(fix->harmless, size));
  fix->harmless[fix->harmless_count++] = (struct fix_harmless){.token = need(strdup(record->token)),
                                                               .place = need(strdup(record->place)),
                                                               .class = need(strdup(class))};
}

void fix_leave_harmless(struct fix *fix, struct records *records) {
  for (size_t i = 0; i < records->count; i++) {
    struct record *record = &records->at[i];
    cJSON *json = record->json ? cJSON_Parse(record->text) : NULL;
    const char *class = record_text(json, "class");
    if (class && record_is_violation(json)) {
      note(fix, record, class);
      record->known = true;
    }
    cJSON_Delete(json);
  }
}

void fix_print_harmless(const struct fix *fix) {
  if (fix->harmless_count)
    printf("left, as they do no harm: %zu violation%s\n", fix->harmless_count,
           plural(fix->harmless_count));
  for (size_t i = 0; i < fix->harmless_count; i++)
    print_line(stdout, "  %s (%s)", fix->harmless[i].place, fix->harmless[i].class);
}

void fix_free_harmless(struct fix *fix) {
  for (size_t i = 0; i < fix->harmless_count; i++) {
    free(fix->harmless[i].token);
    free(fix->harmless[i].place);
    free(fix->harmless[i].class);
  }
  free(fix->harmless);
}
