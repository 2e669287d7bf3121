// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "need.h"
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

static cJSON *find_alone(const cJSON *record, const char *name) {
  cJSON *alone;
  cJSON_ArrayForEach(alone, record_list(record, "alone")) {
    const char *test = record_text(alone, "test");
    if (test && strcmp(test, name) == 0)
      return alone;
  }
  return NULL;
}

// ALONE is the list's from here on, or freed: of a test that has an element, or is not named.
static void add_alone(cJSON *record, cJSON *alone) {
  cJSON *list = cJSON_GetObjectItemCaseSensitive(record, "alone");
  const char *name = record_text(alone, "test");
  if (!name || find_alone(record, name) || cJSON_GetArraySize(list) >= TESTS_MOST) {
    cJSON_Delete(alone);
    return;
  }
  if (!cJSON_IsArray(list)) {
    cJSON_DeleteItemFromObjectCaseSensitive(record, "alone");
    list = cJSON_AddArrayToObject(record, "alone");
  }
  cJSON_AddItemToArray(list, alone);
}

void tests_add_line(cJSON *record, const char *line) {
  const cJSON *tests = record_list(record, "tests");
  const cJSON *last = cJSON_GetArrayItem(tests, cJSON_GetArraySize(tests) - 1);
  if (!cJSON_IsString(last))
    return;
  cJSON *alone = cJSON_CreateObject();
  cJSON_AddStringToObject(alone, "test", last->valuestring);
  cJSON_AddStringToObject(alone, "repeat", line);
  add_alone(record, alone);
}

void tests_merge(cJSON *record, const cJSON *other) {
  const cJSON *test;
  cJSON_ArrayForEach(test, record_list(other, "tests")) if (cJSON_IsString(test))
      tests_add(record, test->valuestring);
  cJSON_ArrayForEach(test, record_list(other, "alone"))
      add_alone(record, cJSON_Duplicate(test, true));
}

static void note_run(cJSON *alone, unsigned number) {
  cJSON *seeds = cJSON_GetObjectItemCaseSensitive(alone, "seeds");
  cJSON *runs = cJSON_GetObjectItemCaseSensitive(alone, "runs");
  if (!seeds)
    seeds = cJSON_AddArrayToObject(alone, "seeds");
  if (!runs)
    runs = cJSON_AddNumberToObject(alone, "runs", 0);
  const cJSON *last = cJSON_GetArrayItem(seeds, cJSON_GetArraySize(seeds) - 1);
  if (last && last->valuedouble == number)
    return;
  cJSON_SetNumberValue(runs, runs->valuedouble + 1);
  if (cJSON_GetArraySize(seeds) < TESTS_SEEDS)
    cJSON_AddItemToArray(seeds, cJSON_CreateNumber(number));
}

void tests_note_run(cJSON *record, const cJSON *other, unsigned number) {
  const cJSON *test;
  cJSON_ArrayForEach(test, record_list(other, "alone")) {
    const char *name = record_text(test, "test");
    cJSON *alone = name ? find_alone(record, name) : NULL;
    if (alone)
      note_run(alone, number);
  }
}

void tests_set_options(cJSON *record, const char *options) {
  cJSON *alone;
  cJSON_ArrayForEach(alone, record_list(record, "alone")) {
    const char *own = record_text(alone, "options");
    char *all;
    if (!own)
      continue;
    if (asprintf(&all, "%s:%s", options, own) < 0)
      abort();
    cJSON_ReplaceItemInObjectCaseSensitive(alone, "options", cJSON_CreateString(all));
    free(all);
  }
}

char *tests_line(const cJSON *alone) {
  const char *repeat = record_text(alone, "repeat"), *options = record_text(alone, "options");
  const cJSON *command = record_list(alone, "command"), *word;
  char *text;
  size_t size;
  if (repeat)
    return need(strdup(repeat));
  if (!command || !command->child)
    return NULL;
  FILE *out = open_text(&text, &size);
  if (options) {
    fputs("RSAN_OPTIONS=", out);
    shell_quote(options, out);
  }
  cJSON_ArrayForEach(word, command) if (cJSON_IsString(word)) {
    fputs(options || word != command->child ? " " : "", out);
    shell_quote(word->valuestring, out);
  }
  fclose(out);
  return text;
}

const char *tests_again(const cJSON *object) {
  return record_text(object, "rsan_again");
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
  cJSON_ArrayForEach(test, record_list(record, "tests")) if (cJSON_IsString(test)) {
    const cJSON *alone = find_alone(record, test->valuestring);
    char *line = alone ? tests_line(alone) : NULL;
    fprintf(out, "Test: %s\n", test->valuestring);
    if (line)
      fprintf(out, "To run this test: %s\n", line);
    free(line);
  }
}
