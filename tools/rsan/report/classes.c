// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "classes.h"

#include <string.h>

#include "confirmed.h"
#include "record.h"

// The runtime's words (rsan_report.cpp).
static const struct {
  const char *name, *text;
} kinds[] = {
    {"retried", "whatever it reads, a compare-exchange of the same object decides, and is repeated "
                "until it succeeds."},
};

static const char before[] = "Harmless (";

enum finding_class class_of(const cJSON *record) {
  if (!record_is_violation(record) || record_is_confirmed(record))
    return CLASS_DEFECT;
  const char *name = record_text(record, "class");
  for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0)
      return CLASS_HARMLESS;
  return CLASS_UNKNOWN;
}

unsigned classes_parse(const char *list) {
  static const char *const names[] = {"defect", "unknown", "harmless"};
  unsigned set = 0;
  for (;;) {
    const size_t length = strcspn(list, ",");
    unsigned found = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
      if (strlen(names[i]) == length && strncmp(names[i], list, length) == 0)
        found = 1u << i;
    if (!found)
      return 0;
    set |= found;
    if (!list[length])
      return set;
    list += length + 1;
  }
}

bool class_is_in(const cJSON *record, unsigned set) {
  return set >> class_of(record) & 1;
}

void write_class(const cJSON *record, FILE *out) {
  const char *name = record_text(record, "class");
  for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0)
      fprintf(out, "%s%s): %s", before, name, kinds[i].text);
}

bool heading_class(const char *line, cJSON *record) {
  const char *at = line + strspn(line, " ");
  if (strncmp(at, before, sizeof before - 1) != 0 || record_text(record, "class"))
    return false;
  at += sizeof before - 1;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const size_t length = strlen(kinds[i].name);
    if (strncmp(at, kinds[i].name, length) == 0 && strncmp(at + length, "): ", 3) == 0)
      return cJSON_AddStringToObject(record, "class", kinds[i].name);
  }
  return false;
}

void class_merge(cJSON *record, const cJSON *other) {
  const char *own = record_text(record, "class"), *its = record_text(other, "class");
  if (own && !(its && strcmp(own, its) == 0))
    cJSON_DeleteItemFromObjectCaseSensitive(record, "class");
}
