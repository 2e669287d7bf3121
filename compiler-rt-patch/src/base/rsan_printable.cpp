// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in texts that reach a terminal: control characters (C0, DEL, C1 as UTF-8) and bytes that
// are no UTF-8 are written as \n, \t or \x1b. Letters of any language stay.

#include "base/rsan_json.h"
#include "port/rsan_tsan.h"

namespace __sanitizer {

static bool IsControl(const u8 *at, uptr length) {
  return length == 0 || at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
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
