// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical cycle and the repairs as text; cycle.c reads it.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_words.h"
#include "complain.h"
#include "output.h"
#include "record.h"

enum { CELLS = 3 }; // what, thread, place

static void write_function(const cJSON *frame, FILE *out) {
  const char *function = record_text(frame, "function");
  if (function && record_text(frame, "file"))
    fprintf(out, "%s ", function);
  write_position(frame, out);
}

// `push ring.c:20:3 via store_release atomic.h:8:1`.
static void write_place(const cJSON *step, FILE *out) {
  const cJSON *place = record_place(step), *wrapper = record_wrapper(step);
  if (!place)
    return;
  write_function(place, out);
  if (!wrapper)
    return;
  fputs(" via ", out);
  write_function(wrapper, out);
}

// One cell of a step, for free().
static char *cell_text(const cJSON *step, int cell, int kind_width) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  const cJSON *access = record_object(step, "access");
  const char *kind = record_text(access, "kind"), *name = record_text(access, "name");
  if (!out) {
    complain(STATUS_FAILED, "out of memory");
    exit(STATUS_FAILED);
  }
  if (!name)
    name = record_text(access, "address");
  const char *field = name ? record_text(step, "field") : NULL;
  if (cell == 0)
    fprintf(out, "%-*s %s%s%s", kind_width, kind ? kind : "step", field ? field : "",
            field ? "@" : "", name ? name : "");
  else if (cell == 2)
    write_place(step, out); // the start of a thread has none
  else if (!record_has_number(step, "thread"))
    fputs("a finished thread", out);
  else if (record_number(step, "thread") == 0)
    fputs("main", out);
  else
    fprintf(out, "T%" PRIu64, record_number(step, "thread"));
  fclose(out);
  return text;
}

static int width_of_kinds(const cJSON *steps) {
  const cJSON *step;
  int width = 0;
  cJSON_ArrayForEach(step, steps) {
    const char *kind = record_text(record_object(step, "access"), "kind");
    if (kind && (int)strlen(kind) > width)
      width = (int)strlen(kind);
  }
  return width;
}

static void write_step(const cJSON *step, const int widths[CELLS], int kind_width, FILE *out) {
  const char *order = record_text(record_object(step, "access"), "order");
  const char *call = record_text(record_object(step, "access"), "call");
  const char *edge = record_text(step, "to_next");
  const char *note = !step->next                              ? "   <- here"
                     : edge && strcmp(edge, "from-read") == 0 ? "   (before the next write)"
                                                              : "";
  char line[4096];
  size_t used = (size_t)snprintf(line, sizeof line, "    ");
  for (int i = 0; i < CELLS && used < sizeof line; i++) {
    char *text = cell_text(step, i, kind_width);
    used += (size_t)snprintf(line + used, sizeof line - used, "%-*s   ", widths[i], text);
    free(text);
  }
  if (used < sizeof line)
    used += (size_t)snprintf(line + used, sizeof line - used, "%s%s%s%s%s%s",
                             order ? "memory_order_" : "", order ? order : "",
                             call ? "   (by " : "", call ? call : "", call ? ")" : "", note);
  if (used >= sizeof line)
    used = sizeof line - 1;
  while (used > 0 && line[used - 1] == ' ')
    used--;
  fprintf(out, "%.*s\n", (int)used, line);
}

void write_cycle(const cJSON *record, FILE *out) {
  static const char first[] = "  Every sequentially consistent run orders that write first, ";
  const cJSON *cycle = record_object(record, "cycle"), *steps = record_list(cycle, "steps"), *step;
  const char *why = record_text(cycle, "why");
  int widths[CELLS] = {0}, kind_width = width_of_kinds(steps);
  if (cJSON_GetArraySize(steps) == 0) {
    fprintf(out, "%sbut it does not happen before this access.\n", first);
    if (why && strncmp(why, "The order passes", 16) == 0)
      fprintf(out, "  %s\n", why);
    else if (why)
      fprintf(out, "  The order passes through accesses that are not known: %s.\n", why);
    fputc('\n', out);
    return;
  }
  cJSON_ArrayForEach(step, steps) for (int i = 0; i < CELLS; i++) {
    char *text = cell_text(step, i, kind_width);
    if ((int)strlen(text) > widths[i])
      widths[i] = (int)strlen(text);
    free(text);
  }
  fprintf(out, "%sthrough\n", first);
  cJSON_ArrayForEach(step, steps) write_step(step, widths, kind_width, out);
  fputs("  but it does not happen before this access.\n\n", out);
}

static bool is_fence(const cJSON *repair) {
  const char *kind = record_text(repair, "kind");
  return !kind || strcmp(kind, "order") != 0;
}

static bool is_in_rust(const cJSON *repair) {
  return rsan_is_rust_source(record_text(record_place(repair), "file"));
}

// `after X`, `memory_order_acquire at X`, for free().
static char *repair_text(const cJSON *repair) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  const char *order = record_text(repair, "order"), *position = record_text(repair, "position");
  if (!out) {
    complain(STATUS_FAILED, "out of memory");
    exit(STATUS_FAILED);
  }
  if (is_fence(repair))
    fprintf(out, "%s ", position ? position : "after");
  else
    fprintf(out, "%s at ", rsan_order_text(order ? order : "seq_cst", is_in_rust(repair)));
  write_position(record_place(repair), out);
  fclose(out);
  return text;
}

// Code that was inlined in several places is one place in the source.
static bool is_said_before(const cJSON *repairs, const cJSON *repair, const char *text) {
  bool again = false;
  for (const cJSON *before = repairs->child; before != repair; before = before->next) {
    char *other = repair_text(before);
    again |= strcmp(other, text) == 0;
    free(other);
  }
  return again;
}

void write_repairs(const cJSON *record, FILE *out) {
  const cJSON *repairs = record_list(record, "repairs"), *repair;
  const char *fence = "";
  if (cJSON_GetArraySize(repairs) == 0)
    return;
  fputs("  Suggested repair: ", out);
  cJSON_ArrayForEach(repair, repairs) {
    char *text = repair_text(repair);
    if (!is_said_before(repairs, repair, text)) {
      const char *wanted = is_fence(repair) ? rsan_fence_text(is_in_rust(repair)) : fence;
      bool other = strcmp(fence, wanted) != 0; // the first one, or one in another language
      fence = wanted;
      fprintf(out, "%s%s%s%s", repair == repairs->child ? "" : " and ", other ? wanted : "",
              other ? " " : "", text);
    }
    free(text);
  }
  fputs("\n\n", out);
}
