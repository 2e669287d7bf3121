// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes as text (RFC 4648, base64).

#ifndef UNIT_BYTES_H
#define UNIT_BYTES_H

#include <stddef.h>

// For free().
char *bytes_encode(const unsigned char *bytes, size_t size);

// For free(). NULL: it is no such text.
unsigned char *bytes_decode(const char *text, size_t *size);

#endif
