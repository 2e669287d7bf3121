// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "logs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/line.h"
#include "file/output.h"
#include "frame.h"
#include "need.h"
#include "report/record.h"

void logs_add_module(struct logs *logs, const char *file) {
  const struct place place = {.module = file, .module_length = strlen(file)};
  modules_note(&logs->symbols.modules, &place);
  size_t size = (logs->module_count + 1) * sizeof *logs->modules;
  logs->modules = need(realloc(logs->modules, size));
  logs->modules[logs->module_count++] = need(strdup(file));
}

void logs_free(struct logs *logs) {
  for (size_t i = 0; i < logs->module_count; i++)
    free(logs->modules[i]);
  free(logs->modules);
  collection_clear(&logs->symbols);
  *logs = (struct logs){0};
}

static const char *module_here(const struct logs *logs, const char *module) {
  for (size_t i = 0; i < logs->module_count; i++)
    if (strcmp(base_name(logs->modules[i]), base_name(module)) == 0)
      return logs->modules[i];
  return NULL;
}

static void move_modules(const struct logs *logs, cJSON *item) {
  static const char *const keys[] = {"module", "program"};
  cJSON *child;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *module = record_text(item, keys[i]);
    const char *here = module ? module_here(logs, module) : NULL;
    if (here)
      cJSON_ReplaceItemInObjectCaseSensitive(item, keys[i], cJSON_CreateString(here));
  }
  cJSON_ArrayForEach(child, item) move_modules(logs, child);
}

// Tokens that one log has shown already.
struct seen {
  char (*at)[17];
  size_t count;
};

static bool is_new(struct seen *seen, const char *token) {
  for (size_t i = 0; i < seen->count; i++)
    if (strcmp(seen->at[i], token) == 0)
      return false;
  seen->at = need(realloc(seen->at, (seen->count + 1) * sizeof *seen->at));
  snprintf(seen->at[seen->count++], sizeof *seen->at, "%s", token);
  return true;
}

// False: the process has reported it before.
static bool take_report(struct logs *logs, cJSON *record, struct seen *seen) {
  if (!symbolize_record(&logs->symbols, record))
    return true;
  record_strip_files(record, logs->symbols.strip_prefix);
  const char *token = record_text(record, "token");
  return !token || is_new(seen, token);
}

// As a part of a record, where the symbolizer expects it.
static cJSON *take_departure(struct logs *logs, cJSON *departure) {
  cJSON *record = cJSON_CreateObject(), *list;
  list = cJSON_AddArrayToObject(cJSON_AddObjectToObject(record, "departures"), "list");
  cJSON_AddItemToArray(list, departure);
  symbolize_record(&logs->symbols, record);
  record_strip_files(record, logs->symbols.strip_prefix);
  departure = cJSON_DetachItemFromArray(list, 0);
  cJSON_Delete(record);
  return departure;
}

// A frame of a report in text, such as that of a deadly signal. False: the line is no raw frame.
static bool write_frame(struct logs *logs, const char *line, FILE *out) {
  struct frame_line frame;
  struct source_frames sources;
  if (!frame_parse(line, &frame) || !frame.raw)
    return false;
  const char *module = modules_find(&logs->symbols.modules, &frame.place);
  if (!module || !symbolizer_code(&logs->symbols.symbolizer, module, frame.place.offset, &sources))
    return false;
  for (unsigned i = 0; i < sources.count; i++) {
    const struct source_frame *source = &sources.at[i];
    fprintf(out, "%.*s#%u %s ", (int)frame.prefix, line, frame.number,
            source->function ? source->function : "<null>");
    if (source->file)
      fprintf(out, "%s:%u:%u ", strip_prefix(source->file, logs->symbols.strip_prefix),
              source->line, source->column);
    fprintf(out, "(%.*s+0x%" PRIx64 ")\n", (int)frame.place.module_length, frame.place.module,
            frame.place.offset);
  }
  bool written = sources.count > 0;
  source_frames_clear(&sources);
  return written;
}

static void write_line(struct logs *logs, const char *line, struct seen *seen, FILE *out) {
  const char *reason;
  cJSON *object = *line == '{' ? cJSON_Parse(line) : NULL;
  bool wanted = true;
  if (!object) {
    if (!write_frame(logs, line, out))
      fputs(line, out);
    return;
  }
  move_modules(logs, object);
  if (record_number(object, "rsan_departure"))
    object = take_departure(logs, object);
  else if (record_is_sound(object, &reason))
    wanted = take_report(logs, object, seen);
  char *text = need(cJSON_PrintUnformatted(object));
  if (wanted)
    fprintf(out, "%s\n", text);
  cJSON_free(text);
  cJSON_Delete(object);
}

struct rewriting {
  struct logs *logs;
  int error;
};

static void rewrite(void *context, const char *path) {
  struct rewriting *rewriting = context;
  struct seen seen = {0};
  char *line = NULL, *text = NULL;
  size_t room = 0, size = 0;
  FILE *file = fopen(path, "r"), *out = need(open_memstream(&text, &size));
  while (file && file_line(&line, &room, file) >= 0)
    write_line(rewriting->logs, line, &seen, out);
  if (fclose(out) != 0)
    abort();
  if (file)
    fclose(file);
  if (!file || !file_output(path, text, size))
    rewriting->error = errno;
  free(seen.at);
  free(line);
  free(text);
}

bool logs_bring_home(struct logs *logs, const struct run_plan *plan, unsigned run) {
  struct rewriting rewriting = {.logs = logs};
  run_files(plan, run, "report.", rewrite, &rewriting);
  run_files(plan, run, "weak.", rewrite, &rewriting);
  errno = rewriting.error;
  return !rewriting.error;
}
