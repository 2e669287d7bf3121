// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "report/record.h"

// With %20 for a space and so on, as the file has it; for free().
static char *escape(const char *module) {
  char *escaped = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&escaped, &size);
  if (!out)
    abort();
  for (const char *at = module; *at; at++)
    if (strchr(" \t#%+", *at) || (unsigned char)*at < ' ')
      fprintf(out, "%%%02x", (unsigned char)*at);
    else
      fputc(*at, out);
  fclose(out);
  return escaped;
}

// "/p/program+0x12", as the file has it.
static char *point_of(const cJSON *frame) {
  const char *module = record_text(frame, "module"), *offset = record_text(frame, "offset");
  char *point;
  if (!module || !*module || !offset)
    return NULL;
  char *escaped = escape(module);
  if (asprintf(&point, "%s+%s", escaped, offset) < 0)
    abort();
  free(escaped);
  return point;
}

// The innermost frame of a stack, for free(); NULL: there is none.
static char *inner_point(const cJSON *stack) {
  return point_of(cJSON_GetArrayItem(stack, 0));
}

// Functions inlined at one place are frames with the same address.
static bool same_address(const cJSON *a, const cJSON *b) {
  const char *pc = record_text(a, "pc"), *other = record_text(b, "pc");
  return pc && other && strcmp(pc, other) == 0;
}

// The next one with another address.
static char *outer_point(const cJSON *stack) {
  const cJSON *frame;
  cJSON_ArrayForEach(frame, stack) if (frame != stack->child &&
                                       !same_address(frame, stack->child)) return point_of(frame);
  return NULL;
}

static bool same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static void free_place(struct place_of_access *place) {
  free(place->at);
  free(place->from);
  free(place->missing);
}

static bool is_known(const struct places *places, const struct place_of_access *place) {
  for (size_t i = 0; i < places->count; i++)
    if (same(places->at[i].at, place->at) && same(places->at[i].from, place->from) &&
        same(places->at[i].missing, place->missing))
      return true;
  return false;
}

void places_add(struct places *places, const cJSON *record) {
  const cJSON *stack = record_stack(record, 0);
  struct place_of_access place = {.at = inner_point(stack),
                                  .from = outer_point(stack),
                                  .missing = inner_point(record_stack(record, 1))};
  bool wanted = place.at && !is_known(places, &place);
  if (wanted && places->count < MAX_PLACES) {
    places->at[places->count++] = place;
    return;
  }
  places->dropped += wanted;
  free_place(&place);
}

bool places_have(const struct places *places, const cJSON *stack) {
  char *inner = inner_point(stack), *outer = outer_point(stack);
  bool have = false;
  for (size_t i = 0; inner && i < places->count; i++) {
    const struct place_of_access *place = &places->at[i];
    have |= same(place->at, inner) && (!place->from || !outer || same(place->from, outer));
  }
  free(inner);
  free(outer);
  return have;
}

static bool same_place(const cJSON *a, const cJSON *b) {
  const cJSON *x = record_list(a, "stack"), *y = record_list(b, "stack");
  char *inner[] = {inner_point(x), inner_point(y)}, *outer[] = {outer_point(x), outer_point(y)};
  bool result = same(inner[0], inner[1]) && same(outer[0], outer[1]);
  for (int i = 0; i < 2; i++) {
    free(inner[i]);
    free(outer[i]);
  }
  return result;
}

unsigned places_before(const cJSON *departures, unsigned number) {
  const cJSON *one = cJSON_GetArrayItem(departures, (int)number);
  unsigned count = 0;
  for (unsigned i = 0; i < number; i++) {
    const cJSON *other = cJSON_GetArrayItem(departures, (int)i);
    count += record_number(other, "pid") == record_number(one, "pid") && same_place(other, one);
  }
  return count;
}

static void write_place(const struct place_of_access *place, const struct recipe *recipe,
                        FILE *out) {
  fputs(place->at, out);
  if (place->from)
    fprintf(out, " from %s", place->from);
  if (place->missing && recipe->candidate == CANDIDATE_REPORTED)
    fprintf(out, " missing %s", place->missing);
  if (recipe->skip)
    fprintf(out, " skip %u", recipe->skip);
  if (recipe->follow)
    fprintf(out, " follow %u", recipe->follow);
  fprintf(out, " %s\n", recipe->candidate == CANDIDATE_RANDOM ? "random" : "newest");
}

// Is there an earlier line about the same access, where the missed write makes no difference?
static bool is_repeated(const struct places *places, size_t number, const struct recipe *recipe) {
  const struct place_of_access *place = &places->at[number];
  for (size_t i = 0; i < number && recipe->candidate != CANDIDATE_REPORTED; i++)
    if (same(places->at[i].at, place->at) && same(places->at[i].from, place->from))
      return true;
  return false;
}

void places_write(const struct places *places, const struct recipe *recipe, const cJSON *only,
                  FILE *out) {
  char *inner = inner_point(only), *outer = outer_point(only);
  for (size_t i = 0; i < places->count; i++) {
    const struct place_of_access *place = &places->at[i];
    bool wanted =
        !only || (same(place->at, inner) && (!place->from || !outer || same(place->from, outer)));
    if (wanted && !is_repeated(places, i, recipe))
      write_place(place, recipe, out);
  }
  free(inner);
  free(outer);
}

void places_write_departures(const cJSON *departures, FILE *out) {
  const cJSON *departure;
  cJSON_ArrayForEach(departure, departures) {
    const cJSON *stack = record_list(departure, "stack");
    struct place_of_access place = {.at = inner_point(stack),
                                    .from = outer_point(stack),
                                    .missing = inner_point(record_list(departure, "missed"))};
    if (place.at)
      fputs(place.at, out);
    if (place.at && place.from)
      fprintf(out, " from %s", place.from);
    if (place.at && place.missing)
      fprintf(out, " missing %s", place.missing);
    if (place.at)
      fputs(" times 1\n", out);
    free_place(&place);
  }
}

// How long the folders of the module are that the word begins with; 0: it does not name the module.
static size_t length_of_folders(const char *word, const char *module) {
  char *escaped = escape(module);
  size_t size = strlen(escaped);
  bool named = strncmp(word, escaped, size) == 0 && word[size] == '+';
  size_t length = named ? (size_t)(strrchr(escaped, '/') + 1 - escaped) : 0;
  free(escaped);
  return length;
}

void places_write_moved(const char *text, char *const *modules, size_t count, FILE *out) {
  for (const char *at = text; *at; at++) {
    bool begins = at == text || strchr(" \n", at[-1]);
    size_t folders = 0;
    for (size_t i = 0; begins && *at == '/' && !folders && i < count; i++)
      folders = length_of_folders(at, modules[i]);
    at += folders;
    fputc(*at, out);
  }
}

void places_free(struct places *places) {
  for (size_t i = 0; i < places->count; i++)
    free_place(&places->at[i]);
  *places = (struct places){0};
}
