// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack is rewritten as a whole: inlined functions become frames of their own, so that the
// numbers change, and what the runtime would leave out at the stack's end is left out.

#include "report.h"

#include "token.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "explanation.h"
#include "printable.h"

// A frame of the stack as it will be printed: a line of the input as it is, or one function of a
// raw line.
struct output_frame {
  const struct frame_line *line;
  bool first;    // of its line
  bool symbolic; // has a source
  const char *module;
  struct source_frame source;
};

struct stack {
  struct output_frame *at;
  size_t count;
};

struct summary {
  bool wanted; // the report's summary is raw, and its stack has not come by
  bool violation;
  struct place place;
  char *text; // `file:line:column in function`; NULL: not known
};

static void push(struct stack *stack, struct output_frame frame) {
  stack->at = must_alloc(stack->at, (stack->count + 1) * sizeof *stack->at);
  stack->at[stack->count++] = frame;
}

static void push_line(struct rewriter *rewriter, struct stack *stack,
                      const struct frame_line *line) {
  struct output_frame frame = {.line = line, .first = true};
  struct source_frames sources = {0};
  if (line->raw)
    frame.module = modules_find(&rewriter->sources.modules, &line->place);
  if (!frame.module ||
      !symbolizer_code(&rewriter->sources.symbolizer, frame.module, line->place.offset, &sources)) {
    push(stack, frame);
    return;
  }
  for (unsigned i = 0; i < sources.count; i++) {
    frame.symbolic = true;
    frame.first = i == 0;
    frame.source = sources.at[i];
    push(stack, frame);
  }
  free(sources.at); // the strings are the stack's now
}

static void print_frame(const struct rewriter *rewriter, const struct output_frame *frame,
                        unsigned number) {
  const struct frame_line *line = frame->line;
  const struct source_frame *source = &frame->source;
  frame_print_prefix(line, frame->first, stdout);
  printf("#%u ", number);
  if (!frame->symbolic) {
    fputs(line->text + line->body, stdout);
    return;
  }
  put_printable(source->function ? strip_interceptor(source->function) : "<null>", stdout);
  fputc(' ', stdout);
  if (source->file)
    sources_print_position(&rewriter->sources, source, stdout);
  else
    fputs("<null>", stdout);
  char *module = must_copy(line->place.module, line->place.module_length);
  fputs(" (", stdout);
  put_printable(base_name(module), stdout);
  printf("+0x%" PRIx64 ")", line->place.offset);
  free(module);
  if (frame->first && line->place.build_id) // an inlined function's caller goes without
    printf(" (BuildId: %.*s)", (int)line->place.build_id_length, line->place.build_id);
  fputs(line->text + line->end, stdout);
}

// What the summary says of the frame.
static char *summarize(const struct rewriter *rewriter, const struct output_frame *frame) {
  const struct source_frame *source = &frame->source;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  if (source->file)
    sources_print_position(&rewriter->sources, source, out);
  else
    fprintf(out, "(%s+0x%" PRIx64 ")", frame->module, frame->line->place.offset);
  if (source->function) {
    fputs(" in ", out);
    put_printable(strip_interceptor(source->function), out);
  }
  fclose(out);
  return text;
}

static bool is_of(const struct output_frame *frame, const struct place *place) {
  if (!frame->line->raw || frame->line->place.offset != place->offset)
    return false;
  char *wanted = must_copy(place->module, place->module_length);
  char *module = must_copy(frame->line->place.module, frame->line->place.module_length);
  bool result = strcmp(base_name(wanted), base_name(module)) == 0;
  free(wanted);
  free(module);
  return result;
}

// The frame that the summary is about: the first that is the program's own and, of a violation, no
// wrapper; else the outermost wrapper.
static const struct output_frame *choose(struct rewriter *rewriter, const struct stack *stack,
                                         bool passes_wrappers) {
  const struct output_frame *wrapper = NULL;
  for (size_t i = 0; i < stack->count; i++) {
    const struct output_frame *frame = &stack->at[i];
    if (frame_is_internal(frame->source.file, frame->module))
      continue;
    if (!passes_wrappers || !frame->module ||
        !wrappers_have(&rewriter->sources.wrappers, frame->module, &frame->source))
      return frame;
    wrapper = frame;
  }
  return wrapper ? wrapper : &stack->at[0];
}

// Makes the summary anew, if this is the stack that it was made from.
static void note_summary(struct rewriter *rewriter, const struct stack *stack,
                         struct summary *summary) {
  bool here = false;
  for (size_t i = 0; i < stack->count; i++)
    here |= is_of(&stack->at[i], &summary->place);
  if (!summary->wanted || !here)
    return;
  const struct output_frame *chosen = choose(rewriter, stack, summary->violation);
  if (chosen->symbolic && (chosen->source.file || chosen->source.function))
    summary->text = summarize(rewriter, chosen);
  summary->wanted = false;
}

// The place of an access, as far as it is told by the stack.
static char *place_line(struct rewriter *rewriter, const struct stack *stack) {
  const struct output_frame *chosen = choose(rewriter, stack, true);
  struct source_frame source = chosen->source;
  if (!chosen->symbolic)
    return NULL;
  char *identity = token_identity(&source);
  if (identity)
    return identity;
  if (source.file)
    source.file = (char *)strip_prefix(source.file, rewriter->sources.strip_path_prefix);
  return token_line(&source, chosen->module, chosen->line->place.offset);
}

static void rewrite_stack(struct rewriter *rewriter, const struct frame_line *lines, size_t count,
                          struct summary *summary, struct text_token *token) {
  struct stack stack = {0};
  for (size_t i = 0; i < count; i++)
    push_line(rewriter, &stack, &lines[i]);
  note_summary(rewriter, &stack, summary);
  text_token_place(token, place_line(rewriter, &stack));
  size_t shown = stack.count;
  if (shown >= 2 && stack.at[shown - 1].symbolic &&
      strips_last(stack.at[shown - 2].source.function, stack.at[shown - 1].source.function))
    shown--;
  for (size_t i = 0; i < shown; i++) {
    const struct frame_line *line = stack.at[i].line;
    print_frame(rewriter, &stack.at[i], lines[0].number + (unsigned)i);
    if (line->text[line->end] == '\0' && i + 1 < shown) // the input's last line, now several
      putchar('\n');
  }
  for (size_t i = 0; i < stack.count; i++) {
    free(stack.at[i].source.function);
    free(stack.at[i].source.file);
  }
  free(stack.at);
}

static void rewrite_summary(struct rewriter *rewriter, const char *line, size_t place_at,
                            struct summary *summary) {
  // On its own, or its stack is not there: the address decides.
  struct frame_line at_place = {.text = line, .raw = true, .place = summary->place};
  struct stack stack = {0};
  if (summary->wanted) {
    push_line(rewriter, &stack, &at_place);
    note_summary(rewriter, &stack, summary);
  }
  if (summary->text)
    printf("%.*s%s%s", (int)place_at, line, summary->text, line + strcspn(line, "\r\n"));
  else
    fputs(line, stdout);
  for (size_t i = 0; i < stack.count; i++) {
    free(stack.at[i].source.function);
    free(stack.at[i].source.file);
  }
  free(stack.at);
}

// The runtime made the token without knowing names: here it is made with them.
static bool rewrite_token(const struct text_token *token, const char *line) {
  static const char mark[] = "DEDUP_TOKEN: ";
  const char *at = strstr(line, mark);
  if (!at || token->places != 2)
    return false;
  printf("%.*s%016" PRIx64 "%s", (int)(at + sizeof mark - 1 - line), line, token->hash,
         line + strcspn(line, "\r\n"));
  return true;
}

static bool rewrite_location(struct rewriter *rewriter, const char *line) {
  size_t name_at;
  uint64_t address;
  struct place place;
  struct source_data data;
  if (!location_parse(line, &name_at, &address, &place))
    return false;
  const char *module = modules_find(&rewriter->sources.modules, &place);
  if (!module || !symbolizer_data(&rewriter->sources.symbolizer, module, place.offset, &data))
    return false;
  printf("%.*s'", (int)name_at, line);
  put_printable(data.name, stdout);
  fputc('\'', stdout);
  if (data.size)
    printf(" of size %" PRIu64, data.size);
  printf(" at 0x%012" PRIx64 " %s", address - place.offset + data.start, place.module - 1);
  free(data.name);
  return true;
}

// Does `next` go on with the stack?
static bool continues(const struct frame_line *frame, const struct frame_line *next) {
  return next->number == frame->number + 1;
}

// The frames from line `i` on that form one stack. Returns their number, 0: no raw one among them.
static size_t parse_stack(const struct rewriter *rewriter, size_t i, struct frame_line **frames) {
  size_t count = 0, room = 0;
  bool raw = false;
  *frames = NULL;
  for (; i < rewriter->count; i++) {
    struct frame_line frame;
    if (!frame_parse(rewriter->lines[i], &frame) ||
        (count > 0 && !continues(&(*frames)[count - 1], &frame)))
      break;
    if (count == room) {
      room = room * 2 + 16;
      *frames = must_alloc(*frames, room * sizeof **frames);
    }
    (*frames)[count++] = frame;
    raw |= frame.raw;
  }
  if (!raw) {
    free(*frames);
    return 0;
  }
  return count;
}

void rewriter_flush(struct rewriter *rewriter) {
  struct summary summary = {0};
  size_t summary_at = 0;
  for (size_t i = 0; i < rewriter->count; i++) {
    struct frame_line frame;
    if (summary_parse(rewriter->lines[i], &summary_at, &summary.place)) {
      summary.wanted = true;
      summary.violation = strstr(rewriter->lines[i], "robustness violation");
      modules_note(&rewriter->sources.modules, &summary.place);
    } else if (frame_parse(rewriter->lines[i], &frame) && frame.raw) {
      modules_note(&rewriter->sources.modules, &frame.place);
    }
    explanation_note(&rewriter->sources.modules, rewriter->lines[i]);
  }
  bool has_summary = summary.wanted;
  struct text_token token;
  text_token_begin(&token);
  for (size_t i = 0; i < rewriter->count;) {
    struct frame_line *frames;
    struct place ignored;
    size_t count = parse_stack(rewriter, i, &frames);
    if (count > 0) {
      rewrite_stack(rewriter, frames, count, &summary, &token);
      free(frames);
      i += count;
      continue;
    }
    size_t steps =
        explanation_rewrite_steps(&rewriter->sources, rewriter->lines + i, rewriter->count - i);
    i += steps;
    if (steps > 0)
      continue;
    const char *line = rewriter->lines[i++];
    text_token_heading(&token, line);
    if (has_summary && summary_parse(line, &summary_at, &ignored))
      rewrite_summary(rewriter, line, summary_at, &summary);
    else if (!rewrite_token(&token, line) && !rewrite_location(rewriter, line) &&
             !explanation_rewrite_repair(&rewriter->sources, line))
      fputs(line, stdout);
  }
  free(summary.text);
  for (size_t i = 0; i < rewriter->count; i++)
    free(rewriter->lines[i]);
  rewriter->count = 0;
  rewriter->in_report = false;
}

static void hold(struct rewriter *rewriter, const char *line, size_t length) {
  if (rewriter->count == rewriter->room) {
    rewriter->room = rewriter->room * 2 + 64;
    rewriter->lines = must_alloc(rewriter->lines, rewriter->room * sizeof *rewriter->lines);
  }
  rewriter->lines[rewriter->count++] = must_copy(line, length);
}

void rewriter_line(struct rewriter *rewriter, const char *text, size_t length) {
  struct frame_line frame;
  size_t unused;
  struct place place;
  char *line = must_copy(text, length);
  if (strlen(line) != length) { // not text
    rewriter_flush(rewriter);
    fwrite(text, 1, length, stdout);
  } else if (line_starts_report(line)) {
    rewriter_flush(rewriter);
    rewriter->in_report = true;
    hold(rewriter, line, length);
  } else if (rewriter->in_report) {
    hold(rewriter, line, length);
    if (line_ends_report(line) || rewriter->count >= REPORT_MAX_LINES)
      rewriter_flush(rewriter);
  } else if (frame_parse(line, &frame)) {
    hold(rewriter, line, length);
  } else {
    rewriter_flush(rewriter);
    hold(rewriter, line, length);
    if (summary_parse(line, &unused, &place) || strstr(line, "Location is global"))
      rewriter_flush(rewriter);
    else {
      fputs(line, stdout);
      free(rewriter->lines[--rewriter->count]);
    }
  }
  free(line);
}

void rewriter_end(struct rewriter *rewriter) {
  rewriter_flush(rewriter);
  symbolizer_end(&rewriter->sources.symbolizer);
  modules_clear(&rewriter->sources.modules);
  wrappers_clear(&rewriter->sources.wrappers);
  free(rewriter->lines);
}
