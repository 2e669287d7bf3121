// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>

enum { CHECKSUM_DIGITS = 32 };

// Writes the MD5 of the text in hexadecimal digits, as line tables have it.
void checksum_text(const char *text, size_t size, char digits[CHECKSUM_DIGITS + 1]);

#endif
