// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "collection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changed.h"
#include "classes.h"
#include "clean.h"
#include "complain.h"
#include "confirmed.h"
#include "frame.h"
#include "groups.h"
#include "record.h"
#include "targets.h"
#include "tests.h"
#include "tokens.h"

static void set_number(cJSON *record, const char *key, uint64_t value) {
  cJSON_DeleteItemFromObjectCaseSensitive(record, key);
  cJSON_AddNumberToObject(record, key, (double)value);
}

static void set_text(cJSON *record, const char *key, const char *value) {
  cJSON_DeleteItemFromObjectCaseSensitive(record, key);
  cJSON_AddStringToObject(record, key, value);
}

static uint64_t mix(uint64_t hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

static uint64_t run_of(const cJSON *record, const char *file) {
  const char *program = record_text(record, "program");
  uint64_t hash = 14695981039346656037u + record_number(record, "pid");
  return mix(hash * 1099511628211u, program ? program : file);
}

static void add_run(struct run_set *runs, uint64_t run) {
  if (runs->count > 0 && runs->at[runs->count - 1] == run)
    return;
  if (runs->count == runs->room) {
    runs->room = runs->room * 2 + 16;
    runs->at = must_alloc(runs->at, runs->room * sizeof *runs->at);
  }
  runs->at[runs->count++] = run;
}

static int compare_runs(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

static uint64_t count_runs(struct run_set *runs) {
  uint64_t count = 0;
  if (runs->count > 0)
    qsort(runs->at, runs->count, sizeof *runs->at, compare_runs);
  for (size_t i = 0; i < runs->count; i++)
    count += i == 0 || runs->at[i] != runs->at[i - 1];
  return count;
}

// As it is given; else from the text of its stacks.
static void choose_token(const cJSON *record, char token[17]) {
  const char *given = record_text(record, "token");
  if (given && strlen(given) == 16) {
    memcpy(token, given, 17);
    return;
  }
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < record_stack_count(record); i++) {
    const cJSON *site = record_site(record, i);
    char *text = site ? cJSON_PrintUnformatted(site) : NULL;
    hash = mix(hash, text ? text : "");
    cJSON_free(text);
  }
  snprintf(token, 17, "%016" PRIx64, hash);
}

static struct entry *find(struct collection *collection, const char *token, const char *type) {
  for (size_t i = 0; i < collection->count; i++)
    if (strcmp(collection->at[i].token, token) == 0 &&
        strcmp(record_type(collection->at[i].record), type) == 0)
      return &collection->at[i];
  return NULL;
}

static struct entry *insert(struct collection *collection, const char *token, cJSON *record) {
  if (collection->count == collection->room) {
    collection->room = collection->room * 2 + 64;
    collection->at = must_alloc(collection->at, collection->room * sizeof *collection->at);
  }
  struct entry *entry = &collection->at[collection->count++];
  *entry = (struct entry){.record = record};
  memcpy(entry->token, token, sizeof entry->token);
  return entry;
}

// How much there is to see in a record: of two that are one, the richer is shown.
static int richness(const cJSON *record) {
  return 4 * (record_object(record, "cycle") != NULL) +
         2 * (record_text(record_object(record, "location"), "name") != NULL) +
         (record_text(record, "program") != NULL);
}

// Another time the older value may have been one that goes another way.
static void merge_rechecks(cJSON *kept, const cJSON *other) {
  if (!record_object(other, "checked_again"))
    cJSON_DeleteItemFromObjectCaseSensitive(kept, "checked_again");
}

void collection_add(struct collection *collection, cJSON *record, const char *file, size_t line) {
  char token[17], *source = NULL;
  const char *given = record_text(record, "token");
  if (!symbolize_record(collection, record) && !(given && strlen(given) == 16))
    record_renew_tokens(record, collection->strip_prefix);
  changes_mark(collection->changes, record);
  record_strip_files(record, collection->strip_prefix);
  uint64_t run = run_of(record, file);
  // A record that is the result of merging says so.
  uint64_t count = record_number(record, "count"), runs = record_number(record, "runs");
  if (count == 0)
    count = 1;
  if (!record_text(record, "source") && asprintf(&source, "%s:%zu", file, line) >= 0) {
    set_text(record, "source", source);
    free(source);
  }
  record_clean(record); // after symbolization, which needs the modules' real paths
  choose_token(record, token);
  struct entry *entry = find(collection, token, record_type(record));
  if (!entry) {
    entry = insert(collection, token, record);
  } else if (richness(record) > richness(entry->record)) {
    targets_merge(record, entry->record);
    merge_rechecks(record, entry->record);
    class_merge(record, entry->record);
    tests_merge(record, entry->record);
    confirmed_merge(record, entry->record);
    set_text(record, "source", record_text(entry->record, "source"));
    cJSON_Delete(entry->record);
    entry->record = record;
  } else {
    targets_merge(entry->record, record);
    merge_rechecks(entry->record, record);
    class_merge(entry->record, record);
    tests_merge(entry->record, record);
    confirmed_merge(entry->record, record);
    cJSON_Delete(record);
  }
  if (runs == 0) {
    add_run(&entry->runs, run);
    add_run(&collection->runs, run);
  }
  entry->run_count += runs;
  entry->count += count;
  collection->total += count;
}

void collection_add_tests(struct collection *collection, const cJSON *object) {
  const char *token = tests_again(object);
  for (size_t i = 0; token && i < collection->count; i++) {
    struct entry *entry = &collection->at[i];
    if (strcmp(entry->token, token) != 0)
      continue;
    tests_merge(entry->record, object);
    entry->count++;
  }
}

static int rank(const cJSON *record) {
  return record_is_confirmed(record)   ? 0
         : record_is_violation(record) ? 1
         : record_is_race(record)      ? 2
                                       : 3;
}

static int compare_text(const cJSON *a, const cJSON *b, const char *key) {
  const char *left = record_text(a, key), *right = record_text(b, key);
  return strcmp(left ? left : "~", right ? right : "~"); // the unknown last
}

static int compare_numbers(uint64_t a, uint64_t b) {
  return a < b ? -1 : a > b;
}

static int compare(const void *a, const void *b) {
  const struct entry *one = a, *other = b;
  const cJSON *left = one->record, *right = other->record;
  int order = one->known - other->known;
  if (!order)
    order = other->changed - one->changed;
  if (!order)
    order = rank(left) - rank(right);
  if (!order)
    order = confirmed_rank(left) - confirmed_rank(right);
  if (!order)
    order = strcmp(record_type(left), record_type(right));
  for (size_t i = 0; !order && i < 2; i++) {
    const cJSON *x = record_site(left, i), *y = record_site(right, i);
    order = compare_text(x, y, "file");
    if (!order)
      order = compare_numbers(record_number(x, "line"), record_number(y, "line"));
    if (!order)
      order = compare_numbers(record_number(x, "column"), record_number(y, "column"));
  }
  return order ? order : strcmp(one->token, other->token);
}

static void mark_known(struct collection *collection) {
  for (size_t i = 0; i < collection->count; i++) {
    struct entry *entry = &collection->at[i];
    entry->known = baseline_see(collection->baseline, entry->token);
    collection->fresh += !entry->known;
    cJSON_DeleteItemFromObjectCaseSensitive(entry->record, "known");
    if (entry->known)
      cJSON_AddTrueToObject(entry->record, "known");
    entry->changed = !entry->known && record_true(entry->record, "changed");
    collection->changed += entry->changed;
  }
}

void collection_finish(struct collection *collection) {
  mark_known(collection);
  if (collection->count > 0)
    qsort(collection->at, collection->count, sizeof *collection->at, compare);
  group_reports(collection);
  collection->run_count = count_runs(&collection->runs);
  for (size_t i = 0; i < collection->count; i++) {
    struct entry *entry = &collection->at[i];
    entry->run_count += count_runs(&entry->runs);
    // Which runs earlier merged results share is unknown, so the largest count is a lower bound.
    if (collection->run_count < entry->run_count)
      collection->run_count = entry->run_count;
    set_text(entry->record, "token", entry->token);
    set_number(entry->record, "count", entry->count);
    set_number(entry->record, "runs", entry->run_count);
  }
}

void collection_clear(struct collection *collection) {
  for (size_t i = 0; i < collection->count; i++) {
    cJSON_Delete(collection->at[i].record);
    free(collection->at[i].runs.at);
  }
  free(collection->at);
  free(collection->runs.at);
  symbolizer_end(&collection->symbolizer);
  modules_clear(&collection->modules);
  wrappers_clear(&collection->wrappers);
  free(collection->modules.folders);
  free(collection->lost);
  origin_clear(&collection->origin);
  changes_free(collection->changes);
}
