// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "explanation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_words.h"
#include "complain.h"
#include "printable.h"

static bool is_before_steps(const char *line) {
  return strstr(line, "orders that write first, through");
}

static bool is_repair(const char *line) {
  return strstr(line, "Suggested repair: ");
}

static bool is_after_steps(const char *line) {
  return strstr(line, "but it does not happen before this access");
}

static void print_function(const struct sources *sources, const struct source_frame *frame,
                           FILE *out) {
  if (frame->function) {
    put_printable(strip_interceptor(frame->function), out);
    fputc(' ', out);
  }
  sources_print_position(sources, frame, out);
}

// The text that replaces a place, for free(); NULL: the place stays as it is. For a step it names
// the functions as well: `push ring.c:20:3 via store_release atomic.h:8:1`.
static char *source_of(struct sources *sources, const struct place *place, bool step) {
  const char *module = modules_find(&sources->modules, place);
  struct source_frames frames;
  if (!module || !symbolizer_code(&sources->symbolizer, module, place->offset, &frames))
    return NULL;
  unsigned wrapper, found = wrappers_place(&sources->wrappers, module, &frames, &wrapper);
  if (found == frames.count && wrapper < frames.count) { // what calls it is not known
    found = wrapper;
    wrapper = frames.count;
  }
  const struct source_frame *own = &frames.at[found < frames.count ? found : 0];
  char *text = NULL;
  size_t size;
  FILE *out = own->file ? open_memstream(&text, &size) : NULL;
  if (out) {
    if (step)
      print_function(sources, own, out);
    else
      sources_print_position(sources, own, out);
    if (step && wrapper < frames.count) {
      fputs(" via ", out);
      print_function(sources, &frames.at[wrapper], out);
    }
    fclose(out);
  }
  source_frames_clear(&frames);
  return text;
}

// The line with sources in place of places, for free(). *end: where the first one ends, 0: there
// was none.
static char *with_sources(struct sources *sources, const char *line, bool steps, size_t *end) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) {
    complain(STATUS_FAILED, "out of memory");
    exit(STATUS_FAILED);
  }
  struct place place;
  const char *begin, *rest;
  *end = 0;
  while ((begin = place_find(line, &rest, &place))) {
    char *source = source_of(sources, &place, steps);
    fwrite(line, 1, (size_t)(begin - line), out);
    if (source)
      fputs(source, out);
    else
      fwrite(begin, 1, (size_t)(rest - begin), out);
    free(source);
    fflush(out);
    if (*end == 0)
      *end = size;
    line = rest;
  }
  fputs(line, out);
  fclose(out);
  return text;
}

// The column of places has got another width.
static void print_aligned(char **lines, const size_t *ends, size_t count) {
  size_t width = 0;
  for (size_t i = 0; i < count; i++)
    if (ends[i] > width)
      width = ends[i];
  for (size_t i = 0; i < count; i++) {
    const char *rest = lines[i] + ends[i];
    size_t blanks = strspn(rest, " ");
    if (ends[i] == 0 || blanks == 0)
      fputs(lines[i], stdout);
    else
      printf("%.*s%*s%s", (int)ends[i], lines[i], (int)(width - ends[i] + 3), "", rest + blanks);
    free(lines[i]);
  }
}

size_t explanation_rewrite_steps(struct sources *sources, char *const *lines, size_t count) {
  size_t steps = 0;
  if (!is_before_steps(lines[0]))
    return 0;
  fputs(lines[0], stdout);
  char **made = must_alloc(NULL, count * sizeof *made);
  size_t *ends = must_alloc(NULL, count * sizeof *ends);
  for (; steps + 1 < count && !is_after_steps(lines[steps + 1]); steps++)
    made[steps] = with_sources(sources, lines[steps + 1], true, &ends[steps]);
  print_aligned(made, ends, steps);
  free(made);
  free(ends);
  return steps + 1;
}

// Is the place that the part ends with, `... after FILE:LINE:COLUMN`, in a source of Rust's?
static bool is_in_rust(const char *part) {
  size_t length = strlen(part);
  while (length > 0 && strchr(":0123456789", part[length - 1]))
    length--;
  char *file = must_copy(part, length);
  bool rust = rsan_is_rust_source(file);
  free(file);
  return rust;
}

// Returns what follows the order in `memory_order_acq_rel at FILE`; NULL: it is a fence's. *ORDER
// is named without `memory_order_`.
static const char *after_order(const char *part, char **order) {
  static const char c[] = "memory_order_";
  const char *end = strchr(part, ' ');
  bool found = end && strncmp(part, c, sizeof c - 1) == 0;
  *order = found ? must_copy(part + sizeof c - 1, (size_t)(end - part) - (sizeof c - 1)) : NULL;
  return found ? end : NULL;
}

// Prints `after FILE:LINE:COLUMN` or `memory_order_acquire at ...` in the words of the file's
// language, with the fence before it if it is another than *FENCE.
static void print_part(const char *part, const char **fence) {
  bool rust = is_in_rust(part);
  const char *wanted = rsan_fence_text(rust), *c = rsan_fence_text(false);
  char *order;
  const char *rest = after_order(part, &order);
  if (rest) {
    printf("%s%s", rsan_order_text(order, rust), rest);
  } else {
    if (strncmp(part, c, strlen(c)) == 0)
      part += strlen(c) + (part[strlen(c)] == ' ');
    if (strcmp(*fence, wanted) != 0)
      printf("%s ", wanted);
    *fence = wanted;
    fputs(part, stdout);
  }
  free(order);
}

// Code that was inlined in several places is one place in the source: it is named once.
static void print_once(const char *line) {
  static const char and[] = " and ", start[] = "Suggested repair: ";
  const char *first = strstr(line, start) + sizeof start - 1, *part = first, *fence = "";
  printf("%.*s", (int)(first - line), line);
  while (part) {
    const char *next = strstr(part, and), *end = next ? next : line_end(part);
    char *copy = must_copy(part, (size_t)(end - part));
    if (part != first && strstr(first, copy) == part)
      fputs(and, stdout);
    if (strstr(first, copy) == part)
      print_part(copy, &fence);
    if (!next)
      fputs(end, stdout);
    free(copy);
    part = next ? next + sizeof and - 1 : NULL;
  }
}

bool explanation_rewrite_repair(struct sources *sources, const char *line) {
  size_t end;
  if (!is_repair(line))
    return false;
  char *text = with_sources(sources, line, false, &end);
  if (end > 0)
    print_once(text);
  else
    fputs(text, stdout);
  free(text);
  return true;
}

void explanation_note(struct modules *modules, const char *line) {
  struct place place;
  const char *rest;
  if (is_repair(line) && place_find(line, &rest, &place))
    modules_note(modules, &place);
}
