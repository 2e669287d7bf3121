// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "targets.h"

#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "heading.h"
#include "record.h"

static const struct {
  const char *name, *printed;
} targets[] = {{"c11", "C11"}, {"x86", "x86-64"}, {"armv8", "ARMv8"}};
enum { TARGETS = sizeof targets / sizeof *targets };

// The weakest first.
static const char *const answers[] = {"no", "may", "yes"};
enum { ANSWERS = sizeof answers / sizeof *answers };

static int strength(const char *answer) {
  for (int i = 0; i < ANSWERS; i++)
    if (answer && strcmp(answer, answers[i]) == 0)
      return i;
  return -1;
}

void targets_merge(cJSON *record, const cJSON *other) {
  cJSON *own = cJSON_GetObjectItemCaseSensitive(record, "targets");
  const cJSON *from = record_object(other, "targets"), *target;
  if (!from)
    return;
  if (!own)
    own = cJSON_AddObjectToObject(record, "targets");
  cJSON_ArrayForEach(target, from) {
    const char *answer = record_text(own, target->string);
    if (!answer)
      cJSON_AddStringToObject(own, target->string, target->valuestring);
    else if (strength(target->valuestring) > strength(answer))
      cJSON_ReplaceItemInObjectCaseSensitive(own, target->string,
                                             cJSON_CreateString(target->valuestring));
  }
}

static const char *printed(const char *name) {
  for (int i = 0; i < TARGETS; i++)
    if (strcmp(targets[i].name, name) == 0)
      return targets[i].printed;
  return name;
}

char *target_answer(const cJSON *target) {
  const char *name = printed(target->string), *answer = target->valuestring;
  size_t size = strlen(name) + strlen(answer) + 2;
  char *text = must_alloc(NULL, size);
  snprintf(text, size, "%s %s", name, answer);
  return text;
}

void write_targets(const cJSON *record, FILE *out) {
  const cJSON *object = record_object(record, "targets"), *target;
  if (cJSON_GetArraySize(object) == 0)
    return;
  fputs("  Observable on: ", out);
  cJSON_ArrayForEach(target, object) {
    bool may = strcmp(target->valuestring, "may") == 0;
    fprintf(out, "%s%s %s%s", target == object->child ? "" : ", ", printed(target->string),
            target->valuestring, may ? " (needs a missing dependency)" : "");
  }
  fputs("\n\n", out);
}

bool heading_targets(const char *line, cJSON *record) {
  static const char start[] = "Observable on: ";
  const char *at = strstr(line, start);
  if (!at)
    return false;
  cJSON *object = cJSON_AddObjectToObject(record, "targets");
  at += sizeof start - 1;
  for (int i = 0; i < TARGETS; i++) {
    size_t length = strlen(targets[i].printed);
    const char *found = strstr(at, targets[i].printed);
    for (int answer = 0; found && answer < ANSWERS; answer++)
      if (found[length] == ' ' &&
          strncmp(found + length + 1, answers[answer], strlen(answers[answer])) == 0)
        cJSON_AddStringToObject(object, targets[i].name, answers[answer]);
  }
  return true;
}
