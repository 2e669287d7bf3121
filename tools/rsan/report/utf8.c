// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "utf8.h"

#include <stdbool.h>
#include <string.h>

#include "complain.h"

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

// The length of an escape sequence \033[...m; 0: none is there.
static size_t colour(const char *at, size_t length) {
  size_t i = 2;
  if (length < 3 || at[0] != '\033' || at[1] != '[')
    return 0;
  while (i < length && strchr("0123456789;", at[i]) && at[i])
    i++;
  return i < length && at[i] == 'm' ? i + 1 : 0;
}

char *utf8_clean(const char *text, size_t length) {
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
    length--;
  char *clean = must_alloc(NULL, 3 * length + 1), *to = clean;
  for (size_t i = 0; i < length;) {
    size_t skip = colour(text + i, length - i), size = utf8_sequence(text + i, length - i);
    if (skip > 0) {
      i += skip;
    } else if (size > 0 && text[i] != '\0') {
      memcpy(to, text + i, size);
      to += size;
      i += size;
    } else {
      memcpy(to, "\xef\xbf\xbd", 3);
      to += 3;
      i++;
    }
  }
  *to = '\0';
  return clean;
}
