// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ends.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "confirm/places.h"
#include "file/output.h"
#include "replay/trusted.h"
#include "report/record.h"
#include "run/departures.h"

const char *ends_text(const struct finding *finding) {
  static char text[128];
  const char *what = finding->what;
  if (strncmp(what, "signal-", 7) == 0)
    snprintf(text, sizeof text, "killed by signal %s (%s)", what + 7, strsignal(atoi(what + 7)));
  else if (strncmp(what, "exit-", 5) == 0)
    snprintf(text, sizeof text, "exit status %s", what + 5);
  else
    return strcmp(what, "timeout") == 0 ? "time-out" : what;
  return text;
}

// Is it an end without a report of the runtime?
static bool is_end(const struct finding *finding) {
  return strcmp(finding->what, "report") != 0 && strcmp(finding->what, "deadlock") != 0 &&
         !*finding->token;
}

// As records name it (docs/guide/FORMATS.md).
static const char *end_of(const struct finding *finding) {
  const char *what = finding->what;
  return strncmp(what, "signal-", 7) == 0 ? "signal"
         : strncmp(what, "exit-", 5) == 0 ? "exit"
                                          : what;
}

// The same in each exploration of the program.
static uint64_t token_of(const char *program, const struct finding *finding) {
  const char *base = strrchr(program, '/');
  const char *const texts[] = {base ? base + 1 : program, finding->what, "after a departure"};
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < 2 + (finding->departures != 0); i++)
    for (const char *at = texts[i];; at++) {
      hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
      if (!*at)
        break;
    }
  return hash;
}

// The log of the finding's departures.
static struct departures departures_of(const struct finding *finding) {
  struct departures departures;
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s.departures", finding->schedule);
  departures_read_file(&departures, path);
  return departures;
}

bool ends_write_places(const struct progress *progress) {
  bool written = true;
  for (size_t i = 0; written && i < progress->findings; i++) {
    const struct finding *finding = &progress->finding[i];
    if (!finding->departures)
      continue;
    struct departures departures = departures_of(finding);
    char path[PATH_MAX + 16], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s.places", finding->schedule);
    FILE *lines = open_memstream(&text, &size);
    if (!lines)
      abort();
    places_write_departures(departures.list, lines);
    fclose(lines);
    written = file_output(path, text, size);
    free(text);
    departures_free(&departures);
  }
  return written;
}

// Takes over the list.
static void add_departures(cJSON *json, struct departures *departures) {
  cJSON *its = cJSON_AddObjectToObject(json, "departures");
  cJSON_AddNumberToObject(its, "count", (double)departures->count);
  cJSON_AddItemToObject(its, "list", departures->list);
  departures->list = NULL;
}

static void write_token(const struct finding *finding, const char *program, char token[17]) {
  snprintf(token, 17, "%016" PRIx64, token_of(program, finding));
}

bool ends_is_known(const struct finding *finding, const char *program,
                   const struct records *records) {
  char token[17];
  write_token(finding, program, token);
  const char *its = is_end(finding) ? token : finding->token;
  const struct record *record = records_find(records, its);
  return *its ? record && record->known : !records_of_type(records, NULL);
}

static char *record_of(const struct finding *finding, const char *program) {
  char token[17];
  write_token(finding, program, token);
  cJSON *json = cJSON_CreateObject();
  cJSON_AddNumberToObject(json, "rsan_report", 1);
  cJSON_AddStringToObject(json, "type", ends_text(finding));
  cJSON_AddStringToObject(json, "program", program);
  cJSON_AddStringToObject(json, "token", token);
  cJSON_AddStringToObject(json, "end", end_of(finding));
  cJSON *schedule = cJSON_AddObjectToObject(json, "schedule");
  cJSON_AddNumberToObject(schedule, "step", (double)finding->steps);
  cJSON_AddStringToObject(schedule, "file", finding->schedule);
  cJSON_AddStringToObject(schedule, "repeat", ""); // record_write says it
  if (finding->departures) {
    struct departures departures = departures_of(finding);
    add_departures(json, &departures);
    departures_free(&departures);
  }
  char *text = cJSON_PrintUnformatted(json);
  cJSON_Delete(json);
  if (!text)
    abort();
  return text;
}

// The runtime's report of a failure does not have the departures that led to it: its record gets
// them.
static void tell_departures(const struct finding *finding, struct records *records) {
  struct record *record = records_find(records, finding->token);
  cJSON *json = record && record->json ? cJSON_Parse(record->text) : NULL;
  if (json && !record_object(json, "departures")) {
    struct departures departures = departures_of(finding);
    add_departures(json, &departures);
    departures_free(&departures);
    free(record->text);
    record->text = cJSON_PrintUnformatted(json);
    if (!record->text)
      abort();
  }
  cJSON_Delete(json);
}

bool ends_add(const struct progress *progress, const char *program, const char *folder,
              struct records *records) {
  char path[PATH_MAX + 16], *text = NULL;
  size_t size = 0, count = 0;
  snprintf(path, sizeof path, "%s/ends.jsonl", folder);
  FILE *lines = open_memstream(&text, &size);
  if (!lines)
    abort();
  for (size_t i = 0; i < progress->findings; i++) {
    schedule_trust(progress->finding[i].schedule);
    if (is_end(&progress->finding[i])) {
      char *record = record_of(&progress->finding[i], program);
      fprintf(lines, "%s\n", record);
      cJSON_free(record);
      count++;
    }
  }
  fclose(lines);
  struct records_seen seen = {0};
  bool added = !count ||
               (file_output(path, text, size) && records_read(records, path, progress->run, &seen));
  free(text);
  for (size_t i = 0; i < progress->findings; i++)
    if (progress->finding[i].departures && *progress->finding[i].token)
      tell_departures(&progress->finding[i], records);
  return added;
}
