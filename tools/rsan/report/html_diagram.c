// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cycle as a picture: time runs down, each thread has a column, each step a row. The edge that
// closes the cycle, which no sequentially consistent run has, goes round on the right, dashed.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "frame.h"
#include "html.h"
#include "output.h"
#include "record.h"

enum {
  BOX_WIDTH = 300,
  BOX_HEIGHT = 44,
  COLUMN_WIDTH = 340,
  ROW_HEIGHT = 92,
  TOP = 76, // of the first row; above it the threads' names and the closing edge
  LEFT = 10,
  MAX_LETTERS = 35, // in a box
};

struct step {
  const cJSON *access, *frame;
  const char *edge; // to the next
  uint64_t thread;
  bool thread_known;
  int column;
};

struct diagram {
  const cJSON *record;
  struct step *steps;
  int count, columns;
  bool is_cycle; // known; else what lies between the two accesses is not
};

static void add_step(struct diagram *diagram, const cJSON *owner, const cJSON *access,
                     const cJSON *frame, const char *edge) {
  struct step step = {.access = access,
                      .frame = frame,
                      .edge = edge,
                      .thread = record_number(owner, "thread"),
                      .thread_known = record_has_number(owner, "thread"),
                      .column = diagram->columns};
  for (int i = 0; i < diagram->count && step.column == diagram->columns; i++)
    if (diagram->steps[i].thread == step.thread &&
        diagram->steps[i].thread_known == step.thread_known)
      step.column = diagram->steps[i].column;
  diagram->columns += step.column == diagram->columns;
  diagram->steps[diagram->count++] = step;
}

static void fill(struct diagram *diagram, const cJSON *record) {
  const cJSON *step, *accesses = record_list(record, "accesses");
  const cJSON *steps = record_list(record_object(record, "cycle"), "steps");
  *diagram = (struct diagram){.record = record};
  size_t room = (size_t)cJSON_GetArraySize(steps) + 2; // the two accesses, if no cycle is known
  diagram->steps = must_alloc(NULL, room * sizeof *diagram->steps);
  cJSON_ArrayForEach(step, steps) add_step(diagram, step, record_object(step, "access"),
                                           record_place(step), record_text(step, "to_next"));
  diagram->is_cycle = diagram->count >= 2;
  if (diagram->is_cycle || cJSON_GetArraySize(accesses) != 2)
    return;
  bool violation = record_is_violation(record);
  for (int i = 1; i >= 0; i--) { // the earlier one is the second
    const cJSON *access = cJSON_GetArrayItem(accesses, i);
    add_step(diagram, access, access, record_place(access),
             i == 1 ? violation ? "first in every SC run" : "unordered" : "may miss it");
  }
}

static int left_of(const struct step *step) {
  return LEFT + step->column * COLUMN_WIDTH;
}

static int top_of(int row) {
  return TOP + row * ROW_HEIGHT;
}

// At most so many letters.
static void write_short(const char *text, FILE *out) {
  size_t letters = 0;
  const char *at = text, *cut = text;
  for (; *at; at++) {
    letters += ((unsigned char)*at & 0xc0) != 0x80;
    if (letters == MAX_LETTERS && ((unsigned char)*at & 0xc0) != 0x80)
      cut = at;
  }
  if (letters <= MAX_LETTERS) {
    write_escaped(text, out);
    return;
  }
  char *start = must_copy(text, (size_t)(cut - text));
  write_escaped(start, out);
  fputs("\xe2\x80\xa6", out);
  free(start);
}

// `: 0 in place of 1`, of the access that may miss a write.
static void write_missed(const cJSON *record, FILE *out) {
  if (!record_has_values(record) || record_text(record, "overwritten_by"))
    return;
  fputs(": ", out);
  write_bits(record_text(record, "stale"), out);
  fputs(" in place of ", out);
  write_bits(record_text(record, "seen"), out);
}

static char *text_of(const struct diagram *diagram, const struct step *step, bool place) {
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) {
    complain(STATUS_FAILED, "out of memory");
    exit(STATUS_FAILED);
  }
  if (place && step->frame) {
    const char *file = record_text(step->frame, "file");
    if (file && record_number(step->frame, "line"))
      fprintf(out, "%s:%" PRIu64, base_name(file), record_number(step->frame, "line"));
    else if (file)
      fputs(base_name(file), out);
    else
      write_position(step->frame, out);
    if (record_text(step->frame, "function"))
      fprintf(out, " %s", record_text(step->frame, "function"));
  } else if (!place) {
    const char *kind = record_text(step->access, "kind"),
               *order = record_text(step->access, "order");
    const char *name = record_text(step->access, "name");
    if (!name && !diagram->is_cycle)
      name = record_object_name(diagram->record);
    if (!name)
      name = record_text(step->access, "address");
    fprintf(out, "%s%s%s%s%s", order ? order : "", order ? " " : "", kind ? kind : "step",
            name ? " of " : "", name ? name : "");
    if (step == &diagram->steps[diagram->count - 1])
      write_missed(diagram->record, out);
  }
  fclose(out);
  return text;
}

static void write_box(const struct diagram *diagram, int row, FILE *out) {
  const struct step *step = &diagram->steps[row];
  char *what = text_of(diagram, step, false), *where = text_of(diagram, step, true);
  bool end = row == 0 || row == diagram->count - 1;
  int x = left_of(step), y = top_of(row);
  fprintf(out, "<g><title>");
  write_escaped(what, out);
  fputs("&#10;", out); // what is at the start of a line may be a command to a CI system
  if (step->frame) {
    char *position;
    size_t size;
    FILE *text = open_memstream(&position, &size);
    if (text) {
      write_position(step->frame, text);
      fclose(text);
      write_escaped(position, out);
      free(position);
    }
  }
  fprintf(out, "</title><rect%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>",
          end ? " class=\"bad\"" : "", x, y, BOX_WIDTH, BOX_HEIGHT);
  fprintf(out, "<text x=\"%d\" y=\"%d\">", x + 10, y + 18);
  write_short(what, out);
  fprintf(out, "</text><text class=\"soft\" x=\"%d\" y=\"%d\">", x + 10, y + 36);
  write_short(where, out);
  fputs("</text></g>\n", out);
  free(what);
  free(where);
}

// An arrowhead at (x, y) that points down.
static void write_head(const char *class, int x, int y, FILE *out) {
  fprintf(out, "<path class=\"%shead\" d=\"M%d %dl-5 -9h10z\"/>", class, x, y);
}

// From the bottom of a step to the top of the next.
static void write_edge(const struct diagram *diagram, int row, FILE *out) {
  const struct step *from = &diagram->steps[row], *to = from + 1;
  int x1 = left_of(from) + BOX_WIDTH / 2, x2 = left_of(to) + BOX_WIDTH / 2;
  int y1 = top_of(row) + BOX_HEIGHT, y2 = top_of(row + 1);
  const char *class = diagram->is_cycle || record_is_violation(diagram->record) ? "" : "bad ";
  fprintf(out, "<path class=\"%s\" d=\"M%d %dL%d %d\"/>", class, x1, y1, x2, y2 - 8);
  if (!*class) // a race has no direction
    write_head(class, x2, y2, out);
  fprintf(out, "<text class=\"soft\" x=\"%d\" y=\"%d\"%s>", (x1 + x2) / 2 + (x1 == x2 ? 10 : 0),
          x1 == x2 ? (y1 + y2) / 2 + 4 : y1 + 16,
          x1 == x2 ? "" : " text-anchor=\"start\" dx=\"14\"");
  write_escaped(from->edge, out);
  fputs("</text>\n", out);
}

// From the last step back to the first.
static void write_closing_edge(const struct diagram *diagram, FILE *out) {
  const struct step *first = &diagram->steps[0], *last = &diagram->steps[diagram->count - 1];
  int right = LEFT + diagram->columns * COLUMN_WIDTH, y = top_of(diagram->count - 1);
  int x = left_of(first) + BOX_WIDTH / 2;
  const char *text = record_text(diagram->record, "overwritten_by")
                         ? "may come before it (modification order)"
                         : "may miss it (from-read)";
  fprintf(out, "<path class=\"bad\" d=\"M%d %dH%dV40H%dV%d\"/>", left_of(last) + BOX_WIDTH,
          y + BOX_HEIGHT / 2, right, x, TOP - 8);
  write_head("bad ", x, TOP, out);
  fprintf(out, "<text class=\"bad\" x=\"%d\" y=\"%d\">%s</text>\n", x + 14, 56, text);
}

static void write_columns(const struct diagram *diagram, FILE *out) {
  for (int column = 0; column < diagram->columns; column++) {
    const struct step *step = diagram->steps;
    while (step->column != column)
      step++;
    char room[256];
    cJSON *owner = cJSON_CreateObject();
    if (step->thread_known)
      cJSON_AddNumberToObject(owner, "thread", (double)step->thread);
    int x = left_of(step) + BOX_WIDTH / 2;
    fprintf(out,
            "<path class=\"column\" d=\"M%d 28V%d\"/><text x=\"%d\" y=\"18\" "
            "text-anchor=\"middle\">",
            x, top_of(diagram->count - 1) + BOX_HEIGHT, x);
    write_short(record_thread(diagram->record, owner, room, sizeof room), out);
    fputs("</text>\n", out);
    cJSON_Delete(owner);
  }
}

static void write_diagram(const struct diagram *diagram, FILE *out) {
  int width = LEFT + diagram->columns * COLUMN_WIDTH + 20;
  int height = top_of(diagram->count - 1) + BOX_HEIGHT + 10;
  fprintf(out,
          "<div class=\"diagram\"><svg role=\"img\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\"><title>%s</title>\n",
          width, height, width, height,
          record_is_violation(diagram->record) ? "The critical cycle" : "The two accesses");
  write_columns(diagram, out);
  for (int i = 0; i + 1 < diagram->count; i++)
    write_edge(diagram, i, out);
  if (record_is_violation(diagram->record))
    write_closing_edge(diagram, out);
  for (int i = 0; i < diagram->count; i++)
    write_box(diagram, i, out);
  fputs("</svg></div>\n", out);
}

void html_diagram(const cJSON *record, FILE *out) {
  struct diagram diagram;
  fill(&diagram, record);
  if (diagram.count >= 2)
    write_diagram(&diagram, out);
  free(diagram.steps);
}
