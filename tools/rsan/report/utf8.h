// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of any origin as text that every output format takes.

#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

// A copy in which what is no UTF-8, and NUL, is U+FFFD, and the escape sequences of colours and the
// line's end are left out.
char *utf8_clean(const char *text, size_t length);

#endif
