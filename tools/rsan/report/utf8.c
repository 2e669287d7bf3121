// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "utf8.h"

#include <string.h>

#include "complain.h"
#include "printable.h"

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
