// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports.h"

#include <stdlib.h>
#include <string.h>

#include "need.h"
#include "report/record.h"
#include "report/utf8.h"

static struct unit_report *add(struct unit_reports *reports) {
  if (reports->count == reports->room) {
    reports->room = reports->room * 2 + 16;
    reports->at = need(realloc(reports->at, reports->room * sizeof *reports->at));
  }
  struct unit_report *report = &reports->at[reports->count++];
  *report = (struct unit_report){0};
  return report;
}

// -- tokens of raw records: asked of the symbolizer once for each key --

static struct merged_key *key_slot(struct merged_key *keys, size_t room, const char *key) {
  size_t at = strtoull(key, NULL, 16) & (room - 1);
  while (*keys[at].key && strcmp(keys[at].key, key) != 0)
    at = (at + 1) & (room - 1);
  return &keys[at];
}

static struct merged_key *find_key(struct merge *merge, const char *key) {
  if (2 * merge->key_count >= merge->key_room) {
    size_t room = merge->key_room ? 2 * merge->key_room : 256;
    struct merged_key *larger = need(calloc(room, sizeof *larger));
    for (size_t i = 0; i < merge->key_room; i++)
      if (*merge->keys[i].key)
        *key_slot(larger, room, merge->keys[i].key) = merge->keys[i];
    free(merge->keys);
    merge->keys = larger;
    merge->key_room = room;
  }
  return key_slot(merge->keys, merge->key_room, key);
}

// Symbolizes the object unless nothing of it is needed but its token.
static const char *raw_token(struct merge *merge, cJSON *object, const char *key, long bytes) {
  struct merged_key *known = find_key(merge, key);
  const struct record *old = *known->key ? records_find(&merge->runs.records, known->token) : NULL;
  if (old && (!bytes || (old->schedule && old->schedule <= bytes)))
    return known->token;
  symbolize_record(&merge->symbols, object);
  record_strip_files(object, merge->symbols.strip_prefix);
  if (*known->key)
    return known->token;
  snprintf(known->key, sizeof known->key, "%s", key);
  const char *token = record_text(object, "token");
  snprintf(known->token, sizeof known->token, "%s", token ? token : key);
  merge->key_count++;
  return known->token;
}

// -- reading --

// False: the line is no record of a report that has a token.
static bool read_json(struct unit_reports *reports, struct merge *merge, const char *line) {
  const char *reason;
  char key[17];
  cJSON *object = cJSON_Parse(line);
  if (!object || !record_is_sound(object, &reason)) {
    cJSON_Delete(object);
    return false;
  }
  struct unit_report *report = add(reports);
  const char *given = record_text(object, "token"), *source = record_text(object, "source");
  bool raw = record_stacks_key(object, key);
  long bytes = (long)record_number(record_object(object, "schedule"), "bytes");
  unsigned long count = record_number(object, "count");
  report->object = object;
  const char *token = raw ? raw_token(merge, object, key, bytes) : given;
  report->key = need(strdup(raw ? key : given ? given : ""));
  report->record = (struct record){.token = need(strdup(token ? token : "")),
                                   .type = need(strdup(record_type(object))),
                                   .place = record_place_text(object, NULL),
                                   .source = need(strdup(source ? source : "")),
                                   .json = true,
                                   .count = count ? count : 1,
                                   .schedule = bytes};
  return *report->key;
}

static bool read_lines(struct unit_reports *reports, struct merge *merge, char *text, char *reason,
                       size_t size) {
  char *rest = NULL;
  unsigned number = 0;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *clean = utf8_clean(line, strlen(line));
    bool read = read_json(reports, merge, clean);
    free(clean);
    number++;
    if (!read) {
      snprintf(reason, size, "reports.jsonl:%u is no record of a report", number);
      return false;
    }
  }
  return true;
}

// Reports of programs that write text alone.
static void read_texts(struct unit_reports *reports, char *text) {
  struct records records = {0};
  struct records_seen seen = {0};
  FILE *file = fmemopen(text, strlen(text), "r");
  if (!file)
    return;
  records_read_stream(&records, file, "reports.txt", 1, &seen);
  fclose(file);
  for (size_t i = 0; i < records.count; i++) {
    const struct record *from = &records.at[i];
    struct unit_report *report = add(reports);
    report->key = need(strdup(from->token));
    report->record = (struct record){.token = need(strdup(from->token)),
                                     .text = need(strdup(from->text)),
                                     .type = need(strdup(from->type)),
                                     .place = need(strdup(from->place)),
                                     .source = need(strdup(from->source)),
                                     .count = from->count};
  }
  records_free(&records);
}

bool unit_reports_read(struct unit_reports *reports, struct merge *merge,
                       const struct content *content, char *reason, size_t size) {
  *reports = (struct unit_reports){0};
  if (content->reports && !read_lines(reports, merge, content->reports, reason, size))
    return false;
  if (content->texts && *content->texts)
    read_texts(reports, content->texts);
  return true;
}

const struct unit_report *unit_reports_find(const struct unit_reports *reports, const char *key) {
  for (size_t i = 0; i < reports->count; i++)
    if (strcmp(reports->at[i].key, key) == 0)
      return &reports->at[i];
  return NULL;
}

// -- adding --

static bool is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return length && strncmp(path, folder, length) == 0 && path[length] == '/' &&
         !strstr(path + length, "/../");
}

// The path below the merged folder, of one below the unit's own; else as it is. For free().
static char *moved(const char *path, const char *from, const char *to) {
  bool inside = is_below(path, from);
  char *text;
  if (asprintf(&text, "%s%s", inside ? to : "", inside ? path + strlen(from) : path) < 0)
    abort();
  return text;
}

// Removes the hint to replay a schedule that was not copied into the merged folder: its path is
// valid on another machine only.
static void forget_schedule(struct unit_report *report, cJSON *schedule) {
  cJSON_DeleteItemFromObjectCaseSensitive(schedule, "file");
  cJSON_DeleteItemFromObjectCaseSensitive(schedule, "repeat");
  report->record.schedule = 0;
}

static void move_paths(struct unit_report *report, const char *from, const char *to) {
  char *source = moved(report->record.source, from, to);
  free(report->record.source);
  report->record.source = source;
  if (!report->object)
    return;
  cJSON *schedule = cJSON_GetObjectItemCaseSensitive(report->object, "schedule");
  const char *file = record_text(schedule, "file");
  cJSON_DeleteItemFromObjectCaseSensitive(report->object, "token");
  cJSON_AddStringToObject(report->object, "token", report->record.token);
  if (!file || !is_below(file, from)) {
    forget_schedule(report, schedule);
    return;
  }
  char *path = moved(file, from, to);
  cJSON_ReplaceItemInObjectCaseSensitive(schedule, "file", cJSON_CreateString(path));
  free(path);
}

void unit_reports_add(struct unit_reports *reports, struct merge *merge, const char *folder) {
  struct records *records = &merge->runs.records;
  for (size_t i = 0; i < reports->count; i++) {
    struct unit_report *report = &reports->at[i];
    struct record *record = &report->record;
    const struct record *old = records_find(records, record->token);
    bool shown = !old || (record->schedule && (!old->schedule || record->schedule < old->schedule));
    if (shown)
      move_paths(report, folder, merge->plan.folder);
    if (report->object)
      record->text = shown ? need(cJSON_PrintUnformatted(report->object)) : need(strdup(""));
    record->tests = report->object ? record_tests(report->object) : NULL;
    report->merged = (size_t)(records_merge(records, record) - records->at);
    cJSON_Delete(record->tests);
    record->tests = NULL;
  }
}

void unit_reports_free(struct unit_reports *reports) {
  for (size_t i = 0; i < reports->count; i++) {
    struct unit_report *report = &reports->at[i];
    free(report->key);
    free(report->record.token);
    free(report->record.text);
    free(report->record.type);
    free(report->record.place);
    free(report->record.source);
    cJSON_Delete(report->object);
  }
  free(reports->at);
  *reports = (struct unit_reports){0};
}
