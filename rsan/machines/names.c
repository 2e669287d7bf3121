// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "names.h"

#include "../host.h"

static const struct rsan_target_name names[] = {
    {RSAN_TARGET_C11, RSAN_TARGET_C11, "c11", "C11"},
    {RSAN_TARGET_X86, RSAN_TARGET_X86, "x86", "x86-64"},
    {RSAN_TARGET_ARM, RSAN_TARGET_ARM_DEFINITE, "armv8", "ARMv8"},
};

const struct rsan_target_name *rsan_target_at(unsigned index) {
  return index < sizeof names / sizeof *names ? &names[index] : 0;
}

const char *rsan_target_answer(const struct rsan_target_name *target, uint32_t shown) {
  return shown & target->definite ? "yes" : shown & target->bit ? "may" : "no";
}

static bool is_separator(char c) {
  return c == '+' || c == ',';
}

// Is `name` the next word? Moves on behind it.
static bool take_word(const char **text, const char *name) {
  const char *at = *text;
  while (*name && *at == *name) {
    at++;
    name++;
  }
  if (*name || (*at && !is_separator(*at) && *at != '-'))
    return false;
  *text = at;
  return true;
}

// How ARMv8 is translated to: each of the two choices once at most.
static uint32_t take_mapping(const char **text) {
  static const struct {
    char word[8];
    uint32_t bits;
  } words[] = {
      {"-ldar", RSAN_TARGET_ARM_LDAR}, {"-ldapr", 0}, {"-lse", RSAN_TARGET_ARM_LSE}, {"-llsc", 0}};
  bool taken[2] = {false, false};
  uint32_t bits = 0;
  for (unsigned i = 0; i < 4; i++)
    if (!taken[i / 2] && take_word(text, words[i].word)) {
      taken[i / 2] = true;
      bits |= words[i].bits;
      i = (unsigned)-1;
    }
  return bits;
}

bool rsan_targets_parse(const char *text, uint32_t *targets) {
  uint32_t found = 0;
  for (;;) {
    uint32_t before = found;
    for (unsigned i = 0; i < sizeof names / sizeof *names && found == before; i++)
      if (!(found & names[i].bit) && take_word(&text, names[i].option))
        found |= names[i].bit | (names[i].bit == RSAN_TARGET_ARM ? take_mapping(&text) : 0);
    if (found == before || (*text && !is_separator(*text)))
      return false;
    if (!*text)
      break;
    text++;
  }
  *targets = found;
  return true;
}

static uint32_t append(char *text, uint32_t size, uint32_t at, const char *what) {
  for (; *what && at + 1 < size; what++)
    text[at++] = *what;
  text[at] = 0;
  return at;
}

void rsan_targets_describe(uint32_t asked, uint32_t shown, char *text, uint32_t size) {
  uint32_t at = 0;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (!((asked | RSAN_TARGET_C11) & names[i].bit))
      continue;
    const char *answer = rsan_target_answer(&names[i], shown);
    const char *words[] = {at ? ", " : "", names[i].printed, " ", answer,
                           answer[0] == 'm' ? " (needs a missing dependency)" : ""};
    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
      at = append(text, size, at, words[w]);
  }
}
