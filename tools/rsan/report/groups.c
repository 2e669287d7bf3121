// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "compiler-rt-patch/src/common/rsan_words.h"
#include "complain.h"
#include "confirmed.h"
#include "output.h"
#include "record.h"

struct candidate {
  char *cause;
  size_t count; // of violations without a cause that it is a repair of
};

struct candidates {
  struct candidate *at;
  size_t count;
};

// Reports that were printed as text name the functions in the steps alone. "": it is not known.
static const char *function_at(const cJSON *record, const cJSON *place) {
  const cJSON *step, *steps = record_list(record_object(record, "cycle"), "steps");
  const char *file = record_text(place, "file"), *function = record_text(place, "function");
  if (function)
    return function;
  cJSON_ArrayForEach(step, steps) {
    const cJSON *at = record_place(step);
    const char *other = record_text(at, "file");
    if (other && strcmp(file, other) == 0 && record_text(at, "function") &&
        record_number(at, "line") == record_number(place, "line"))
      return record_text(at, "function");
  }
  return "";
}

// `fence in reclaim q.c:40`, for free(); NULL: the place is not known.
static char *cause_of(const cJSON *record, const cJSON *repair) {
  const cJSON *place = record_place(repair);
  const char *file = record_text(place, "file"), *kind = record_text(repair, "kind");
  const char *order = record_text(repair, "order");
  if (!file || !kind || !order)
    return NULL;
  char *name, *cause;
  size_t size;
  FILE *out = open_text(&name, &size);
  write_own_name(function_at(record, place), out);
  fclose(out);
  bool fence = strcmp(kind, "fence") == 0;
  out = open_text(&cause, &size);
  fprintf(out, "%s %s%s%s%s:%" PRIu64,
          fence ? "fence" : rsan_order_text(order, rsan_is_rust_source(file)),
          *name ? "in " : "at ", name, *name ? " " : "", file, record_number(place, "line"));
  fclose(out);
  free(name);
  return cause;
}

static struct candidate *candidate_of(struct candidates *candidates, const char *cause) {
  for (size_t i = 0; i < candidates->count; i++)
    if (strcmp(candidates->at[i].cause, cause) == 0)
      return &candidates->at[i];
  candidates->at = must_alloc(candidates->at, (candidates->count + 1) * sizeof *candidates->at);
  struct candidate *made = &candidates->at[candidates->count++];
  *made = (struct candidate){must_alloc(NULL, strlen(cause) + 1), 0};
  strcpy(made->cause, cause);
  return made;
}

// Counts each cause of a record once, up or down.
static void count_record(struct candidates *candidates, const cJSON *record, int by) {
  const cJSON *repair;
  struct candidate *last = NULL;
  cJSON_ArrayForEach(repair, record_list(record, "repairs")) {
    char *cause = cause_of(record, repair);
    struct candidate *candidate = cause ? candidate_of(candidates, cause) : NULL;
    if (candidate && candidate != last)
      candidate->count += (size_t)by;
    last = candidate;
    free(cause);
  }
}

static bool has_repair(const cJSON *record, const char *wanted) {
  const cJSON *repair;
  bool found = false;
  cJSON_ArrayForEach(repair, record_list(record, "repairs")) {
    char *cause = cause_of(record, repair);
    found |= cause && strcmp(cause, wanted) == 0;
    free(cause);
  }
  return found;
}

bool record_is_mild(const cJSON *record) {
  const char *stale = record_text(record, "stale"), *seen = record_text(record, "seen");
  return record_text(record, "waits_for") || record_text(record, "class") ||
         record_object(record, "checked_again") || (stale && seen && strcmp(stale, seen) == 0);
}

static int compare(const void *a, const void *b) {
  const struct entry *left = a, *right = b;
  const struct group *x = &left->group, *y = &right->group;
  if ((x->size > 0) != (y->size > 0))
    return x->size > 0 ? -1 : 1;
  if (x->size && x->mild != y->mild)
    return x->mild ? 1 : -1;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return left->place < right->place ? -1 : left->place > right->place;
}

// Orders confirmed violations: the group with the strongest evidence comes first.
static int compare_confirmed(const void *a, const void *b) {
  const struct entry *left = a, *right = b;
  size_t x = left->group.size ? left->group.first : left->place,
         y = right->group.size ? right->group.first : right->place;
  if (x != y)
    return x < y ? -1 : 1;
  return left->place < right->place ? -1 : left->place > right->place;
}

// A stretch of the sorted reports whose groups are its own.
struct stretch {
  size_t begin, end;
};

// The violations that lack it and have no cause yet become a group.
static void make_group(struct collection *collection, const struct stretch *stretch,
                       struct candidates *candidates, const char *cause) {
  struct group group = {.mild = true};
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = stretch->begin; i < stretch->end; i++) {
      struct entry *entry = &collection->at[i];
      if (entry->group.size || !has_repair(entry->record, cause))
        continue;
      if (pass == 0) {
        group.first = group.size++ ? group.first : i;
        group.mild &= record_is_mild(entry->record);
        group.harmless += class_of(entry->record) == CLASS_HARMLESS;
        continue;
      }
      entry->group = group;
      cJSON_DeleteItemFromObjectCaseSensitive(entry->record, "cause");
      cJSON_AddStringToObject(entry->record, "cause", cause);
      count_record(candidates, entry->record, -1);
    }
}

static void group_stretch(struct collection *collection, const struct stretch *stretch,
                          int (*order)(const void *a, const void *b)) {
  struct candidates candidates = {NULL, 0};
  for (size_t i = stretch->begin; i < stretch->end; i++) {
    collection->at[i].place = i;
    count_record(&candidates, collection->at[i].record, 1);
  }
  for (;;) {
    struct candidate *most = NULL;
    for (size_t i = 0; i < candidates.count; i++)
      if (candidates.at[i].count > (most ? most->count : 0))
        most = &candidates.at[i];
    if (!most)
      break;
    make_group(collection, stretch, &candidates, most->cause);
  }
  for (size_t i = 0; i < candidates.count; i++)
    free(candidates.at[i].cause);
  free(candidates.at);
  if (stretch->end > stretch->begin)
    qsort(collection->at + stretch->begin, stretch->end - stretch->begin, sizeof *collection->at,
          order);
}

static void group_part(struct collection *collection, size_t begin, size_t end) {
  size_t confirmed = begin;
  while (confirmed < end && record_is_confirmed(collection->at[confirmed].record))
    confirmed++;
  group_stretch(collection, &(struct stretch){begin, confirmed}, compare_confirmed);
  group_stretch(collection, &(struct stretch){confirmed, end}, compare);
}

void group_reports(struct collection *collection) {
  group_part(collection, 0, collection->changed);
  group_part(collection, collection->changed, collection->fresh);
}
