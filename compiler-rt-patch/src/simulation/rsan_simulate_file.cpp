// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the rules.

#include "simulation/rsan_simulate_file.h"

#include "base/rsan_option_file.h"
#include "common/rsan_source_name.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static rsan_order ParseOrder(const RsanLine &line, char *word) {
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
  RsanRefuseLine(line, word, "is no order: acquire, release, acq_rel or seq_cst");
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

static RsanRule ParseRule(RsanLine line) {
  RsanRule rule = {};
  rule.stands_at = line.number;
  char *word = RsanCutWord(&line);
  if (!internal_strcmp(word, "fence-before"))
    rule.repair.before = true;
  else if (!internal_strcmp(word, "fence-after"))
    rule.repair.after = true;
  else if (!internal_strcmp(word, "order"))
    rule.repair.order = ParseOrder(line, RsanCutWord(&line));
  else
    RsanRefuseLine(line, word,
                   "begins no rule: fence-before POINT, fence-after POINT or order ORDER POINT");
  if (!RsanParseModulePoint(line.rest, &rule.path, &rule.offset) &&
      !ParseSourcePoint(line.rest, &rule))
    RsanRefuseLine(line, line.rest, "is no program point: module+0xOFFSET or file:LINE[:COLUMN]");
  return rule;
}

void RsanReadRules(const char *file, Vector<RsanRule> *rules) {
  RsanReadLines(
      "simulate", file,
      [](RsanLine line, void *into) {
        static_cast<Vector<RsanRule> *>(into)->PushBack(ParseRule(line));
      },
      rules);
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
