// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "aim.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/plural.h"
#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "need.h"
#include "printable.h"
#include "report/classes.h"
#include "report/groups.h"
#include "report/record.h"

enum { LEAST_DIGITS = 4 }; // of a token, so that no short word is taken for one

enum { RANK_USE, RANK_ENTER, RANK_OTHER, RANK_MILD };

void aim_add(struct confirm *confirm, const char *only) {
  size_t size = (confirm->only_count + 1) * sizeof *confirm->only;
  confirm->only = need(realloc(confirm->only, size));
  confirm->only[confirm->only_count++] = need(strdup(only));
}

void aim_free(struct confirm *confirm) {
  for (size_t i = 0; i < confirm->only_count; i++)
    free(confirm->only[i]);
  free(confirm->only);
}

// -- which --

static bool names_token(const char *only, const char *token) {
  size_t length = strlen(only);
  return length >= LEAST_DIGITS && strncmp(token, only, length) == 0;
}

// "q.c", "src/q.c" and the whole path name the file, each also with ":12".
static bool names_file(const char *only, const cJSON *frame) {
  const char *file = record_text(frame, "file"), *colon = strrchr(only, ':');
  char *end = NULL;
  unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
  bool has_line = colon && end > colon + 1 && !*end;
  size_t length = has_line ? (size_t)(colon - only) : strlen(only);
  size_t whole = file ? strlen(file) : 0;
  if (!length || whole < length || strncmp(file + whole - length, only, length) != 0)
    return false;
  return (whole == length || file[whole - length - 1] == '/') &&
         (!has_line || record_number(frame, "line") == line);
}

// By its own name, or with all that the report says.
static bool names_function(const char *only, const cJSON *frame) {
  const char *function = record_text(frame, "function");
  size_t length = 0;
  const char *own = function ? rsan_own_name(function, &length) : "";
  return function && (strcmp(function, only) == 0 ||
                      (strlen(only) == length && strncmp(own, only, length) == 0));
}

static bool is_named(const char *only, const cJSON *record) {
  const char *token = record_text(record, "token"), *cause = record_text(record, "cause");
  if ((token && names_token(only, token)) || (cause && strcmp(cause, only) == 0))
    return true;
  for (size_t i = 0; i < 2; i++) {
    const cJSON *frame = record_site(record, i);
    if (frame && (names_file(only, frame) || names_function(only, frame)))
      return true;
  }
  return false;
}

static bool is_excluded(const struct confirm *confirm, const cJSON *record) {
  for (size_t i = 0; i < confirm->only_count; i++)
    if (is_named(confirm->only[i], record))
      return false;
  return confirm->only_count > 0;
}

// -- in which order --

static bool has_fence(const cJSON *record) {
  const cJSON *repair;
  cJSON_ArrayForEach(repair, record_list(record, "repairs")) {
    const char *kind = record_text(repair, "kind");
    if (kind && strcmp(kind, "fence") == 0)
      return true;
  }
  return false;
}

// (A pointer has more than eight digits.)
static bool is_of_use(const cJSON *record) {
  const char *seen = record_text(record, "seen");
  const char *kind = record_text(record_object(record, "location"), "kind");
  return (seen && strlen(seen) > strlen("0x12345678")) || (kind && strcmp(kind, "heap") == 0);
}

static unsigned rank_of(const cJSON *record) {
  return record_is_mild(record) ? RANK_MILD
         : is_of_use(record)    ? RANK_USE
         : has_fence(record)    ? RANK_ENTER
                                : RANK_OTHER;
}

// The group of the cause, a new one for a violation without a cause.
static size_t find_group(const struct trials *trials, const char *cause, size_t next) {
  for (size_t i = 0; cause && i < trials->violation_count; i++)
    if (trials->violation[i].cause && strcmp(trials->violation[i].cause, cause) == 0)
      return trials->violation[i].group;
  return next;
}

// PLACE: of the record among the others, which are ordered already.
static void take_record(struct confirm *confirm, const cJSON *record, size_t place) {
  struct trials *trials = &confirm->trials;
  const char *token = record_text(record, "token"), *cause = record_text(record, "cause");
  for (size_t i = 0; token && i < trials->violation_count; i++) {
    struct violation *violation = &trials->violation[i];
    if (strcmp(violation->token, token) != 0)
      continue;
    violation->group = find_group(trials, cause, place);
    violation->rank = rank_of(record);
    violation->spared = class_of(record) == CLASS_HARMLESS;
    violation->order = place;
    violation->excluded = is_excluded(confirm, record);
    free(violation->cause);
    violation->cause = cause ? need(strdup(cause)) : NULL;
  }
}

void aim_tries(struct confirm *confirm) {
  char *prefix = options_value("strip_path_prefix");
  struct collection collection = {
      .modules = {.sysroot = ""}, .strip_prefix = prefix ? prefix : "", .source_root = "."};
  confirm_collect(confirm, &collection);
  for (size_t i = 0; i < collection.count; i++)
    if (record_is_violation(collection.at[i].record))
      take_record(confirm, collection.at[i].record, i);
  collection_clear(&collection);
  free(prefix);
}

// -- in words --

static void print_group(const struct trials *trials, size_t group) {
  size_t violations = 0, tries = 0, given = 0, failing = 0;
  const struct violation *one = NULL;
  for (size_t i = 0; i < trials->violation_count; i++) {
    const struct violation *violation = &trials->violation[i];
    if (violation->group != group || violation->excluded)
      continue;
    one = violation;
    violations++;
    tries += violation->tries;
    given += violation->injected;
    failing += trials_best(trials, violation) != NULL;
  }
  if (!one)
    return;
  print_line(stdout,
             "tried: %s: %zu violation%s, %zu run%s, a stale value was there to be given in %zu; "
             "%zu fail%s",
             one->cause ? one->cause : one->place, violations, plural(violations), tries,
             plural(tries), given, failing, failing == 1 ? "s" : "");
}

static size_t count_excluded(const struct trials *trials) {
  size_t count = 0;
  for (size_t i = 0; i < trials->violation_count; i++)
    count += trials->violation[i].excluded;
  return count;
}

void aim_print(const struct confirm *confirm) {
  const struct trials *trials = &confirm->trials;
  size_t excluded = count_excluded(trials), last = 0;
  for (size_t i = 0; i < trials->violation_count; i++)
    last = trials->violation[i].group > last ? trials->violation[i].group : last;
  for (size_t group = 0; trials->violation_count && group <= last; group++)
    print_group(trials, group);
  if (excluded)
    printf("not tried, as --only does not name them: %zu violation%s\n", excluded,
           plural(excluded));
}

bool aim_is_vain(const struct confirm *confirm) {
  const struct trials *trials = &confirm->trials;
  return trials->violation_count && count_excluded(trials) == trials->violation_count;
}
