// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/rsan_option_file.h"

#include "base/rsan_shim.h"
#include "port/rsan_tsan.h"

namespace __tsan {

void RsanRefuseLine(const RsanLine &line, const char *text, const char *reason) {
  Printf("ThreadSanitizer: %s:%u: '%.*s' %s\n", Printable(line.file), line.number, 200,
         Printable(text), reason);
  RsanDieUnstarted();
}

static char *SkipBlanks(char *text) {
  while (IsSpace(*text))
    text++;
  return text;
}

char *RsanCutWord(RsanLine *line) {
  char *word = line->rest, *end = word;
  while (*end && !IsSpace(*end))
    end++;
  line->rest = SkipBlanks(end);
  *end = '\0';
  return word;
}

int RsanHexValue(char c) {
  if (IsDigit(c))
    return c - '0';
  c = static_cast<char>(ToLower(c));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool RsanParseModulePoint(char *point, const char **module, uptr *offset) {
  char *plus = internal_strrchr(point, '+');
  if (!plus || plus == point || plus[1] != '0' || plus[2] != 'x' || RsanHexValue(plus[3]) < 0)
    return false;
  *offset = 0;
  const char *digit = plus + 3;
  for (; RsanHexValue(*digit) >= 0; digit++) {
    if (*offset >> (sizeof(*offset) * 8 - 4))
      return false;
    *offset = *offset * 16 + static_cast<uptr>(RsanHexValue(*digit));
  }
  if (*digit)
    return false;
  *plus = '\0';
  *module = point;
  return true;
}

// Cuts off a comment, which stands alone or behind a blank (a path may have a '#'), and blanks.
static char *Strip(char *text) {
  text = SkipBlanks(text);
  for (char *c = text; *c; c++)
    if (*c == '#' && (c == text || IsSpace(c[-1])))
      *c = '\0';
  for (uptr end = internal_strlen(text); end && IsSpace(text[end - 1]); end--)
    text[end - 1] = '\0';
  return text;
}

// The file's text with a zero byte behind it.
static char *Read(const char *option, const char *file, uptr *size) {
  const uptr kMaxSize = 1 << 24;
  char *text;
  uptr buffer_size;
  error_t error = 0;
  if (!ReadFileToBuffer(file, &text, &buffer_size, size, kMaxSize + 1, &error)) {
    Printf("ThreadSanitizer: %s=%s in RSAN_OPTIONS: the file cannot be read (error %d); a relative "
           "path starts at the working folder\n",
           option, Printable(file), error);
    RsanDieUnstarted();
  }
  if (*size > kMaxSize) {
    Printf("ThreadSanitizer: %s=%s in RSAN_OPTIONS: longer than 16 MiB\n", option, Printable(file));
    RsanDieUnstarted();
  }
  char *copy = static_cast<char *>(InternalAlloc(*size + 1));
  internal_memcpy(copy, text, *size);
  copy[*size] = '\0';
  UnmapOrDie(text, buffer_size);
  return copy;
}

void RsanReadLines(const char *option, const char *file,
                   void (*take)(RsanLine line, void *argument), void *argument) {
  uptr size;
  char *text = Read(option, file, &size);
  RsanLine line = {file, 0, nullptr};
  for (char *at = text, *next; at < text + size; at = next) {
    char *end = static_cast<char *>(internal_memchr(at, '\n', text + size - at));
    if (!end)
      end = text + size;
    *end = '\0';
    next = end + 1;
    line.number++;
    if (internal_strlen(at) != static_cast<uptr>(end - at))
      RsanRefuseLine(line, at, "is followed by a zero byte: not a text file");
    line.rest = Strip(at);
    if (*line.rest)
      take(line, argument);
  }
}

bool RsanNamesPoint(const char *named, uptr named_offset, const char *module, uptr offset) {
  return (named_offset == offset || named_offset == offset + 1) &&
         (!internal_strcmp(named, module) || !internal_strcmp(named, StripModuleName(module)));
}

} // namespace __tsan
