// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "text_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "complain.h"
#include "frame.h"
#include "heading.h"
#include "record.h"
#include "symbolizer.h"

struct text_report {
  cJSON *record;
  cJSON *stack; // the next frames are of it; NULL: of a stack without a heading
  char *prefix; // what a collector of logs puts before each line
  bool has_stack;
};

// `12)` and nothing behind it.
static bool is_pid(const char *at) {
  size_t digits = strspn(at, "0123456789");
  return digits > 0 && at[digits] == ')' && line_end(at) == at + digits + 1;
}

struct text_report *text_begin(const char *line) {
  const char *warning = strstr(line, "WARNING: ThreadSanitizer: ");
  const char *error = strstr(line, "ERROR: ThreadSanitizer: ");
  const char *start = warning ? warning : error;
  const char *type = strstr(start, "Sanitizer: ") + strlen("Sanitizer: ");
  // A warning that is no report has no pid, or goes on behind it; an error is a signal, and an
  // address follows.
  const char *end = strstr(type, warning ? " (pid=" : " on ");
  const char *equals = strncmp(start, "ERROR", 5) == 0 ? strstr(line, "==") : NULL;
  if (warning && !(end && is_pid(end + strlen(" (pid="))))
    return NULL;
  struct text_report *text = must_alloc(NULL, sizeof *text);
  *text = (struct text_report){.record = cJSON_CreateObject()};
  text->prefix = must_copy(line, (size_t)((equals ? equals : start) - line));
  char *name = must_copy(type, end ? (size_t)(end - type) : strlen(type));
  cJSON_AddNumberToObject(text->record, "rsan_report", RECORD_VERSION);
  cJSON_AddStringToObject(text->record, "type", name);
  if (warning)
    cJSON_AddNumberToObject(text->record, "pid", strtod(end + strlen(" (pid="), NULL));
  free(name);
  return text;
}

static void add_text(cJSON *object, const char *key, const char *text, size_t length) {
  char *copy = must_copy(text, length);
  cJSON_AddStringToObject(object, key, copy);
  free(copy);
}

static void add_place(cJSON *object, const struct place *place) {
  char offset[24];
  snprintf(offset, sizeof offset, "0x%" PRIx64, place->offset);
  add_text(object, "module", place->module, place->module_length);
  cJSON_AddStringToObject(object, "offset", offset);
  if (place->build_id)
    add_text(object, "build_id", place->build_id, place->build_id_length);
}

static void add_position(cJSON *object, const char *text, size_t length) {
  struct source_frame source = {0};
  source_frame_parse(&source, must_copy(text, length));
  if (source.file && strcmp(source.file, "<null>") != 0)
    cJSON_AddStringToObject(object, "file", source.file);
  if (source.file && source.line > 0)
    cJSON_AddNumberToObject(object, "line", source.line);
  if (source.file && source.column > 0)
    cJSON_AddNumberToObject(object, "column", source.column);
  free(source.file);
}

static void add_frame(struct text_report *text, const struct frame_line *line) {
  struct source_text source;
  cJSON *frame = cJSON_CreateObject();
  if (line->number == 0 && (!text->stack || cJSON_GetArraySize(text->stack) > 0)) {
    cJSON *stacks = cJSON_GetObjectItemCaseSensitive(text->record, "stacks");
    if (!stacks)
      stacks = cJSON_AddArrayToObject(text->record, "stacks");
    text->stack = cJSON_CreateArray();
    cJSON_AddItemToArray(stacks, text->stack);
  }
  if (line->raw) {
    add_place(frame, &line->place);
  } else if (source_parse(line, &source)) {
    if (strncmp(source.function, "<null>", source.function_length) != 0)
      add_text(frame, "function", source.function, source.function_length);
    add_position(frame, source.position, source.position_length);
    if (source.has_place)
      add_place(frame, &source.place);
  } else {
    add_text(frame, "function", line->text + line->body, line->end - line->body);
  }
  if (text->stack)
    cJSON_AddItemToArray(text->stack, frame);
  else
    cJSON_Delete(frame);
  text->has_stack = true;
}

static cJSON *list(cJSON *record, const char *key) {
  cJSON *found = cJSON_GetObjectItemCaseSensitive(record, key);
  return found ? found : cJSON_AddArrayToObject(record, key);
}

// Puts what a heading says into the record. Returns the stack that follows it, or NULL.
static cJSON *add_heading(cJSON *record, const char *line, bool *known) {
  cJSON *item = cJSON_CreateObject();
  *known = true;
  if (heading_access(line, item))
    cJSON_AddItemToArray(list(record, "accesses"), item);
  else if (heading_thread(line, item))
    cJSON_AddItemToArray(list(record, "threads"), item);
  else if (heading_mutex(line, item))
    cJSON_AddItemToArray(list(record, "mutexes"), item);
  else if (heading_location(line, item) && !record_object(record, "location"))
    cJSON_AddItemToObject(record, "location", item);
  else {
    cJSON_Delete(item);
    *known = heading_cycle(line, record) || heading_repair(line, record) ||
             heading_targets(line, record) || heading_field(line, record) ||
             heading_recheck(line, record) || heading_class(line, record) ||
             heading_schedule(line, record) || heading_other(line, record);
    return strstr(line, "As if synchronized via sleep:") ? list(record, "sleep") : NULL;
  }
  size_t length = strlen(line);
  return length > 0 && line[length - 1] == ':' ? cJSON_AddArrayToObject(item, "stack") : NULL;
}

// Gives frames that name a module by its base name the full path.
static void complete_modules(cJSON *item, const char *path) {
  cJSON *child;
  const char *module = cJSON_IsObject(item) ? record_text(item, "module") : NULL;
  if (module && strcmp(module, base_name(path)) == 0)
    cJSON_ReplaceItemInObjectCaseSensitive(item, "module", cJSON_CreateString(path));
  cJSON_ArrayForEach(child, item) complete_modules(child, path);
}

// A raw summary is the one line with a full path.
static void use_summary(struct text_report *text, const char *line) {
  size_t at;
  struct place place;
  if (!summary_parse(line, &at, &place) || place.module[0] != '/')
    return;
  char *path = must_copy(place.module, place.module_length);
  complete_modules(text->record, path);
  free(path);
}

enum text_state text_line(struct text_report *text, const char *line) {
  struct frame_line frame;
  size_t prefix = strlen(text->prefix);
  if (strncmp(line, text->prefix, prefix) == 0)
    line += prefix;
  if (line_ends_report(line)) {
    use_summary(text, line);
    return strstr(line, "SUMMARY:") ? TEXT_ENDS : TEXT_MAY_END;
  }
  if (frame_parse(line, &frame)) {
    add_frame(text, &frame);
    return TEXT_GOES_ON;
  }
  bool known;
  cJSON *stack = add_heading(text->record, line, &known);
  if (known)
    text->stack = stack;
  return TEXT_GOES_ON;
}

cJSON *text_end(struct text_report *text, bool *has_stack) {
  cJSON *record = text->record;
  *has_stack = text->has_stack;
  free(text->prefix);
  free(text);
  return record;
}
