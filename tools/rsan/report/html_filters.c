// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page can be narrowed down to: a list of values for each filter. A report's row and its
// article carry the numbers of their values, so that the script never reads a name.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "html.h"
#include "output.h"
#include "record.h"
#include "targets.h"

enum filter { FILTER_FILE, FILTER_FUNCTION, FILTER_MACHINE, FILTER_GROUP, FILTERS };

// The attribute is "data-" and the first name; the second one is what people read.
static const char *const names[FILTERS][2] = {
    {"file", "File"},
    {"function", "Function"},
    {"machine", "Machine"},
    {"group", "Missing"},
};

struct value {
  char *text;
  size_t count; // of the reports that have it
};

struct values {
  struct value *at; // without repetitions and sorted, once html_filters_of is done
  size_t count, room;
};

struct html_filters {
  struct values of[FILTERS];
};

static char *copy(const char *text) {
  return must_copy(text, strlen(text));
}

static void add(struct values *values, char *text) {
  if (values->count == values->room) {
    values->room = values->room ? 2 * values->room : 16;
    values->at = must_alloc(values->at, values->room * sizeof *values->at);
  }
  values->at[values->count++] = (struct value){text, 1};
}

static int compare(const void *a, const void *b) {
  return strcmp(((const struct value *)a)->text, ((const struct value *)b)->text);
}

// Sorts, and leaves one of those with the same text, with the sum of the counts.
static void unite(struct values *values) {
  size_t kept = 0;
  if (values->count > 0)
    qsort(values->at, values->count, sizeof *values->at, compare);
  for (size_t i = 0; i < values->count; i++) {
    if (kept > 0 && compare(&values->at[kept - 1], &values->at[i]) == 0) {
      values->at[kept - 1].count += values->at[i].count;
      free(values->at[i].text);
    } else {
      values->at[kept++] = values->at[i];
    }
  }
  values->count = kept;
}

static void clear(struct values *values) {
  for (size_t i = 0; i < values->count; i++)
    free(values->at[i].text);
  free(values->at);
}

// The values of one report, each once.
static struct values values_of(const cJSON *record, enum filter filter) {
  struct values values = {NULL, 0, 0};
  if (filter == FILTER_FILE || filter == FILTER_FUNCTION) {
    size_t count;
    const cJSON **frames = html_frames(record, &count);
    for (size_t i = 0; i < count; i++) {
      const char *text = record_text(frames[i], names[filter][0]);
      if (text)
        add(&values, copy(text));
    }
    free(frames);
  } else if (filter == FILTER_MACHINE) {
    const cJSON *target;
    cJSON_ArrayForEach(target, record_object(record, "targets"))
        add(&values, target_answer(target));
  } else if (record_text(record, "cause")) {
    add(&values, copy(record_text(record, "cause")));
  }
  unite(&values);
  for (size_t i = 0; i < values.count; i++)
    values.at[i].count = 1;
  return values;
}

struct html_filters *html_filters_of(const struct collection *collection) {
  struct html_filters *filters = must_alloc(NULL, sizeof *filters);
  memset(filters, 0, sizeof *filters);
  for (enum filter filter = 0; filter < FILTERS; filter++) {
    struct values *all = &filters->of[filter];
    for (size_t i = 0; i < collection->count; i++) {
      struct values some = values_of(collection->at[i].record, filter);
      for (size_t j = 0; j < some.count; j++)
        add(all, some.at[j].text);
      free(some.at);
    }
    unite(all);
  }
  return filters;
}

void html_filters_free(struct html_filters *filters) {
  for (enum filter filter = 0; filter < FILTERS; filter++)
    clear(&filters->of[filter]);
  free(filters);
}

void html_filters_write_choices(const struct html_filters *filters, FILE *out) {
  fputs("<p id=\"filters\">\n<label>Search: <input id=\"search\" type=\"search\"/></label>\n", out);
  for (enum filter filter = 0; filter < FILTERS; filter++) {
    const struct values *values = &filters->of[filter];
    if (values->count == 0)
      continue;
    fprintf(out, "<label>%s: <select id=\"%s\"><option value=\"\">all</option>\n", names[filter][1],
            names[filter][0]);
    for (size_t i = 0; i < values->count; i++) {
      fprintf(out, "<option value=\"%zu\">", i);
      write_escaped(values->at[i].text, out);
      fprintf(out, " (%zu)</option>\n", values->at[i].count);
    }
    fputs("</select></label>\n", out);
  }
  fputs("<button id=\"all\" type=\"button\" hidden=\"\">Show all</button> "
        "<span id=\"shown\" role=\"status\"></span></p>\n",
        out);
}

void html_filters_write_attributes(const struct html_filters *filters, const cJSON *record,
                                   FILE *out) {
  for (enum filter filter = 0; filter < FILTERS; filter++) {
    const struct values *all = &filters->of[filter];
    struct values some = values_of(record, filter);
    if (some.count > 0)
      fprintf(out, " data-%s=\"", names[filter][0]);
    for (size_t i = 0; i < some.count; i++) {
      const struct value *found =
          bsearch(&some.at[i], all->at, all->count, sizeof *all->at, compare);
      fprintf(out, "%s%zu", i > 0 ? " " : "", (size_t)(found - all->at));
    }
    if (some.count > 0)
      fputc('"', out);
    clear(&some);
  }
}
