// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "frame.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "complain.h"

static const char unknown[] = "<null> <null> ";
static const char build_id_mark[] = " (BuildId: ";

const char *line_end(const char *line) {
  const char *end = line + strlen(line);
  while (end > line && strchr(" \t\r\n", end[-1]))
    end--;
  return end;
}

// Skips a text; NULL: something else stands there.
static const char *after(const char *at, const char *text) {
  size_t length = strlen(text);
  return strncmp(at, text, length) == 0 ? at + length : NULL;
}

static const char *skip_hex(const char *at) {
  while (isxdigit((unsigned char)*at))
    at++;
  return at;
}

// Takes a trailing ` (BuildId: ...)` off [begin, *end).
static void parse_build_id(const char *begin, const char **end, struct place *place) {
  const char *close = *end - 1;
  if (close <= begin || *close != ')')
    return;
  const char *hex = close;
  while (hex > begin && isxdigit((unsigned char)hex[-1]))
    hex--;
  size_t mark = sizeof build_id_mark - 1;
  if (hex == close || (size_t)(hex - begin) < mark || !after(hex - mark, build_id_mark))
    return;
  place->build_id = hex;
  place->build_id_length = (size_t)(close - hex);
  *end = hex - mark;
}

// Is [begin, end) a place and nothing else? The module's name may hold blanks and parentheses, so
// it is taken from both ends. If it is none, *PLACE is not changed.
static bool parse_place(const char *begin, const char *end, struct place *place) {
  struct place found = {0};
  parse_build_id(begin, &end, &found);
  if (end - begin < 6 || *begin != '(' || end[-1] != ')')
    return false;
  const char *hex = end - 1;
  while (hex > begin && isxdigit((unsigned char)hex[-1]))
    hex--;
  // The loop has found the `12` of `+0x12`.
  if (hex == end - 1 || hex - begin < 5 || !after(hex - 3, "+0x"))
    return false;
  found.module = begin + 1;
  found.module_length = (size_t)(hex - 3 - found.module);
  found.offset = strtoull(hex, NULL, 16);
  *place = found;
  return true;
}

// The first parenthesis that starts a place: texts before it may hold parentheses too.
static const char *find_place(const char *at, const char *end, struct place *place) {
  while ((at = strstr(at, " (")) && at < end) {
    at++;
    if (parse_place(at, end, place))
      return at;
  }
  return NULL;
}

bool source_parse(const struct frame_line *frame, struct source_text *source) {
  const char *begin = frame->text + frame->body, *end = frame->text + frame->end;
  // Functions' names have parentheses as well, modules' seldom: the last that starts a place does.
  const char *place_at = NULL;
  for (const char *at = end; at > begin && !place_at; at--)
    if (*at == '(' && at[-1] == ' ' && parse_place(at, end, &source->place))
      place_at = at;
  const char *address = after(begin, "0x");
  if (address && (address = after(skip_hex(address), " in "))) // of other formats
    begin = address;
  source->has_place = place_at != NULL;
  if (place_at)
    end = place_at - 1;
  // Functions' names have blanks, paths seldom.
  const char *slash = strstr(begin, " /"), *blank = end;
  while (blank > begin && blank[-1] != ' ')
    blank--;
  const char *file = slash && slash < end ? slash + 1 : blank;
  if (file <= begin || end <= file)
    return false;
  source->function = begin;
  source->function_length = (size_t)(file - 1 - begin);
  source->position = file;
  source->position_length = (size_t)(end - file);
  return true;
}

const char *place_find(const char *text, const char **end, struct place *place) {
  for (const char *plus = text; (plus = strstr(plus, "+0x")); plus++) {
    const char *close = skip_hex(plus + 3), *open = text;
    while (open < plus && (*open != '(' || (open > text && open[-1] != ' ')))
      open++; // the first, as names of modules may have blanks and parentheses
    if (*close == ')' && open < plus && parse_place(open, close + 1, place)) {
      *end = close + 1;
      return open;
    }
  }
  return NULL;
}

// Is the frame's body raw?
static bool parse_raw(const char *body, const char *end, struct place *place) {
  const char *at = after(body, unknown);
  if (!at && (at = after(body, "0x"))) {
    const char *digits = at;
    at = skip_hex(at);
    if (at == digits || *at != ' ')
      return false;
    at += strspn(at, " ");
  }
  return at && parse_place(at, end, place);
}

bool frame_parse(const char *line, struct frame_line *frame) {
  const char *end = line_end(line);
  for (const char *mark = line; (mark = strchr(mark, '#')); mark++) {
    const char *digits = mark + 1, *at = digits + strspn(digits, "0123456789");
    if (at == digits || at - digits > 6 || *at != ' ' || at >= end)
      continue;
    *frame = (struct frame_line){.text = line,
                                 .prefix = (size_t)(mark - line),
                                 .number = (unsigned)strtoul(digits, NULL, 10),
                                 .body = (size_t)(at + 1 - line),
                                 .end = (size_t)(end - line)};
    frame->raw = parse_raw(at + 1, end, &frame->place);
    return true;
  }
  return false;
}

bool summary_parse(const char *line, size_t *place_at, struct place *place) {
  const char *at = strstr(line, "SUMMARY: ThreadSanitizer: "), *end = line_end(line);
  at = at ? find_place(at, end, place) : NULL;
  if (at)
    *place_at = (size_t)(at - line);
  return at;
}

bool location_parse(const char *line, size_t *name_at, uint64_t *address, struct place *place) {
  static const char raw[] = "Location is global '<null>' at 0x";
  const char *at = strstr(line, raw);
  if (!at)
    return false;
  const char *digits = at + sizeof raw - 1, *space = skip_hex(digits);
  *name_at = (size_t)(strchr(at, '\'') - line);
  *address = strtoull(digits, NULL, 16);
  return space > digits && *space == ' ' && parse_place(space + 1, line_end(line), place);
}

bool line_starts_report(const char *line) {
  return strstr(line, "WARNING: ThreadSanitizer: ") || strstr(line, "ERROR: ThreadSanitizer: ");
}

bool line_ends_report(const char *line) {
  static const char rule[] = "==================";
  const char *end = line_end(line);
  return strstr(line, "SUMMARY: ThreadSanitizer: ") ||
         ((size_t)(end - line) >= sizeof rule - 1 && after(end - (sizeof rule - 1), rule));
}

const char *strip_interceptor(const char *function) {
  const char *at = after(function, "___interceptor_");
  if (!at)
    at = after(function, "__interceptor_");
  return at ? at : function;
}

const char *strip_prefix(const char *file, const char *prefix) {
  const char *found = strstr(file, prefix);
  if (found)
    file = found + strlen(prefix);
  return after(file, "./") ? file + 2 : file;
}

const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *normal_path(const char *path) {
  size_t size = strlen(path) + 2;
  return rsan_normal_path(path, must_alloc(NULL, size), size);
}

// As the runtime's sanitizer_symbolizer_report.cpp: Rust's standard library, RSan's header.
static bool is_of_rust_or_header(const char *file) {
  const char *name = base_name(file), *rust = strstr(file, "rust");
  return strcmp(name, "rsan.h") == 0 || strcmp(name, "rsan_operations.h") == 0 ||
         (rust && (strstr(rust, "/library/core/src/") || strstr(rust, "/library/std/src/") ||
                   strstr(rust, "/library/alloc/src/")));
}

bool frame_is_internal(const char *file, const char *module) {
  if (file &&
      (strstr(file, "/compiler-rt/lib/") || after(file, "compiler-rt/lib/") ||
       strstr(file, "/include/c++/") || strstr(file, "/include/g++") || is_of_rust_or_header(file)))
    return true;
  return module && strstr(module, "clang_rt.");
}

bool strips_last(const char *before_last, const char *last) {
  static const char *const outer[] = {"__tsan_thread_start_func", "__do_global_ctors_aux",
                                      "__libc_csu_init", "__libc_start_main"};
  if (before_last && strcmp(before_last, "main") == 0)
    return true;
  for (size_t i = 0; last && i < sizeof outer / sizeof outer[0]; i++)
    if (strcmp(last, outer[i]) == 0)
      return true;
  return false;
}

void frame_print_prefix(const struct frame_line *frame, bool with_colours, FILE *out) {
  const char *at = frame->text, *end = frame->text + frame->prefix;
  while (at < end) {
    const char *escape = with_colours ? NULL : strchr(at, '\033');
    const char *stop = escape && escape < end ? escape : end;
    fwrite(at, 1, (size_t)(stop - at), out);
    at = stop;
    if (at < end) // \033[...m
      at += strcspn(at, "m") + 1;
  }
}
