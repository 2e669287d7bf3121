// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "record.h"

void tests_add(cJSON *record, const char *name) {
  cJSON *tests = cJSON_GetObjectItemCaseSensitive(record, "tests"), *test;
  if (!cJSON_IsArray(tests)) {
    cJSON_DeleteItemFromObjectCaseSensitive(record, "tests");
    tests = cJSON_AddArrayToObject(record, "tests");
  }
  cJSON_ArrayForEach(test, tests) if (cJSON_IsString(test) &&
                                      strcmp(test->valuestring, name) == 0) return;
  if (cJSON_GetArraySize(tests) < TESTS_MOST)
    cJSON_AddItemToArray(tests, cJSON_CreateString(name));
}

void tests_merge(cJSON *record, const cJSON *other) {
  const cJSON *test;
  cJSON_ArrayForEach(test, record_list(other, "tests")) if (cJSON_IsString(test))
      tests_add(record, test->valuestring);
}

char *tests_text(const cJSON *record) {
  const cJSON *test, *tests = record_list(record, "tests");
  char *text;
  size_t size;
  if (!tests || !tests->child)
    return NULL;
  FILE *out = open_text(&text, &size);
  cJSON_ArrayForEach(test, tests) if (cJSON_IsString(test))
      fprintf(out, "%s%s", test == tests->child ? "" : ", ", test->valuestring);
  fclose(out);
  return text;
}

void write_tests(const cJSON *record, FILE *out) {
  const cJSON *test;
  cJSON_ArrayForEach(test, record_list(record, "tests")) if (cJSON_IsString(test))
      fprintf(out, "Test: %s\n", test->valuestring);
}
