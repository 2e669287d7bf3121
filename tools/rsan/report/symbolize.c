// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offline symbolization of a record, with the means of rsan-symbolize: an address becomes the
// frames of the functions inlined there, as the runtime would have written them.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collection.h"
#include "failure.h"
#include "frame.h"
#include "record.h"
#include "tokens.h"

// Marks a wrapper's frame while the record is symbolized.
static const char wrapper_mark[] = "is wrapper";

static void remove_marks(cJSON *item) {
  cJSON *child;
  cJSON_DeleteItemFromObjectCaseSensitive(item, wrapper_mark);
  cJSON_ArrayForEach(child, item) remove_marks(child);
}

static bool place_of(const cJSON *object, struct place *place) {
  const char *module = record_text(object, "module"), *id = record_text(object, "build_id");
  *place = (struct place){0};
  if (!module || !*module || !record_text(object, "offset"))
    return false;
  place->module = module;
  place->module_length = strlen(module);
  place->offset = record_hex(object, "offset");
  place->build_id = id;
  place->build_id_length = id ? strlen(id) : 0;
  return true;
}

static bool is_raw(const cJSON *frame, struct place *place) {
  return !record_text(frame, "function") && !record_text(frame, "file") && place_of(frame, place);
}

static void add_source(cJSON *frame, const struct source_frame *source) {
  if (source->function)
    cJSON_AddStringToObject(frame, "function", strip_interceptor(source->function));
  if (source->file)
    cJSON_AddStringToObject(frame, "file", source->file);
  if (source->file && source->line > 0)
    cJSON_AddNumberToObject(frame, "line", source->line);
  if (source->file && source->line > 0 && source->column > 0)
    cJSON_AddNumberToObject(frame, "column", source->column);
}

// Appends the frames that the raw one stands for.
static void expand(struct collection *collection, cJSON *stack, cJSON *frame) {
  struct source_frames sources;
  struct place place;
  const char *module = is_raw(frame, &place) ? modules_find(&collection->modules, &place) : NULL;
  if (!module || !symbolizer_code(&collection->symbolizer, module, place.offset, &sources)) {
    cJSON_AddItemToArray(stack, frame);
    return;
  }
  for (unsigned i = 0; i < sources.count; i++) {
    cJSON *copy = cJSON_Duplicate(frame, true);
    add_source(copy, &sources.at[i]);
    if (wrappers_have(&collection->wrappers, module, &sources.at[i]))
      cJSON_AddTrueToObject(copy, wrapper_mark);
    if (i > 0) // as in the runtime's reports
      cJSON_DeleteItemFromObjectCaseSensitive(copy, "build_id");
    cJSON_AddItemToArray(stack, copy);
  }
  source_frames_clear(&sources);
  cJSON_Delete(frame);
}

static void symbolize_stack(struct collection *collection, cJSON *stack) {
  struct place place;
  bool raw = false;
  const cJSON *item;
  cJSON_ArrayForEach(item, stack) raw |= is_raw(item, &place);
  if (!raw)
    return;
  int count = cJSON_GetArraySize(stack);
  while (count-- > 0)
    expand(collection, stack, cJSON_DetachItemFromArray(stack, 0));
  count = cJSON_GetArraySize(stack);
  const cJSON *last = cJSON_GetArrayItem(stack, count - 1);
  const cJSON *before = cJSON_GetArrayItem(stack, count - 2);
  if (count >= 2 && strips_last(record_text(before, "function"), record_text(last, "function")))
    cJSON_DeleteItemFromArray(stack, count - 1);
}

static void symbolize_location(struct collection *collection, cJSON *location) {
  struct source_data data;
  struct place place;
  char text[24];
  if (!location || record_text(location, "name") || !place_of(location, &place))
    return;
  const char *module = modules_find(&collection->modules, &place);
  if (!module || !symbolizer_data(&collection->symbolizer, module, place.offset, &data))
    return;
  cJSON_AddStringToObject(location, "name", data.name);
  if (data.size && !record_has_number(location, "size"))
    cJSON_AddNumberToObject(location, "size", (double)data.size);
  if (record_text(location, "address")) {
    snprintf(text, sizeof text, "0x%" PRIx64,
             record_hex(location, "address") - place.offset + data.start);
    cJSON_ReplaceItemInObjectCaseSensitive(location, "address", cJSON_CreateString(text));
  }
  snprintf(text, sizeof text, "0x%" PRIx64, data.start);
  cJSON_ReplaceItemInObjectCaseSensitive(location, "offset", cJSON_CreateString(text));
  free(data.name);
}

static cJSON *item_of(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

// The place in the stack, and the first frame that is the program's own; as the runtime has it.
static const cJSON *find_place(const cJSON *stack, const cJSON **own) {
  const cJSON *frame, *wrapper = NULL;
  *own = NULL;
  cJSON_ArrayForEach(frame, stack) {
    if (frame_is_internal(record_text(frame, "file"), record_text(frame, "module")))
      continue;
    if (!*own)
      *own = frame;
    if (!record_true(frame, wrapper_mark))
      return frame;
    wrapper = frame;
  }
  if (!*own)
    *own = cJSON_GetArrayItem(stack, 0);
  return wrapper ? wrapper : *own;
}

static void set_place(cJSON *item, const cJSON *place) {
  cJSON_DeleteItemFromObjectCaseSensitive(item, "place");
  cJSON_AddItemToObject(item, "place", cJSON_Duplicate(place, true));
}

// A step of a cycle or a repair: its frames, and the one of them that is the program's own.
static void symbolize_step(struct collection *collection, cJSON *step) {
  cJSON *frame = item_of(step, "frame"), *stack = item_of(step, "stack");
  struct place place;
  if (!is_raw(frame, &place))
    return;
  cJSON *frames = stack ? stack : cJSON_CreateArray();
  if (!stack)
    cJSON_AddItemToArray(frames, cJSON_Duplicate(frame, true));
  symbolize_stack(collection, frames);
  const cJSON *own, *place_frame = find_place(frames, &own);
  if (own)
    cJSON_ReplaceItemInObjectCaseSensitive(step, "frame", cJSON_Duplicate(own, true));
  if (place_frame)
    set_place(step, place_frame);
  if (!stack)
    cJSON_Delete(frames);
}

// An access: its place.
static void symbolize_access(cJSON *access) {
  const cJSON *own, *place = find_place(item_of(access, "stack"), &own);
  if (place)
    set_place(access, place);
}

static bool is_stack_raw(const cJSON *record, size_t index) {
  const cJSON *frame;
  struct place place;
  cJSON_ArrayForEach(frame, record_stack(record, index)) if (is_raw(frame, &place)) return true;
  return false;
}

// The report's full paths are where its modules are looked for.
static void note_modules(struct collection *collection, const cJSON *stack) {
  const cJSON *frame;
  struct place place;
  cJSON_ArrayForEach(frame, stack) if (is_raw(frame, &place))
      modules_note(&collection->modules, &place);
}

// What stale values were given in a run (confirmed.h).
static void symbolize_departures(struct collection *collection, cJSON *departures) {
  cJSON *departure;
  cJSON_ArrayForEach(departure, item_of(departures, "list")) {
    cJSON *stack = item_of(departure, "stack"), *frame;
    struct place place;
    bool raw = false;
    cJSON_ArrayForEach(frame, stack) raw |= is_raw(frame, &place);
    symbolize_stack(collection, stack);
    symbolize_stack(collection, item_of(departure, "missed"));
    if (raw)
      symbolize_access(departure);
    remove_marks(departure);
  }
}

bool symbolize_record(struct collection *collection, cJSON *record) {
  static const char *const lists[] = {"accesses", "threads", "mutexes", "waits"};
  cJSON *item;
  const char *program = record_text(record, "program");
  bool raw = false;
  for (size_t i = 0; i < record_stack_count(record); i++)
    raw |= is_stack_raw(record, i);
  if (program) {
    struct place place = {.module = program, .module_length = strlen(program)};
    modules_note(&collection->modules, &place);
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    cJSON_ArrayForEach(item, item_of(record, lists[i]))
        note_modules(collection, item_of(item, "stack"));
    cJSON_ArrayForEach(item, item_of(record, lists[i]))
        symbolize_stack(collection, item_of(item, "stack"));
  }
  if (raw)
    cJSON_ArrayForEach(item, item_of(record, "accesses")) symbolize_access(item);
  cJSON_ArrayForEach(item, item_of(record, "stacks")) symbolize_stack(collection, item);
  symbolize_stack(collection, item_of(record, "sleep"));
  symbolize_stack(collection, item_of(item_of(record, "location"), "stack"));
  symbolize_location(collection, item_of(record, "location"));
  cJSON_ArrayForEach(item, item_of(item_of(record, "cycle"), "steps"))
      symbolize_step(collection, item),
      symbolize_location(collection, item_of(item, "access"));
  cJSON_ArrayForEach(item, item_of(record, "repairs")) symbolize_step(collection, item);
  symbolize_departures(collection, item_of(item_of(record, "confirmed"), "departures"));
  symbolize_departures(collection, item_of(record, "departures"));
  if (raw && record_is_failure(record) && failure_site(record))
    set_place(record, failure_site(record));
  if (raw) {
    record_renew_tokens(record, collection->strip_prefix);
    remove_marks(record);
  }
  return raw;
}
