// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "records.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BEGIN "WARNING: ThreadSanitizer: "
#define TEXT_END   "SUMMARY: ThreadSanitizer: "

enum { MAX_REMARKS = 20 };

static void *need(void *memory) {
  if (!memory)
    abort();
  return memory;
}

static struct record *find(struct records *records, const char *token) {
  for (size_t i = 0; i < records->count; i++)
    if (strcmp(records->at[i].token, token) == 0)
      return &records->at[i];
  return NULL;
}

static void add(struct records *records, const struct record *record, unsigned run,
                struct records_seen *seen) {
  seen->reports++;
  struct record *old = find(records, record->token);
  if (!old) {
    seen->fresh++;
    if (records->count == records->capacity) {
      records->capacity = records->capacity * 2 + 16;
      records->at = need(realloc(records->at, records->capacity * sizeof *records->at));
    }
    old = &records->at[records->count++];
    *old = (struct record){.token = need(strdup(record->token)),
                           .text = need(strdup(record->text)),
                           .type = need(strdup(record->type)),
                           .place = need(strdup(record->place)),
                           .source = need(strdup(record->source)),
                           .json = record->json,
                           .first_run = run};
  }
  old->count++;
  old->runs += old->last_run != run;
  old->last_run = run;
}

static void remark(struct records *records, char *line) {
  if (unmatched_read(&records->unmatched, line))
    return;
  // The same of each process.
  char *pid = strstr(line, " (pid="), *end = pid ? strchr(pid, ')') : NULL;
  if (end)
    memmove(pid, end + 1, strlen(end + 1) + 1);
  for (size_t i = 0; i < records->remark_count; i++)
    if (strcmp(records->remarks[i], line) == 0)
      return;
  if (records->remark_count == MAX_REMARKS) {
    records->dropped_remarks++;
    return;
  }
  size_t size = (records->remark_count + 1) * sizeof *records->remarks;
  records->remarks = need(realloc(records->remarks, size));
  records->remarks[records->remark_count++] = need(strdup(line));
}

static const char *string_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text ? text : "";
}

// "f.c:3:9 in g" for the first frame of the first access that is known by its source, else the
// place in a module of its first frame.
static void describe_place(const cJSON *record, char *place, size_t size) {
  const cJSON *accesses = cJSON_GetObjectItemCaseSensitive(record, "accesses"), *frame;
  const cJSON *stack = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(accesses, 0), "stack");
  *place = 0;
  cJSON_ArrayForEach(frame, stack) {
    const char *file = string_of(frame, "file");
    const cJSON *line = cJSON_GetObjectItemCaseSensitive(frame, "line");
    const cJSON *column = cJSON_GetObjectItemCaseSensitive(frame, "column");
    if (!*file || strncmp(file, "/usr/", 5) == 0 || !cJSON_IsNumber(line))
      continue;
    int used = snprintf(place, size, "%s:%d", file, line->valueint);
    if (cJSON_IsNumber(column) && used > 0 && (size_t)used < size)
      used += snprintf(place + used, size - (size_t)used, ":%d", column->valueint);
    if (*string_of(frame, "function") && used > 0 && (size_t)used < size)
      snprintf(place + used, size - (size_t)used, " in %s", string_of(frame, "function"));
    return;
  }
  frame = cJSON_GetArrayItem(stack, 0);
  if (*string_of(frame, "module"))
    snprintf(place, size, "%s+%s", string_of(frame, "module"), string_of(frame, "offset"));
}

// A report in text, from its first line to its SUMMARY, which a broken-off one has not.
struct text {
  char *at;
  size_t size;
  unsigned line; // of the first one
  char type[128];
};

struct reader {
  struct records *records;
  struct records_seen *seen;
  unsigned run, line;
  const char *path;
  struct text text;
  bool statistics; // the lines that follow are RSan's, indented
};

static void add_from(struct reader *reader, struct record *record, unsigned line) {
  char source[4400];
  snprintf(source, sizeof source, "%s:%u", reader->path, line);
  record->source = source;
  add(reader->records, record, reader->run, reader->seen);
}

// False if the line is no record of a report.
static bool add_json(struct reader *reader, char *line) {
  cJSON *object = cJSON_Parse(line);
  bool known = object && cJSON_GetObjectItemCaseSensitive(object, "rsan_report");
  if (known) {
    char place[4096];
    describe_place(object, place, sizeof place);
    const char *token = string_of(object, "token");
    struct record record = {.token = (char *)(*token ? token : line),
                            .text = line,
                            .type = (char *)string_of(object, "type"),
                            .place = place,
                            .json = true};
    add_from(reader, &record, reader->line);
  }
  cJSON_Delete(object);
  return known;
}

static void text_append(struct text *text, const char *line) {
  size_t length = strlen(line);
  text->at = need(realloc(text->at, text->size + length + 2));
  memcpy(text->at + text->size, line, length);
  memcpy(text->at + text->size + length, "\n", 2);
  text->size += length + 1;
}

static void text_end(struct reader *reader, const char *summary) {
  struct text *text = &reader->text;
  char fallback[256];
  const char *place = summary;
  size_t length = strlen(text->type);
  if (strncmp(place, text->type, length) == 0 && place[length] == ' ')
    place += length + 1;
  if (!*summary) {
    snprintf(fallback, sizeof fallback, "%s, the end of the report is missing", text->type);
    summary = fallback;
  }
  struct record record = {
      .token = (char *)summary, .text = text->at, .type = text->type, .place = (char *)place};
  add_from(reader, &record, text->line);
  free(text->at);
  *text = (struct text){0};
}

// Lines that say nothing beyond what is counted anyway.
static bool is_noise(const char *line) {
  return !*line || line[strspn(line, "=")] == 0 ||
         strncmp(line, "ThreadSanitizer: reported ", 26) == 0;
}

// "WARNING: ThreadSanitizer: data race (pid=12)"; the runtime's own warnings go on behind that.
static bool begins_text(const char *line) {
  const char *pid = strstr(line, " (pid=");
  return strncmp(line, TEXT_BEGIN, strlen(TEXT_BEGIN)) == 0 && pid && strchr(pid, ')') &&
         !strchr(pid, ')')[1];
}

static void text_start(struct reader *reader, const char *line) {
  if (reader->text.at)
    text_end(reader, "");
  size_t length = strcspn(line + strlen(TEXT_BEGIN), "(");
  while (length && line[strlen(TEXT_BEGIN) + length - 1] == ' ')
    length--;
  snprintf(reader->text.type, sizeof reader->text.type, "%.*s", (int)length,
           line + strlen(TEXT_BEGIN));
  reader->text.line = reader->line;
}

static void read_statistic(struct records *records, const char *line) {
  char name[64];
  unsigned long long number;
  if (sscanf(line, " %63s %llu", name, &number) != 2)
    return;
  if (strcmp(name, "simulated_fences") == 0)
    records->fences += number;
  else if (number == 0 && strcmp(name, "unmatched") == 0)
    unmatched_none(&records->unmatched);
}

static void read_line(struct reader *reader, char *line) {
  reader->line++;
  reader->statistics = reader->statistics && strncmp(line, "  ", 2) == 0;
  if (reader->statistics)
    read_statistic(reader->records, line);
  if (reader->statistics || (*line == '{' && add_json(reader, line)))
    return;
  if (begins_text(line))
    text_start(reader, line);
  if (*reader->text.type) {
    text_append(&reader->text, line);
    if (strncmp(line, TEXT_END, strlen(TEXT_END)) == 0)
      text_end(reader, line + strlen(TEXT_END));
  } else if (strncmp(line, "RSan statistics ", 16) == 0) {
    reader->records->runtime_seen = reader->statistics = true;
  } else if (*line == '{') {
    char broken[] = "a record that is broken off or not of a known form";
    remark(reader->records, broken);
  } else if (!is_noise(line)) {
    remark(reader->records, line);
  }
}

bool records_read(struct records *records, const char *path, unsigned run,
                  struct records_seen *seen) {
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  struct reader reader = {.records = records, .seen = seen, .run = run, .path = path};
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  while ((length = getline(&line, &size, file)) >= 0) {
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
      line[--length] = 0;
    read_line(&reader, line);
  }
  if (reader.text.at)
    text_end(&reader, "");
  bool fine = !ferror(file);
  free(line);
  fclose(file);
  return fine;
}

// With what `rsan report' has in its own results.
bool record_write(const struct record *record, FILE *file) {
  cJSON *object = record->json ? cJSON_Parse(record->text) : NULL;
  if (object) {
    cJSON_DeleteItemFromObjectCaseSensitive(object, "count");
    cJSON_DeleteItemFromObjectCaseSensitive(object, "runs");
    cJSON_DeleteItemFromObjectCaseSensitive(object, "source");
    cJSON_AddNumberToObject(object, "count", (double)record->count);
    cJSON_AddNumberToObject(object, "runs", record->runs);
    cJSON_AddStringToObject(object, "source", record->source);
  }
  char *line = object ? cJSON_PrintUnformatted(object) : NULL;
  bool written = fprintf(file, "%s\n", line ? line : record->text) > 0;
  free(line);
  cJSON_Delete(object);
  return written;
}

size_t records_of_type(const struct records *records, const char *type) {
  size_t count = 0;
  for (size_t i = 0; i < records->count; i++)
    count += !type || strcmp(records->at[i].type, type) == 0;
  return count;
}

void records_free(struct records *records) {
  for (size_t i = 0; i < records->count; i++) {
    free(records->at[i].token);
    free(records->at[i].text);
    free(records->at[i].type);
    free(records->at[i].place);
    free(records->at[i].source);
  }
  for (size_t i = 0; i < records->remark_count; i++)
    free(records->remarks[i]);
  free(records->at);
  free(records->remarks);
  free(records->unmatched.file);
  *records = (struct records){0};
}
