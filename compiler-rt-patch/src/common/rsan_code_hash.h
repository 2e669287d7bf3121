// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash by which a schedule names the build of its program: the runtime hashes the code that is
// mapped, and `rsan replay' hashes the same segments of the file. C without libraries.

#ifndef RSAN_CODE_HASH_H
#define RSAN_CODE_HASH_H

#include "rsan_source_name.h"

// Adds a segment of code to a hash that begins as RSAN_HASH_START. Bytes behind the last whole word
// do not count.
static inline uint64_t rsan_hash_code(uint64_t hash, const void *code, uint64_t size) {
  const char *at = (const char *)code;
  uint64_t word;
  for (uint64_t i = 0; i + sizeof word <= size; i += sizeof word) {
    __builtin_memcpy(&word, at + i, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u; // FNV-1a, by words
  }
  return hash;
}

#endif
