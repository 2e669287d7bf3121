// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "records.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "file/line.h"
#include "frame.h"
#include "need.h"
#include "report/baseline.h"
#include "report/classes.h"
#include "report/lost.h"
#include "report/output.h"
#include "report/record.h"
#include "report/tests.h"
#include "report/text_report.h"
#include "report/tokens.h"
#include "report/utf8.h"
#include "run/end.h"
#include "trust/head.h"

#define TEXT_END "SUMMARY: ThreadSanitizer: "

enum { MAX_REMARKS = 20 };

struct record *records_find(const struct records *records, const char *token) {
  for (size_t i = 0; i < records->count; i++)
    if (strcmp(records->at[i].token, token) == 0)
      return &records->at[i];
  return NULL;
}

// The run with the shorter schedule is easier to follow.
static void replace(struct record *old, const struct record *shorter) {
  free(old->text);
  free(old->source);
  old->text = need(strdup(shorter->text));
  old->source = need(strdup(shorter->source));
  old->schedule = shorter->schedule;
}

static bool is_wanted(const struct records *records, const struct record *record) {
  const char *const *token = records->only;
  if (!token || strcmp(record->type, "robustness violation") != 0)
    return true;
  while (*token && strcmp(*token, record->token) != 0)
    token++;
  return *token;
}

struct record *records_merge(struct records *records, const struct record *record) {
  struct record *old = records_find(records, record->token);
  if (!old) {
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
                           .known = baseline_see(records->baseline, record->token)};
  }
  if (record->tests) {
    if (!old->tests)
      old->tests = cJSON_CreateObject();
    tests_merge(old->tests, record->tests);
  }
  old->count += record->count;
  if (record->schedule && (!old->schedule || record->schedule < old->schedule))
    replace(old, record);
  return old;
}

void record_note_run(struct record *record, unsigned run) {
  if (record->last_run == run)
    return;
  if (!record->runs)
    record->first_run = run;
  if (record->runs < RECORD_SEEDS)
    record->seeds[record->runs] = run;
  record->runs++;
  record->last_run = run;
}

static void add(struct records *records, const struct record *record, unsigned run,
                struct records_seen *seen) {
  size_t known = records->count;
  if (!is_wanted(records, record)) {
    records->left++;
    return;
  }
  struct record *merged = records_merge(records, record);
  record_note_run(merged, run);
  if (record->tests)
    tests_note_run(merged->tests, record->tests, run);
  if (merged->known)
    return;
  if (end_is_type(record->type)) { // the run's status says it
    seen->hangs += strcmp(record->type, "time-out") == 0;
    seen->failed_tests += strcmp(record->type, FAILED_TEST) == 0;
    return;
  }
  seen->reports++;
  seen->fresh += records->count > known;
}

// Adds to the line that is there.
static bool add_lost(struct records *records, const char *line) {
  if (!lost_is(line))
    return false;
  for (size_t i = 0; i < records->remark_count; i++)
    if (lost_is(records->remarks[i])) {
      char *sum = lost_add(records->remarks[i], line);
      free(records->remarks[i]);
      records->remarks[i] = sum;
      return true;
    }
  return false;
}

void records_remark(struct records *records, char *line) {
  if (add_lost(records, line) || unmatched_read(&records->unmatched, line) ||
      counts_read(&records->counts, line))
    return;
  // Removes "==123==" and " (pid=123)", so that equal lines of several processes are counted once.
  size_t digits = strncmp(line, "==", 2) == 0 ? strspn(line + 2, "0123456789") : 0;
  if (digits && strncmp(line + 2 + digits, "==", 2) == 0)
    line += digits + 4;
  char *pid = strstr(line, " (pid="), *end = pid ? strchr(pid, ')') : NULL;
  if (end)
    memmove(pid, end + 1, strlen(end + 1) + 1);
  for (size_t i = 0; i < records->remark_count; i++)
    if (strcmp(records->remarks[i], line) == 0)
      return;
  if (records->remark_count >= MAX_REMARKS && !lost_is(line)) {
    records->dropped_remarks++;
    return;
  }
  size_t size = (records->remark_count + 1) * sizeof *records->remarks;
  records->remarks = need(realloc(records->remarks, size));
  records->remarks[records->remark_count++] = need(strdup(line));
}

// A report in text: its lines as they stand, and what they say.
struct text {
  char *at;
  size_t size;
  unsigned line;              // of the first one
  struct text_report *report; // NULL: none is being read
};

struct reader {
  struct records *records;
  struct records_seen *seen;
  unsigned run, line;
  const char *path;
  struct text text;
};

char *record_place_text(const cJSON *object, const char *summary) {
  const char *type = record_type(object);
  size_t size, length = strlen(type);
  char *place = NULL, *tests = NULL;
  FILE *out = need(open_memstream(&place, &size));
  if (record_site(object, 0))
    write_site(record_site(object, 0), out);
  else if (summary && strncmp(summary, type, length) == 0 && summary[length] == ' ')
    fputs(summary + length + 1, out);
  else if (strcmp(type, FAILED_TEST) == 0 && (tests = tests_text(object)))
    fputs(tests, out);
  fclose(out);
  free(tests);
  return need(place);
}

bool record_stacks_key(const cJSON *object, char key[17]) {
  uint64_t hash = rsan_hash_line(RSAN_HASH_START, record_type(object));
  size_t count = record_stack_count(object);
  for (size_t i = 0; i < count; i++) {
    const cJSON *frame;
    hash = rsan_hash_line(hash, "stack");
    cJSON_ArrayForEach(frame, record_stack(object, i)) {
      const char *module = record_text(frame, "module"), *offset = record_text(frame, "offset"),
                 *id = record_text(frame, "build_id");
      if (record_text(frame, "function") || record_text(frame, "file") || !module || !offset)
        return false;
      hash = rsan_hash_line(rsan_hash_line(hash, base_name(module)), offset);
      hash = rsan_hash_line(hash, id ? id : "");
    }
  }
  snprintf(key, 17, "%016" PRIx64, hash);
  return count > 0;
}

// Bytes of the schedule that the record names; 0: none.
static long schedule_size(const cJSON *object) {
  const char *file = record_text(record_object(object, "schedule"), "file");
  struct stat status;
  return file && stat(file, &status) == 0 ? (long)status.st_size : 0;
}

cJSON *record_tests(const cJSON *object) {
  const char *own = getenv("RSAN_OPTIONS");
  if (!record_list(object, "tests"))
    return NULL;
  cJSON *tests = cJSON_CreateObject();
  tests_merge(tests, object);
  if (own && *own)
    tests_set_options(tests, own);
  return tests;
}

// TEXT: what was read. TOKEN: what tells it from others if the record does not.
static void add_record(struct reader *reader, cJSON *object, const char *token, char *place,
                       char *text, bool json, unsigned line) {
  char *source = NULL, key[17];
  if (!record_text(object, "token"))
    record_renew_tokens(object, "");
  const char *own = record_text(object, "token");
  if (reader->records->by_stacks && record_stacks_key(object, key))
    own = key;
  cJSON *tests = record_tests(object);
  if (asprintf(&source, "%s:%u", reader->path, line) < 0)
    abort();
  struct record record = {.token = (char *)(own ? own : token),
                          .text = text,
                          .type = (char *)record_type(object),
                          .place = place,
                          .source = source,
                          .tests = tests,
                          .count = 1,
                          .schedule = schedule_size(object),
                          .json = json};
  add(reader->records, &record, reader->run, reader->seen);
  cJSON_Delete(tests);
  free(place);
  free(source);
}

// The runtime names a further test of a report that it has made before (per_test=1).
static bool add_test(struct reader *reader, const cJSON *object) {
  const char *token = tests_again(object);
  struct record *record = token ? records_find(reader->records, token) : NULL;
  if (!record)
    return token;
  cJSON *tests = record_tests(object);
  if (!record->tests)
    record->tests = cJSON_CreateObject();
  tests_merge(record->tests, tests);
  tests_note_run(record->tests, tests, reader->run);
  record->count++;
  cJSON_Delete(tests);
  return true;
}

// False if the line is no record of a report.
static bool add_json(struct reader *reader, char *line) {
  const char *reason;
  cJSON *object = cJSON_Parse(line);
  if (object && add_test(reader, object)) {
    cJSON_Delete(object);
    return true;
  }
  bool known = object && record_is_sound(object, &reason);
  if (known && (!end_is_type(record_type(object)) || record_list(object, "waits") ||
                strcmp(record_type(object), FAILED_TEST) == 0)) // the runtime's
    reader->records->runtime_seen = true;
  if (known)
    add_record(reader, object, line, record_place_text(object, NULL), line, true, reader->line);
  cJSON_Delete(object);
  return known;
}

// SUMMARY: its text, NULL if the report is broken off.
static void end_text(struct reader *reader, const char *summary) {
  struct text *text = &reader->text;
  bool has_stack;
  char *fallback = NULL;
  cJSON *object = text_end(text->report, &has_stack);
  if (!summary &&
      asprintf(&fallback, "%s, the end of the report is missing", record_type(object)) < 0)
    abort();
  add_record(reader, object, summary ? summary : fallback, record_place_text(object, summary),
             text->at, false, text->line);
  cJSON_Delete(object);
  free(fallback);
  free(text->at);
  *text = (struct text){0};
}

// Lines that say nothing beyond what is counted anyway.
static bool is_noise(const char *line) {
  return !*line || line[strspn(line, "=")] == 0 ||
         strncmp(line, "ThreadSanitizer: reported ", 26) == 0;
}

static void append(struct reader *reader, const char *line) {
  struct text *text = &reader->text;
  size_t length = strlen(line);
  text->at = need(realloc(text->at, text->size + length + 2));
  memcpy(text->at + text->size, line, length);
  memcpy(text->at + text->size + length, "\n", 2);
  text->size += length + 1;
}

// False if the line is of no report.
static bool read_text(struct reader *reader, const char *line) {
  struct text *text = &reader->text;
  char *clean = utf8_clean(line, strlen(line));
  struct text_report *begun = line_starts_report(clean) ? text_begin(clean) : NULL;
  if (begun) {
    if (text->report)
      end_text(reader, NULL);
    *text = (struct text){.report = begun, .line = reader->line};
  }
  bool taken = text->report;
  if (taken) {
    append(reader, line);
    const char *summary = strstr(clean, TEXT_END);
    if (!begun && text_line(text->report, clean) == TEXT_ENDS)
      end_text(reader, summary ? summary + strlen(TEXT_END) : NULL);
  }
  free(clean);
  return taken;
}

// Reads a row `  NAME NUMBER  TEXT` of the statistics, which may have other messages of the runtime
// between them.
static bool read_statistic(struct records *records, const char *line) {
  char name[64];
  unsigned long long number;
  int text = 0;
  sscanf(line, "  %63[a-z0-9_] %llu  %n", name, &number, &text);
  if (strncmp(line, "  ", 2) != 0 || line[2] == ' ' || !text)
    return false;
  if (strcmp(name, "simulated_fences") == 0)
    records->fences += number;
  else if (strcmp(name, "tests") == 0)
    records->tests += number;
  else if (number == 0 && strcmp(name, "unmatched") == 0)
    unmatched_none(&records->unmatched);
  return true;
}

static void read_line(struct reader *reader, char *line) {
  reader->line++;
  if (*line == '{' && add_json(reader, line))
    return;
  if (read_statistic(reader->records, line) || read_text(reader, line))
    return;
  if (strncmp(line, "RSan statistics ", 16) == 0) {
    reader->records->runtime_seen = true;
  } else if (*line == '{') {
    char broken[] = "a record that is broken off or not of a known form";
    records_remark(reader->records, broken);
  } else if (!is_noise(line)) {
    records_remark(reader->records, line);
  }
}

bool records_read_stream(struct records *records, FILE *file, const char *path, unsigned run,
                         struct records_seen *seen) {
  struct reader reader = {.records = records, .seen = seen, .run = run, .path = path};
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  while ((length = file_line(&line, &size, file)) >= 0) {
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
      line[--length] = 0;
    read_line(&reader, line);
  }
  if (reader.text.report)
    end_text(&reader, NULL);
  free(line);
  return !ferror(file);
}

bool records_read(struct records *records, const char *path, unsigned run,
                  struct records_seen *seen) {
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  bool fine = records_read_stream(records, file, path, run, seen);
  fclose(file);
  return fine;
}

// The line that repeats a report's run has the options of its log. There is a shorter one. BYTES:
// of the file.
static void set_repeat(cJSON *object, long bytes) {
  cJSON *schedule = cJSON_GetObjectItemCaseSensitive(object, "schedule");
  const char *file = record_text(schedule, "file");
  if (!file)
    return;
  char *repeat = replay_line(file, NULL);
  cJSON_DeleteItemFromObjectCaseSensitive(schedule, "repeat");
  cJSON_AddStringToObject(schedule, "repeat", repeat);
  cJSON_DeleteItemFromObjectCaseSensitive(schedule, "bytes");
  if (bytes)
    cJSON_AddNumberToObject(schedule, "bytes", (double)bytes);
  free(repeat);
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
    if (record->tests) {
      cJSON_DeleteItemFromObjectCaseSensitive(object, "tests");
      cJSON_DeleteItemFromObjectCaseSensitive(object, "alone");
      tests_merge(object, record->tests);
    }
    set_repeat(object, record->schedule);
  }
  char *line = object ? cJSON_PrintUnformatted(object) : NULL;
  bool written = fprintf(file, "%s\n", line ? line : record->text) > 0;
  free(line);
  cJSON_Delete(object);
  return written;
}

void record_answer(struct record *record, cJSON *confirmed) {
  cJSON *json = cJSON_Parse(record->text);
  cJSON_DeleteItemFromObjectCaseSensitive(json, "confirmed");
  cJSON_AddItemToObject(json, "confirmed", confirmed);
  free(record->text);
  record->text = need(cJSON_PrintUnformatted(json));
  cJSON_Delete(json);
}

size_t records_reports(const struct records *records) {
  size_t count = 0;
  for (size_t i = 0; i < records->count; i++)
    count += !records->at[i].known && !end_is_type(records->at[i].type);
  return count;
}

size_t records_failing(const struct records *records, unsigned classes) {
  size_t count = 0;
  for (size_t i = 0; i < records->count; i++) {
    const struct record *record = &records->at[i];
    cJSON *json = record->json ? cJSON_Parse(record->text) : NULL;
    count += !record->known && !end_is_type(record->type) && (!json || class_is_in(json, classes));
    cJSON_Delete(json);
  }
  return count;
}

size_t records_of_type(const struct records *records, const char *type) {
  size_t count = 0;
  for (size_t i = 0; i < records->count; i++)
    count += !records->at[i].known && (!type || strcmp(records->at[i].type, type) == 0);
  return count;
}

size_t records_known(const struct records *records) {
  size_t count = 0;
  for (size_t i = 0; i < records->count; i++)
    count += records->at[i].known;
  return count;
}

void records_free(struct records *records) {
  for (size_t i = 0; i < records->count; i++) {
    free(records->at[i].token);
    free(records->at[i].text);
    free(records->at[i].type);
    free(records->at[i].place);
    free(records->at[i].source);
    cJSON_Delete(records->at[i].tests);
  }
  for (size_t i = 0; i < records->remark_count; i++)
    free(records->remarks[i]);
  free(records->at);
  free(records->remarks);
  free(records->unmatched.file);
  counts_free(&records->counts);
  *records = (struct records){0};
}
