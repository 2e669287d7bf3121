// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON on one line, as it is written: commas are the writer's.

#ifndef RSAN_JSON_H
#define RSAN_JSON_H

#include "port/rsan_tsan.h"

namespace __tsan {

using namespace __sanitizer;

// The length of the UTF-8 sequence there; 0: none, or the text's end.
uptr RsanSequenceLength(const u8 *at);

class RsanJson {
public:
  RsanJson() { text_.reserve(1 << 12); }

  void Open(char bracket); // '{' or '['
  void Close(char bracket);
  void Key(const char *name);

  // Values, alone or with the key before them. Text may be any bytes: what is no UTF-8 becomes
  // U+FFFD. Null is written as the empty text.
  void Text(const char *text);
  void Number(u64 value);
  void Bool(bool value);
  void Wide(u64 high, u64 low); // a string, as JSON's own numbers are exact to 53 bits only
  void Text(const char *key, const char *text) { Key(key), Text(text); }
  void Number(const char *key, u64 value) { Key(key), Number(value); }
  void Bool(const char *key, bool value) { Key(key), Bool(value); }
  void Hex(const char *key, u64 value) { Key(key), Wide(0, value); }

  const char *Line(); // what was written

private:
  void Separate(); // before a value or a key
  void Put(char c) { text_.push_back(c); }
  void Put(const char *text);

  InternalMmapVector<char> text_;
};

} // namespace __tsan

#endif
