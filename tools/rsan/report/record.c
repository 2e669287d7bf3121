// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/reports/rsan_token.h"
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

bool record_is_violation(const cJSON *record) {
  return strcmp(record_type(record), "robustness violation") == 0;
}

bool record_is_race(const cJSON *record) {
  return !record_is_violation(record) && cJSON_GetArraySize(record_list(record, "accesses")) > 0;
}

bool record_has_values(const cJSON *record) {
  return record_text(record, "stale") &&
         (record_text(record, "seen") || record_text(record, "overwritten_by"));
}

// The list that the stacks are in, and whether its items are stacks or have them.
static const cJSON *stack_list(const cJSON *record, bool *bare) {
  static const char *const lists[] = {"accesses", "stacks", "mutexes", "threads"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const cJSON *list = record_list(record, lists[i]);
    *bare = i == 1;
    if (cJSON_GetArraySize(list) > 0)
      return list;
  }
  return NULL;
}

size_t record_stack_count(const cJSON *record) {
  bool bare;
  const cJSON *list = stack_list(record, &bare);
  size_t count = (size_t)cJSON_GetArraySize(list);
  return list == record_list(record, "accesses") || bare || count == 0 ? count : 1;
}

const cJSON *record_stack(const cJSON *record, size_t index) {
  bool bare;
  const cJSON *item = cJSON_GetArrayItem(stack_list(record, &bare), (int)index);
  if (!bare)
    return record_list(item, "stack");
  return cJSON_IsArray(item) ? item : NULL;
}

const cJSON *record_site(const cJSON *stack) {
  const cJSON *frame;
  cJSON_ArrayForEach(frame,
                     stack) if (!frame_is_internal(record_text(frame, "file"),
                                                   record_text(frame, "module"))) return frame;
  return cJSON_GetArrayItem(stack, 0);
}

struct site {
  const char *module;
  uint64_t offset;
};

static int compare_sites(const void *a, const void *b) {
  const struct site *left = a, *right = b;
  int order = strcmp(left->module, right->module);
  return order ? order : left->offset < right->offset ? -1 : left->offset > right->offset;
}

bool record_compute_token(const cJSON *record, char token[17]) {
  struct site sites[64];
  size_t count = record_stack_count(record);
  if (count == 0 || count > sizeof sites / sizeof *sites)
    return false;
  for (size_t i = 0; i < count; i++) {
    const cJSON *frame = record_site(record_stack(record, i));
    const char *module = record_text(frame, "module");
    if (!module || !record_text(frame, "offset"))
      return false;
    sites[i] = (struct site){base_name(module), record_hex(frame, "offset")};
  }
  if (!record_is_violation(record))
    qsort(sites, count, sizeof *sites, compare_sites);
  uint64_t hash = rsan_token_line(RSAN_TOKEN_START, record_type(record));
  for (size_t i = 0; i < count; i++) {
    char offset[24];
    snprintf(offset, sizeof offset, "+0x%" PRIx64, sites[i].offset);
    for (const char *at = sites[i].module; *at; at++)
      hash = rsan_token_byte(hash, (unsigned char)*at);
    hash = rsan_token_line(hash, offset);
  }
  snprintf(token, 17, "%016" PRIx64, hash);
  return true;
}

// A stack is an array of objects.
static bool is_stack(const cJSON *item) {
  const cJSON *frame;
  if (!cJSON_IsArray(item))
    return false;
  cJSON_ArrayForEach(frame, item) if (!cJSON_IsObject(frame)) return false;
  return true;
}

// An array of objects, each with a stack or none; absent is right, too.
static bool is_list(const cJSON *list) {
  const cJSON *item;
  if (list && !cJSON_IsArray(list))
    return false;
  cJSON_ArrayForEach(item, list) {
    const cJSON *stack = cJSON_GetObjectItemCaseSensitive(item, "stack");
    if (!cJSON_IsObject(item) || (stack && !is_stack(stack)))
      return false;
  }
  return true;
}

static bool is_object_of_texts(const cJSON *object) {
  const cJSON *text;
  if (!cJSON_IsObject(object))
    return false;
  cJSON_ArrayForEach(text, object) if (!cJSON_IsString(text)) return false;
  return true;
}

bool record_is_sound(const cJSON *record, const char **reason) {
  static const char *const lists[] = {"accesses", "mutexes", "threads", "repairs"};
  const cJSON *stack;
  if (record_number(record, "rsan_report") != RECORD_VERSION) {
    *reason = "its version is not one that this program knows: use the rsan of the runtime that "
              "wrote it";
    return false;
  }
  if (!record_type(record)) {
    *reason = "it has no type";
    return false;
  }
  *reason = "its parts are not as docs/FORMATS.md says";
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!is_list(cJSON_GetObjectItemCaseSensitive(record, lists[i])))
      return false;
  cJSON_ArrayForEach(
      stack, cJSON_GetObjectItemCaseSensitive(record, "stacks")) if (!is_stack(stack)) return false;
  const cJSON *targets = cJSON_GetObjectItemCaseSensitive(record, "targets");
  if (targets && !is_object_of_texts(targets))
    return false;
  const cJSON *cycle = cJSON_GetObjectItemCaseSensitive(record, "cycle");
  return !cycle ||
         (cJSON_IsObject(cycle) && is_list(cJSON_GetObjectItemCaseSensitive(cycle, "steps")));
}

const char *record_thread(const cJSON *record, const cJSON *access, char *room, size_t size) {
  if (!record_has_number(access, "thread"))
    return "a thread that has finished";
  uint64_t id = record_number(access, "thread");
  if (id == 0)
    return "main thread";
  const cJSON *thread;
  snprintf(room, size, "thread T%" PRIu64, id);
  cJSON_ArrayForEach(thread, record_list(record, "threads")) {
    const char *name = record_text(thread, "name");
    if (record_number(thread, "id") == id && name)
      snprintf(room, size, "thread T%" PRIu64 " '%s'", id, name);
  }
  return room;
}
