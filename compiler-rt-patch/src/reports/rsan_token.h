// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The token of a report: 64 bits that are equal for reports of the same kind at the same sites,
// over runs and wherever the modules were loaded. C, for the runtime and the tools that read
// reports.
//
// It is FNV-1a over the report's type and its sites, each ended by a newline. A site is
// `module+0xoffset` with the module's base name; `?` if the module is not known. Which frames are
// the sites, and in which order they come, is in docs/FORMATS.md.

#ifndef RSAN_TOKEN_H
#define RSAN_TOKEN_H

#include <stdint.h>

#define RSAN_TOKEN_START 0xcbf29ce484222325u

static inline uint64_t rsan_token_byte(uint64_t token, unsigned char byte) {
  return (token ^ byte) * 0x100000001b3u;
}

static inline uint64_t rsan_token_line(uint64_t token, const char *text) {
  while (*text)
    token = rsan_token_byte(token, (unsigned char)*text++);
  return rsan_token_byte(token, '\n');
}

#endif
