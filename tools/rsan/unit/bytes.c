// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bytes.h"

#include <stdint.h>
#include <string.h>

#include "need.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *bytes_encode(const unsigned char *bytes, size_t size) {
  char *text = need(malloc((size + 2) / 3 * 4 + 1)), *to = text;
  for (size_t at = 0; at < size; at += 3) {
    uint32_t group = (uint32_t)bytes[at] << 16;
    group |= at + 1 < size ? (uint32_t)bytes[at + 1] << 8 : 0;
    group |= at + 2 < size ? bytes[at + 2] : 0;
    *to++ = digits[group >> 18];
    *to++ = digits[group >> 12 & 63];
    *to++ = at + 1 < size ? digits[group >> 6 & 63] : '=';
    *to++ = at + 2 < size ? digits[group & 63] : '=';
  }
  *to = 0;
  return text;
}

unsigned char *bytes_decode(const char *text, size_t *size) {
  size_t length = strlen(text), padding = 0, used = 0;
  while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
    padding++;
  if (length % 4)
    return NULL;
  unsigned char *bytes = need(malloc(length / 4 * 3 + 1));
  for (size_t at = 0; at < length; at += 4) {
    uint32_t group = 0;
    for (size_t i = at; i < at + 4; i++) {
      const char *digit = i < length - padding ? strchr(digits, text[i]) : digits;
      if (!digit) {
        free(bytes);
        return NULL;
      }
      group = group << 6 | (uint32_t)(digit - digits);
    }
    bytes[used++] = (unsigned char)(group >> 16);
    bytes[used++] = (unsigned char)(group >> 8);
    bytes[used++] = (unsigned char)group;
  }
  *size = used - padding;
  return bytes;
}
