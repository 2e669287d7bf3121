// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accessors of record.h.

#include "record.h"

#include <stdlib.h>

#include "frame.h"

const char *record_text(const cJSON *object, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

const cJSON *record_list(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsArray(item) ? item : NULL;
}

const cJSON *record_object(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsObject(item) ? item : NULL;
}

bool record_has_number(const cJSON *object, const char *key) {
  return cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(object, key));
}

uint64_t record_number(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 9e15
             ? (uint64_t)item->valuedouble
             : 0;
}

bool record_true(const cJSON *object, const char *key) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

uint64_t record_hex(const cJSON *object, const char *key) {
  const char *text = record_text(object, key);
  return text ? strtoull(text, NULL, 16) : 0;
}

const char *record_type(const cJSON *record) {
  return record_text(record, "type");
}

void record_strip_files(cJSON *item, const char *prefix) {
  cJSON *child;
  const char *file = cJSON_IsObject(item) ? record_text(item, "file") : NULL;
  if (file)
    cJSON_ReplaceItemInObjectCaseSensitive(item, "file",
                                           cJSON_CreateString(strip_prefix(file, prefix)));
  cJSON_ArrayForEach(child, item) record_strip_files(child, prefix);
}
