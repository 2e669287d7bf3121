// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/rsan_json.h"

#include "port/rsan_common.h"

namespace __tsan {

void RsanJson::Put(const char *text) {
  for (; *text; text++)
    Put(*text);
}

void RsanJson::Separate() {
  if (text_.empty())
    return;
  char last = text_.back();
  if (last != '{' && last != '[' && last != ':')
    Put(',');
}

void RsanJson::Open(char bracket) {
  Separate();
  Put(bracket);
}

void RsanJson::Close(char bracket) {
  Put(bracket);
}

void RsanJson::Key(const char *name) {
  Text(name);
  Put(':');
}

// Overlong forms, surrogates and what lies above U+10FFFF are none.
uptr RsanSequenceLength(const u8 *at) {
  static const struct {
    u8 first, last, second_first, second_last, length;
  } kinds[] = {
      {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
  };
  for (const auto &kind : kinds) {
    if (at[0] < kind.first || at[0] > kind.last)
      continue;
    if (kind.length > 1 && (at[1] < kind.second_first || at[1] > kind.second_last))
      return 0;
    for (uptr i = 2; i < kind.length; i++)
      if (at[i] < 0x80 || at[i] > 0xbf)
        return 0;
    return kind.length;
  }
  return 0;
}

void RsanJson::Text(const char *text) {
  Separate();
  Put('"');
  for (const u8 *at = (const u8 *)(text ? text : ""); *at;) {
    uptr length = RsanSequenceLength(at);
    if (length == 0) {
      Put("\xef\xbf\xbd");
      at++;
    } else if (*at < 0x20 || *at == 0x7f) {
      char escape[8];
      internal_snprintf(escape, sizeof(escape), "\\u%04x", *at++);
      Put(escape);
    } else {
      if (*at == '"' || *at == '\\')
        Put('\\');
      while (length-- > 0)
        Put((char)*at++);
    }
  }
  Put('"');
}

void RsanJson::Number(u64 value) {
  char digits[24];
  internal_snprintf(digits, sizeof(digits), "%llu", value);
  Separate();
  Put(digits);
}

void RsanJson::Bool(bool value) {
  Separate();
  Put(value ? "true" : "false");
}

void RsanJson::Wide(u64 high, u64 low) {
  char digits[48];
  if (high)
    internal_snprintf(digits, sizeof(digits), "\"0x%llx%016llx\"", high, low);
  else
    internal_snprintf(digits, sizeof(digits), "\"0x%llx\"", low);
  Separate();
  Put(digits);
}

const char *RsanJson::Line() {
  if (text_.empty() || text_.back())
    Put('\0');
  return text_.data();
}

} // namespace __tsan
