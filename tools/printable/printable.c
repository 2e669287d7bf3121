// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "printable.h"

#include <stdlib.h>
#include <string.h>

static bool follows(unsigned char byte) {
  return byte >= 0x80 && byte <= 0xbf;
}

// Overlong forms, surrogates and what lies above U+10FFFF are no sequences.
size_t utf8_sequence(const char *text, size_t length) {
  const unsigned char *at = (const unsigned char *)text;
  if (length >= 1 && at[0] < 0x80)
    return 1;
  if (length < 2 || !follows(at[1]) || at[0] < 0xc2 || at[0] > 0xf4)
    return 0;
  if (at[0] < 0xe0)
    return 2;
  if (length < 3 || !follows(at[2]))
    return 0;
  if (at[0] < 0xf0)
    return (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ? 0 : 3;
  if (length < 4 || !follows(at[3]))
    return 0;
  return (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f) ? 0 : 4;
}

size_t layout_mark(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  if (at[0] == 0xd8 && at[1] == 0x9c)
    return 2;
  if (at[0] != 0xe2 || (at[1] != 0x80 && at[1] != 0x81))
    return 0;
  bool mark = at[1] == 0x81 ? at[2] >= 0xa6 && at[2] <= 0xa9
                            : at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae);
  return mark ? 3 : 0;
}

// "##[error]" or "##vso[task.setvariable ...]", in any place of a line.
static bool is_log_command(const char *text) {
  return text[0] == '#' && text[1] == '#' &&
         text[2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz")] == '[';
}

static bool is_control(const char *text, size_t length) {
  const unsigned char *at = (const unsigned char *)text;
  return length == 0 || layout_mark(text) || is_log_command(text) || at[0] < 0x20 ||
         at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

bool is_printable(const char *text) {
  for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
    length = utf8_sequence(text, left);
    if (is_control(text, length))
      return false;
  }
  return true;
}

static void escape(unsigned char byte, FILE *out) {
  if (byte == '\n')
    fputs("\\n", out);
  else if (byte == '\t')
    fputs("\\t", out);
  else
    fprintf(out, "\\x%02x", byte);
}

static void put(const char *text, bool lines, FILE *out) {
  for (size_t left = strlen(text); left > 0;) {
    size_t length = utf8_sequence(text, left), bytes = length ? length : 1;
    bool escapes = is_control(text, length) && !(lines && *text == '\n');
    for (size_t i = 0; i < bytes; i++)
      if (escapes)
        escape((unsigned char)text[i], out);
      else
        fputc(text[i], out);
    text += bytes;
    left -= bytes;
  }
}

void put_printable(const char *text, FILE *out) {
  put(text, false, out);
}

void put_printable_lines(const char *text, FILE *out) {
  put(text, true, out);
}

static void give_up(void) {
  fputs("out of memory\n", stderr);
  exit(2);
}

char *printable(const char *text) {
  char *escaped = NULL;
  size_t size;
  FILE *out = open_memstream(&escaped, &size);
  if (!out)
    give_up();
  put_printable(text, out);
  if (fclose(out) != 0)
    give_up();
  return escaped;
}

void print_line_values(FILE *out, const char *format, va_list values) {
  char *text = NULL;
  if (vasprintf(&text, format, values) < 0)
    give_up();
  put_printable(text, out);
  fputc('\n', out);
  free(text);
}

void print_line(FILE *out, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_line_values(out, format, values);
  va_end(values);
}
