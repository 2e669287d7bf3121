// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checksum.h"

#include <stdint.h>
#include <sys/types.h>

#include <md5.h>

void checksum_text(const char *text, size_t size, char digits[CHECKSUM_DIGITS + 1]) {
  MD5Data((const uint8_t *)text, size, digits);
}
