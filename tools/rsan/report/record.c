// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "frame.h"

bool record_is_violation(const cJSON *record) {
  return strcmp(record_type(record), "robustness violation") == 0;
}

bool record_is_race(const cJSON *record) {
  return !record_is_violation(record) && cJSON_GetArraySize(record_list(record, "accesses")) > 1;
}

bool record_has_values(const cJSON *record) {
  return record_text(record, "stale") &&
         (record_text(record, "seen") || record_text(record, "overwritten_by"));
}

// The list that the stacks are in, and whether its items are stacks or have them.
static const cJSON *stack_list(const cJSON *record, bool *bare) {
  static const char *const lists[] = {"accesses", "stacks", "waits", "mutexes", "threads"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const cJSON *list = record_list(record, lists[i]);
    *bare = i == 1;
    if (cJSON_GetArraySize(list) > 0)
      return list;
  }
  return NULL;
}

const char *record_object_name(const cJSON *record) {
  const char *field = record_text(cJSON_GetArrayItem(record_list(record, "accesses"), 0), "field");
  return field ? field : record_text(record_object(record, "location"), "name");
}

size_t record_stack_count(const cJSON *record) {
  bool bare;
  const cJSON *list = stack_list(record, &bare);
  size_t count = (size_t)cJSON_GetArraySize(list);
  bool all =
      bare || list == record_list(record, "accesses") || list == record_list(record, "waits");
  return all || count == 0 ? count : 1;
}

const cJSON *record_stack(const cJSON *record, size_t index) {
  bool bare;
  const cJSON *item = cJSON_GetArrayItem(stack_list(record, &bare), (int)index);
  if (!bare)
    return record_list(item, "stack");
  return cJSON_IsArray(item) ? item : NULL;
}

static bool is_internal(const cJSON *frame) {
  return frame_is_internal(record_text(frame, "file"), record_text(frame, "module"));
}

const cJSON *record_own_frame(const cJSON *stack) {
  const cJSON *frame;
  cJSON_ArrayForEach(frame, stack) if (!is_internal(frame)) return frame;
  return cJSON_GetArrayItem(stack, 0);
}

const cJSON *record_place(const cJSON *item) {
  const cJSON *place = record_object(item, "place"), *frame = record_object(item, "frame");
  return place ? place : frame ? frame : record_own_frame(record_list(item, "stack"));
}

const cJSON *record_wrapper(const cJSON *item) {
  const cJSON *place = record_object(item, "place"), *frame, *wrapper = NULL;
  const cJSON *stack = record_list(item, "stack"), *own = record_object(item, "frame");
  if (!place)
    return NULL;
  if (!stack)
    return own && !cJSON_Compare(own, place, true) ? own : NULL;
  cJSON_ArrayForEach(frame, stack) {
    if (cJSON_Compare(frame, place, true))
      return wrapper;
    if (!is_internal(frame))
      wrapper = frame;
  }
  return NULL;
}

const cJSON *record_site(const cJSON *record, size_t index) {
  bool bare;
  const cJSON *item = cJSON_GetArrayItem(stack_list(record, &bare), (int)index);
  if (record_is_failure(record) && index == 0)
    return record_object(record, "place") ? record_object(record, "place") : failure_site(record);
  if (record_is_failure(record))
    return failure_place(bare ? item : record_list(item, "stack"));
  return bare ? record_own_frame(item) : record_place(item);
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

// The runtime writes two accesses, a stack for each lock of a cycle, and a repair for each step.
// Work on them takes the square of their number.
enum { RECORD_MOST = 1000 };

bool record_is_sound(const cJSON *record, const char **reason) {
  static const char *const few[] = {"accesses", "stacks", "repairs"};
  static const char *const lists[] = {"accesses", "mutexes", "threads", "repairs", "waits"};
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
  for (size_t i = 0; i < sizeof few / sizeof *few; i++)
    if (cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(record, few[i])) > RECORD_MOST) {
      *reason = "it has more accesses, stacks or repairs than a report";
      return false;
    }
  *reason = "its parts are not as docs/guide/FORMATS.md says";
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
