// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "consequence.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "confirm/places.h"
#include "ends.h"
#include "file/line.h"
#include "graphs.h"
#include "need.h"
#include "printable.h"
#include "replay/trusted.h"
#include "report/confirmed.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/record.h"
#include "run/departures.h"
#include "trust/head.h"

// A violation, and where the program has it.
struct suspect_place {
  struct record *record;
  struct places places;
};

struct consequences {
  const struct progress *progress;
  const struct check_bounds *bounds;
  struct records *records;
  struct suspect_place *at; // owned
  size_t count;
};

static bool is_violation(const struct record *record) {
  return record->json && strcmp(record->type, "robustness violation") == 0;
}

// -- places --

static void read_places(void *context, const char *path) {
  struct consequences *all = context;
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  while (file && file_line(&line, &room, file) >= 0) {
    cJSON *json = *line == '{' ? cJSON_Parse(line) : NULL;
    const char *token = record_text(json, "token");
    for (size_t i = 0; token && record_is_violation(json) && i < all->count; i++)
      if (strcmp(all->at[i].record->token, token) == 0)
        places_add(&all->at[i].places, json);
    cJSON_Delete(json);
  }
  if (file)
    fclose(file);
  free(line);
}

static void find_places(struct consequences *all, const struct run_plan *plan) {
  for (size_t i = 0; i < all->records->count; i++) {
    struct record *record = &all->records->at[i];
    if (!is_violation(record))
      continue;
    all->at = need(realloc(all->at, (all->count + 1) * sizeof *all->at));
    all->at[all->count++] = (struct suspect_place){.record = record};
  }
  for (unsigned run = 1; run <= all->progress->run; run++)
    run_files(plan, run, "report.", read_places, all);
}

// -- failures --

// A report has no token of a failure: it is known by the schedule of the run that it was made in.
static bool is_of_schedule(const struct record *record, const char *schedule) {
  cJSON *json = record->json && !is_violation(record) ? cJSON_Parse(record->text) : NULL;
  const char *file = record_text(record_object(json, "schedule"), "file");
  bool is = file && strcmp(file, schedule) == 0;
  cJSON_Delete(json);
  return is;
}

static const struct record *record_of(const struct records *records,
                                      const struct finding *finding) {
  if (*finding->token)
    return records_find(records, finding->token);
  for (size_t i = 0; i < records->count; i++)
    if (is_of_schedule(&records->at[i], finding->schedule))
      return &records->at[i];
  return NULL;
}

// "abort at f.c:3:9 in g"; for free().
static char *describe_failure(const struct records *records, const struct finding *finding) {
  const struct record *record = record_of(records, finding);
  char *text = NULL;
  if (asprintf(&text, "%s%s%s", record ? record->type : ends_text(finding),
               record && *record->place ? " at " : "", record ? record->place : "") < 0)
    abort();
  return text;
}

// As `rsan confirm' names it.
static const char *kind_of(const struct records *records, const struct finding *finding) {
  const struct record *record = record_of(records, finding);
  cJSON *json = record && record->json ? cJSON_Parse(record->text) : NULL;
  const char *type = record ? record->type : "", *what = finding->what;
  const char *kind = strncmp(type, "heap-use-after-free", 19) == 0 ? "use-after-free"
                     : strcmp(type, "assertion failed") == 0       ? "assertion"
                     : record_is_hang(json) || strcmp(what, "timeout") == 0 ||
                             strcmp(what, "deadlock") == 0 || strcmp(what, "livelock") == 0
                         ? "hang"
                     : record_is_crash(json) || strncmp(what, "signal-", 7) == 0 ? "crash"
                     : strncmp(what, "exit-", 5) == 0                            ? "own check"
                                                                                 : "report";
  cJSON_Delete(json);
  return kind;
}

// Did the report come after a departure, and not before the first one of its run?
static bool is_after_departure(const struct records *records, const struct finding *finding) {
  if (strcmp(finding->what, "report") != 0)
    return finding->departures;
  const struct record *record = record_of(records, finding);
  cJSON *json = record && record->json ? cJSON_Parse(record->text) : NULL;
  bool after = finding->departures && record_object(json, "departures");
  cJSON_Delete(json);
  return after;
}

static bool fails_without(const struct consequences *all, const char *text) {
  bool fails = false;
  for (size_t i = 0; !fails && i < all->progress->findings; i++) {
    const struct finding *finding = &all->progress->finding[i];
    char *other = describe_failure(all->records, finding);
    fails = !finding->of_graph && !is_after_departure(all->records, finding) &&
            strcmp(other, text) == 0;
    free(other);
  }
  return fails;
}

// The finding that the way is another execution of.
static const struct finding *finding_of(const struct progress *p, const struct finding *way) {
  for (size_t i = 0; i < p->findings; i++)
    if (p->finding[i].number == way->number ||
        (*way->token && strcmp(p->finding[i].token, way->token) == 0))
      return &p->finding[i];
  return NULL;
}

// -- answers --

static void add_departures(cJSON *confirmed, struct departures *departures) {
  cJSON *object = cJSON_AddObjectToObject(confirmed, "departures");
  cJSON_AddNumberToObject(object, "count", (double)departures->count);
  cJSON_AddItemToObject(object, "list", cJSON_Duplicate(departures->list, true));
}

static void add_executions(const struct consequences *all, cJSON *confirmed) {
  const struct progress *p = all->progress;
  char *within =
      graphs_prove(p) ? graphs_within(p, all->bounds->spurious) : verdict_within(p, all->bounds);
  cJSON_AddNumberToObject(confirmed, "executions", (double)verdict_executions(p));
  cJSON_AddNumberToObject(confirmed, "most_departures", all->bounds->departures);
  cJSON_AddBoolToObject(confirmed, "all", verdict_is_whole(p));
  if (graphs_prove(p))
    cJSON_AddNumberToObject(confirmed, "graphs", (double)p->graphs.graphs);
  if (*within)
    cJSON_AddStringToObject(confirmed, "within", within);
  if (verdict_apart(p) && !graphs_prove(p))
    cJSON_AddStringToObject(confirmed, "fences", "RC20");
  free(within);
}

static cJSON *answer_fails(const struct consequences *all, const struct finding *failure,
                           const struct finding *way, const char *text,
                           struct departures *departures) {
  cJSON *confirmed = cJSON_CreateObject();
  cJSON_AddStringToObject(confirmed, "kind", kind_of(all->records, failure));
  cJSON_AddStringToObject(confirmed, "text", text);
  add_departures(confirmed, departures);
  schedule_trust(way->schedule);
  cJSON_AddStringToObject(confirmed, "schedule", way->schedule);
  add_executions(all, confirmed);
  return confirmed;
}

// ANYWAY: there are failures, which executions without departures have, too.
static cJSON *answer_none(const struct consequences *all, bool anyway) {
  cJSON *confirmed = cJSON_CreateObject();
  cJSON_AddStringToObject(confirmed, "kind", "none");
  if (anyway)
    cJSON_AddBoolToObject(confirmed, "anyway", true);
  if (all->progress->findings)
    cJSON_AddBoolToObject(confirmed, "fails", true);
  add_executions(all, confirmed);
  return confirmed;
}

// A failure is better than none, then come fewer departures, then stronger kinds.
static bool is_better(const struct record *record, const cJSON *confirmed, uint64_t departures) {
  cJSON *json = cJSON_Parse(record->text), *other = cJSON_CreateObject();
  const cJSON *known = record_object(json, "confirmed");
  uint64_t count = record_number(record_object(known, "departures"), "count");
  cJSON_AddItemReferenceToObject(other, "confirmed", (cJSON *)confirmed);
  bool better = !known;
  if (known && record_is_confirmed(json) != record_is_confirmed(other))
    better = record_is_confirmed(other);
  else if (known)
    better =
        departures < count || (departures == count && confirmed_rank(other) < confirmed_rank(json));
  cJSON_Delete(other);
  cJSON_Delete(json);
  return better;
}

static bool departs_at(const struct places *places, const struct departures *departures) {
  const cJSON *departure;
  cJSON_ArrayForEach(
      departure,
      departures->list) if (places_have(places, record_list(departure, "stack"))) return true;
  return false;
}

static void take_way(struct consequences *all, const struct finding *failure,
                     const struct finding *way) {
  char path[PATH_MAX + 16], *text = describe_failure(all->records, failure);
  struct departures departures;
  snprintf(path, sizeof path, "%s.departures", way->schedule);
  departures_read_file(&departures, path);
  bool counts = is_after_departure(all->records, failure), anyway = fails_without(all, text);
  for (size_t i = 0; counts && i < all->count; i++) {
    if (!departs_at(&all->at[i].places, &departures))
      continue;
    cJSON *confirmed =
        anyway ? answer_none(all, true) : answer_fails(all, failure, way, text, &departures);
    if (is_better(all->at[i].record, confirmed, departures.count))
      record_answer(all->at[i].record, confirmed);
    else
      cJSON_Delete(confirmed);
  }
  departures_free(&departures);
  free(text);
}

static void add_harmless(struct consequences *all, struct record *record) {
  cJSON *json = cJSON_Parse(record->text);
  bool known = record_object(json, "confirmed");
  cJSON_Delete(json);
  if (known)
    return;
  record_answer(record, answer_none(all, false));
}

static bool is_failing(const struct record *record) {
  cJSON *json = cJSON_Parse(record->text);
  bool failing = record_is_confirmed(json);
  cJSON_Delete(json);
  return failing;
}

void consequence_add(const struct run_plan *plan, struct progress *progress,
                     const struct check_bounds *bounds, struct records *records) {
  struct consequences all = {.progress = progress, .bounds = bounds, .records = records};
  find_places(&all, plan);
  for (size_t i = 0; i < progress->findings; i++)
    if (progress->finding[i].departures)
      take_way(&all, &progress->finding[i], &progress->finding[i]);
  for (size_t i = 0; i < progress->ways; i++) {
    const struct finding *failure = finding_of(progress, &progress->way[i]);
    if (failure)
      take_way(&all, failure, &progress->way[i]);
  }
  progress->violations = all.count;
  progress->failing = 0;
  for (size_t i = 0; i < all.count; i++) {
    add_harmless(&all, all.at[i].record);
    progress->failing += is_failing(all.at[i].record);
    places_free(&all.at[i].places);
  }
  free(all.at);
}

// -- in words --

static void write_replay(const cJSON *json, FILE *out) {
  const char *schedule = record_text(record_object(json, "confirmed"), "schedule");
  char *line = schedule ? replay_line(schedule, NULL) : NULL;
  if (line)
    fprintf(out, "  to repeat it: %s\n", line);
  free(line);
}

static void print_violation(const cJSON *json) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = need(open_memstream(&text, &size));
  write_violation_sites(json, out);
  fputs("  ", out);
  write_confirmed(json, out);
  fputc('\n', out);
  write_replay(json, out);
  fclose(out);
  put_printable_lines(text, stdout);
  free(text);
}

static void print_those(const struct records *records, bool failing) {
  for (size_t i = 0; i < records->count; i++) {
    const struct record *record = &records->at[i];
    cJSON *json = is_violation(record) && !record->known ? cJSON_Parse(record->text) : NULL;
    if (json && record_is_confirmed(json) == failing)
      print_violation(json);
    cJSON_Delete(json);
  }
}

void consequence_print(const struct records *records) {
  print_those(records, true);
  print_those(records, false);
}
