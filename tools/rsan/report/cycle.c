// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical cycle of a text report:
//
//   Every sequentially consistent run orders that write first, through
//     write flag0   T1   dekker.c:20:3    memory_order_release
//     read  flag1   T1   dekker.c:21:10   memory_order_acquire   (before the next write)
//     ...
//   but it does not happen before this access.
//
// The text leaves out most edges, as they follow from the steps.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_words.h"
#include "complain.h"
#include "frame.h"
#include "heading.h"
#include "record.h"
#include "symbolizer.h"

static const char *const kinds[] = {"failed compare-exchange",
                                    "compare-exchange",
                                    "read-modify-write",
                                    "read",
                                    "write",
                                    "unlock",
                                    "lock",
                                    "create",
                                    "start",
                                    "finish",
                                    "join"};

static const char *skip_blanks(const char *at) {
  return at + strspn(at, " ");
}

static void add_text(cJSON *object, const char *key, const char *text, size_t length) {
  char *copy = must_copy(text, length);
  cJSON_AddStringToObject(object, key, copy);
  free(copy);
}

// The next cell: what comes before three blanks, or the end.
static const char *cell(const char **at, size_t *length) {
  const char *begin = *at, *end = strstr(begin, "   ");
  if (!end)
    end = begin + strlen(begin);
  *length = (size_t)(end - begin);
  *at = skip_blanks(end);
  return begin;
}

static bool add_thread(cJSON *step, const char *text) {
  if (text[0] == 'T' && text[1] >= '0' && text[1] <= '9')
    cJSON_AddNumberToObject(step, "thread", strtod(text + 1, NULL));
  else if (strncmp(text, "main", 4) == 0 && (text[4] == ' ' || text[4] == '\0'))
    cJSON_AddNumberToObject(step, "thread", 0);
  else
    return strncmp(text, "a finished thread", 17) == 0;
  return true;
}

// `file:line:column`, with the function before it or not.
static cJSON *frame_at(const char *position, size_t length) {
  struct source_frame source = {0};
  struct place place;
  cJSON *frame = cJSON_CreateObject();
  const char *end;
  if (*position == '(' && place_find(position, &end, &place) == position) {
    char offset[24];
    snprintf(offset, sizeof offset, "0x%" PRIx64, place.offset);
    add_text(frame, "module", place.module, place.module_length);
    cJSON_AddStringToObject(frame, "offset", offset);
    return frame;
  }
  const char *blank = position + length, *slash = strstr(position, " /");
  while (blank > position && blank[-1] != ' ')
    blank--;
  if (slash && slash < blank)
    blank = slash + 1; // functions' names have blanks, paths seldom
  if (blank > position) {
    add_text(frame, "function", position, (size_t)(blank - 1 - position));
    length -= (size_t)(blank - position);
    position = blank;
  }
  source_frame_parse(&source, must_copy(position, length));
  if (source.file)
    cJSON_AddStringToObject(frame, "file", source.file);
  if (source.line)
    cJSON_AddNumberToObject(frame, "line", source.line);
  if (source.column)
    cJSON_AddNumberToObject(frame, "column", source.column);
  free(source.file);
  return frame;
}

// `place via wrapper`, or a place.
static void add_frames(cJSON *step, const char *text, size_t length) {
  static const char via[] = " via ";
  const char *wrapper = memmem(text, length, via, sizeof via - 1);
  size_t place = wrapper ? (size_t)(wrapper - text) : length;
  cJSON_AddItemToObject(step, "place", frame_at(text, place));
  if (wrapper)
    wrapper += sizeof via - 1;
  else
    wrapper = text;
  cJSON_AddItemToObject(step, "frame", frame_at(wrapper, (size_t)(text + length - wrapper)));
}

// What comes after the thread: place, order and note, each of which may be missing.
static void add_rest(cJSON *step, cJSON *access, const char *at) {
  static const char order[] = "memory_order_";
  while (*at) {
    size_t length;
    const char *text = cell(&at, &length);
    if (strncmp(text, order, sizeof order - 1) == 0)
      add_text(access, "order", text + sizeof order - 1, length - (sizeof order - 1));
    else if (strncmp(text, "(before the next write)", length) == 0)
      cJSON_AddStringToObject(step, "to_next", "from-read");
    else if (strncmp(text, "(by ", 4) == 0)
      add_text(access, "call", text + 4, length - 4 - (text[length - 1] == ')'));
    else if (strncmp(text, "<-", 2) != 0)
      add_frames(step, text, length);
  }
}

// The length of the field's name in `queue.tail@0x720c00000034` or `queue.tail@jobs+8`; 0: there is
// no field, but a symbol's version, say.
static size_t field_length(const char *object, size_t length) {
  const char *at = memchr(object, '@', length);
  bool field = at && memchr(object, '.', (size_t)(at - object)) && at[1] != '@';
  return field ? (size_t)(at - object) : 0;
}

static cJSON *parse_step(const char *at) {
  size_t kind = 0, length;
  while (kind < sizeof kinds / sizeof *kinds &&
         (strncmp(at, kinds[kind], strlen(kinds[kind])) != 0 || at[strlen(kinds[kind])] != ' '))
    kind++;
  if (kind == sizeof kinds / sizeof *kinds)
    return NULL;
  cJSON *step = cJSON_CreateObject(), *access = cJSON_AddObjectToObject(step, "access");
  cJSON_AddStringToObject(access, "kind", kinds[kind]);
  at = skip_blanks(at + strlen(kinds[kind]));
  const char *object = cell(&at, &length);
  // A step without an object has its thread here.
  if (!*at || !add_thread(step, at))
    add_thread(step, object);
  else {
    size_t field = field_length(object, length);
    if (field) {
      add_text(step, "field", object, field);
      object += field + 1;
      length -= field + 1;
    }
    // A name may begin with the address: `0x7ffe2a0c (stack of main)`.
    bool is_address = strncmp(object, "0x", 2) == 0 && !memchr(object, ' ', length);
    add_text(access, is_address ? "address" : "name", object, length);
    cell(&at, &length);
  }
  add_rest(step, access, at);
  return step;
}

static bool writes(const cJSON *step) {
  const char *kind = record_text(record_object(step, "access"), "kind");
  return strcmp(kind, "read") != 0 && strcmp(kind, "failed compare-exchange") != 0;
}

// The edge between two steps that the text does not name.
static const char *edge(const cJSON *step, const cJSON *next, bool last) {
  if (last)
    return writes(step) ? "modification order" : "from-read";
  if (record_has_number(step, "thread") && record_has_number(next, "thread") &&
      record_number(step, "thread") == record_number(next, "thread"))
    return "program order";
  if (!record_text(record_object(step, "access"), "order"))
    return "synchronisation";
  return writes(next) ? "modification order" : "reads-from";
}

static void add_edges(cJSON *steps) {
  cJSON *step;
  cJSON_ArrayForEach(step, steps) if (!record_text(step, "to_next"))
      cJSON_AddStringToObject(step, "to_next", edge(step, step->next, !step->next));
}

// The circle begins with the missed write and ends with the access.
static void add_place(cJSON *record, int access, const cJSON *step) {
  cJSON *item = cJSON_GetArrayItem(record_list(record, "accesses"), access), *frame;
  const cJSON *place = record_object(step, "place");
  const char *file = record_text(place, "file"), *function = record_text(place, "function");
  cJSON_ArrayForEach(frame, record_list(item, "stack")) {
    const char *other = record_text(frame, "file"), *name = record_text(frame, "function");
    if (file && other && strcmp(file, other) == 0 && function && name &&
        strcmp(function, name) == 0 &&
        record_number(frame, "line") == record_number(place, "line") &&
        record_number(frame, "column") == record_number(place, "column")) {
      cJSON_AddItemToObject(item, "place", cJSON_Duplicate(frame, true));
      return;
    }
  }
}

bool heading_cycle(const char *line, cJSON *record) {
  cJSON *cycle = cJSON_GetObjectItemCaseSensitive(record, "cycle");
  cJSON *steps = cJSON_GetObjectItemCaseSensitive(cycle, "steps");
  const char *text = skip_blanks(line);
  if (!cycle && strstr(line, "run orders that write first, through")) {
    cycle = cJSON_AddObjectToObject(record, "cycle");
    cJSON_AddBoolToObject(cycle, "complete", true);
    cJSON_AddArrayToObject(cycle, "steps");
  } else if (!cycle && strncmp(text, "The order passes through ", 25) == 0) {
    cycle = cJSON_AddObjectToObject(record, "cycle");
    cJSON_AddBoolToObject(cycle, "complete", false);
    cJSON_AddStringToObject(cycle, "why", text);
  } else if (steps && strncmp(text, "but it does not happen before", 29) == 0) {
    add_edges(steps);
    add_place(record, 1, cJSON_GetArrayItem(steps, 0));
    add_place(record, 0, cJSON_GetArrayItem(steps, cJSON_GetArraySize(steps) - 1));
  } else {
    cJSON *step = steps && strncmp(line, "    ", 4) == 0 ? parse_step(text) : NULL;
    if (step)
      cJSON_AddItemToArray(steps, step);
    return step;
  }
  return true;
}

bool heading_recheck(const char *line, cJSON *record) {
  static const char start[] = "Checked again by compare-exchange at ";
  const char *at = skip_blanks(line), *end = strstr(at, ": it would fail with the older value");
  if (strncmp(at, start, sizeof start - 1) != 0 || !end || record_object(record, "checked_again"))
    return false;
  at += sizeof start - 1;
  char *place = must_copy(at, (size_t)(end - at));
  cJSON_AddItemToObject(record, "checked_again", frame_at(place, strlen(place)));
  free(place);
  return true;
}

// `acq_rel` of `memory_order_acq_rel at ...` or `Ordering::AcqRel at ...`; NULL: no order stands
// there.
static const char *order_at(const char *word, size_t length) {
  static const char *const orders[] = {"relaxed", "consume", "acquire",
                                       "release", "acq_rel", "seq_cst"};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    for (int rust = 0; rust < 2; rust++) {
      const char *name = rsan_order_text(orders[i], rust);
      bool is_rust_consume = rust && i == 1; // Rust has none
      if (!is_rust_consume && strlen(name) == length && strncmp(word, name, length) == 0)
        return orders[i];
    }
  return NULL;
}

// Behind the name of a fence, which stands before the first of its places.
static const char *after_fence(const char *at) {
  for (int rust = 0; rust < 2; rust++) {
    const char *fence = rsan_fence_text(rust);
    if (strncmp(at, fence, strlen(fence)) == 0)
      return skip_blanks(at + strlen(fence));
  }
  return at;
}

// `atomic_thread_fence(memory_order_seq_cst) after X and before Y and memory_order_acquire at Z`
bool heading_repair(const char *line, cJSON *record) {
  static const char start[] = "Suggested repair: ";
  const char *at = strstr(line, start);
  if (!at)
    return false;
  cJSON *repairs = cJSON_AddArrayToObject(record, "repairs");
  for (at += sizeof start - 1; *at;) {
    const char *and = strstr(at, " and "), *end = and ? and : at + strlen(at);
    const char *word = after_fence(at), *place = strchr(word, ' ');
    const char *order = place ? order_at(word, (size_t)(place - word)) : NULL;
    cJSON *repair = cJSON_CreateObject();
    if (order) {
      cJSON_AddStringToObject(repair, "kind", "order");
      cJSON_AddStringToObject(repair, "order", order);
      place = strncmp(place, " at ", 4) == 0 ? place + 3 : place;
    } else if (place) {
      cJSON_AddStringToObject(repair, "kind", "fence");
      add_text(repair, "position", word, (size_t)(place - word));
      cJSON_AddStringToObject(repair, "order", "seq_cst");
    }
    if (place && place < end)
      cJSON_AddItemToObject(repair, "frame", frame_at(place + 1, (size_t)(end - place - 1)));
    cJSON_AddItemToArray(repairs, repair);
    at = and ? and + 5 : end;
  }
  return true;
}
