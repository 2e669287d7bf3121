// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the rules. Each line is cut into words in place; a line that is no rule is named with the
// reason, and ends the process before the program starts.

#include "simulation/rsan_simulate_file.h"

#include "reports/rsan_source_name.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_libc.h"

namespace __tsan {

namespace {

struct Line {
  const char *file;
  u32 number;
  char *rest; // of the line, blanks before it and behind it cut off
};

} // namespace

// `text` may be anything.
NORETURN static void Refuse(const Line &line, char *text, const char *reason) {
  Printf("ThreadSanitizer: %s:%u: '%.*s' %s\n", Printable(line.file), line.number, 200,
         Printable(text), reason);
  Die();
}

static char *SkipBlanks(char *text) {
  while (IsSpace(*text))
    text++;
  return text;
}

// The next word; `line.rest` is then what follows it.
static char *CutWord(Line *line) {
  char *word = line->rest, *end = word;
  while (*end && !IsSpace(*end))
    end++;
  line->rest = SkipBlanks(end);
  *end = '\0';
  return word;
}

static rsan_order ParseOrder(const Line &line, char *word) {
  static const struct {
    const char *name;
    rsan_order order;
  } orders[] = {{"acquire", RSAN_ACQUIRE},
                {"release", RSAN_RELEASE},
                {"acq_rel", RSAN_ACQ_REL},
                {"seq_cst", RSAN_SEQ_CST}};
  for (const auto &known : orders)
    if (!internal_strcmp(word, known.name))
      return known.order;
  Refuse(line, word, "is no order: acquire, release, acq_rel or seq_cst");
}

// -1: not a hexadecimal digit.
static int HexValue(char c) {
  if (IsDigit(c))
    return c - '0';
  c = static_cast<char>(ToLower(c));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// MODULE+0xOFFSET, by its last "+0x"; cuts it there.
static bool ParseModulePoint(char *point, RsanRule *rule) {
  char *plus = internal_strrchr(point, '+');
  if (!plus || plus == point || plus[1] != '0' || plus[2] != 'x' || HexValue(plus[3]) < 0)
    return false;
  uptr offset = 0;
  const char *digit = plus + 3;
  for (; HexValue(*digit) >= 0; digit++) {
    if (offset >> (sizeof(offset) * 8 - 4))
      return false;
    offset = offset * 16 + static_cast<uptr>(HexValue(*digit));
  }
  if (*digit)
    return false;
  *plus = '\0';
  rule->path = point;
  rule->offset = offset;
  return true;
}

// The number behind the last colon, from 1 on, which is cut off; 0: there is none.
static int CutNumber(char *text) {
  const int kMax = 1 << 30;
  char *colon = internal_strrchr(text, ':');
  if (!colon || colon == text || !IsDigit(colon[1]))
    return 0;
  int number = 0;
  for (const char *digit = colon + 1; *digit; digit++) {
    if (!IsDigit(*digit) || number > kMax / 10)
      return 0;
    number = number * 10 + (*digit - '0');
  }
  if (number)
    *colon = '\0';
  return number;
}

// FILE:LINE or FILE:LINE:COLUMN; cuts them off.
static bool ParseSourcePoint(char *point, RsanRule *rule) {
  int last = CutNumber(point);
  if (!last)
    return false;
  int first = CutNumber(point);
  rule->path = rsan_normal_path(point, point, internal_strlen(point) + 2);
  rule->line = first ? first : last;
  rule->column = first ? last : 0;
  return *point != '\0';
}

static RsanRule ParseRule(Line line) {
  RsanRule rule = {};
  rule.stands_at = line.number;
  char *word = CutWord(&line);
  if (!internal_strcmp(word, "fence-before"))
    rule.repair.before = true;
  else if (!internal_strcmp(word, "fence-after"))
    rule.repair.after = true;
  else if (!internal_strcmp(word, "order"))
    rule.repair.order = ParseOrder(line, CutWord(&line));
  else
    Refuse(line, word,
           "begins no rule: fence-before POINT, fence-after POINT or order ORDER POINT");
  if (!ParseModulePoint(line.rest, &rule) && !ParseSourcePoint(line.rest, &rule))
    Refuse(line, line.rest, "is no program point: module+0xOFFSET or file:LINE[:COLUMN]");
  return rule;
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

void RsanReadRules(const char *file, Vector<RsanRule> *rules) {
  const uptr kMaxSize = 1 << 24;
  char *text;
  uptr buffer_size, size;
  error_t error = 0;
  if (!ReadFileToBuffer(file, &text, &buffer_size, &size, kMaxSize + 1, &error) ||
      size > kMaxSize) {
    Printf(size > kMaxSize ? "ThreadSanitizer: simulate=%s in RSAN_OPTIONS: longer than 16 MiB\n"
                           : "ThreadSanitizer: simulate=%s in RSAN_OPTIONS: the file cannot be "
                             "read (error %d); a relative path starts at the working folder\n",
           file, error);
    Die();
  }
  char *copy = static_cast<char *>(InternalAlloc(size + 1));
  internal_memcpy(copy, text, size);
  copy[size] = '\0';
  UnmapOrDie(text, buffer_size);
  Line line = {file, 0, nullptr};
  for (char *at = copy, *next; at < copy + size; at = next) {
    char *end = static_cast<char *>(internal_memchr(at, '\n', copy + size - at));
    if (!end)
      end = copy + size;
    *end = '\0';
    next = end + 1;
    line.number++;
    if (internal_strlen(at) != static_cast<uptr>(end - at))
      Refuse(line, at, "is followed by a zero byte: not a text file");
    line.rest = Strip(at);
    if (*line.rest)
      rules->PushBack(ParseRule(line));
  }
}

bool RsanIsModule(const RsanRule &rule, const char *module) {
  if (rule.line || !rule.path)
    return false;
  return !internal_strcmp(rule.path, module) ||
         !internal_strcmp(rule.path, StripModuleName(module));
}

bool RsanIsSource(const RsanRule &rule, const char *file, int line, int column) {
  if (!rule.line || rule.line != line || (rule.column && rule.column != column) || !file)
    return false;
  uptr length = internal_strlen(file), wanted = internal_strlen(rule.path);
  if (wanted > length || internal_strcmp(file + length - wanted, rule.path) != 0)
    return false;
  return wanted == length || rule.path[0] == '/' || file[length - wanted - 1] == '/';
}

} // namespace __tsan
