// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in texts that reach a terminal or the log of a CI system: control characters (C0, DEL, C1
// as UTF-8), marks that change the layout of a text, bytes that are no UTF-8 and the first # of
// "##[" and "##vso[" are written as \n, \t or \x1b. Letters of any language stay. tools/printable
// has the same rules.

#include "base/rsan_json.h"
#include "port/rsan_tsan.h"

namespace __sanitizer {

// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069 show a text in another order; U+2028
// and U+2029 end a line.
static bool IsLayoutMark(const u8 *at, uptr length) {
  if (length == 2)
    return at[0] == 0xd8 && at[1] == 0x9c;
  if (length != 3 || at[0] != 0xe2)
    return false;
  if (at[1] == 0x81)
    return at[2] >= 0xa6 && at[2] <= 0xa9;
  return at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae));
}

// "##[error]" or "##vso[task.setvariable ...]", in any place of a line.
static bool IsLogCommand(const u8 *at) {
  if (at[0] != '#' || at[1] != '#')
    return false;
  for (at += 2; *at >= 'a' && *at <= 'z'; at++)
    ;
  return *at == '[';
}

static bool IsControl(const u8 *at, uptr length) {
  return length == 0 || at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0) ||
         IsLayoutMark(at, length) || IsLogCommand(at);
}

static void AppendEscaped(InternalScopedString *text, u8 byte) {
  if (byte == '\n')
    text->Append("\\n");
  else if (byte == '\t')
    text->Append("\\t");
  else
    text->AppendF("\\x%02x", byte);
}

static bool IsPrintable(const char *text) {
  for (const u8 *at = (const u8 *)text; *at;) {
    uptr length = __tsan::RsanSequenceLength(at);
    if (IsControl(at, length))
      return false;
    at += length;
  }
  return true;
}

// Such names are rare: a copy stays for as long as the process.
const char *Printable(const char *text) {
  if (!text || IsPrintable(text))
    return text;
  InternalScopedString escaped;
  for (const u8 *at = (const u8 *)text; *at;) {
    uptr length = __tsan::RsanSequenceLength(at);
    bool escapes = IsControl(at, length);
    for (uptr i = 0; i < Max<uptr>(length, 1); i++, at++)
      if (escapes)
        AppendEscaped(&escaped, *at);
      else
        escaped.AppendF("%c", *at);
  }
  return internal_strdup(escaped.data());
}

// Escapes the first `length` bytes of a text that may be longer; at most 200, because a message is
// one line.
const char *Printable(const char *text, uptr length) {
  InternalScopedString part;
  part.AppendF("%.*s", static_cast<int>(Min<uptr>(length, 200)), text);
  return Printable(internal_strdup(part.data()));
}

// Escapes the names before a frame is rendered, because the rendered text also contains newlines
// and colours from stack_trace_format=, which must not be escaped.
AddressInfo PrintableNames(const AddressInfo &info) {
  AddressInfo names = info;
  names.module = const_cast<char *>(Printable(info.module));
  names.function = const_cast<char *>(Printable(info.function));
  names.file = const_cast<char *>(Printable(info.file));
  return names;
}

} // namespace __sanitizer
