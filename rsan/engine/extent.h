// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of a location an access has, where accesses have several sizes. Byte 0 is the one at
// the lowest address, and the lowest one of a value (little endian).

#ifndef RSAN_ENGINE_EXTENT_H
#define RSAN_ENGINE_EXTENT_H

#include "../condition.h"
#include "../limits.h"

// `size`: 1, 2, 4, 8 or 16.
struct rsan_extent {
  uint32_t offset, size;
};

// In one byte, for a version.
static inline uint8_t rsan_extent_pack(struct rsan_extent extent) {
  return (uint8_t)(extent.offset | (uint32_t)__builtin_ctz(extent.size) << 4);
}
static inline struct rsan_extent rsan_extent_unpack(uint8_t packed) {
  return (struct rsan_extent){packed & 15u, 1u << (packed >> 4)};
}

// A bit for each byte.
static inline uint32_t rsan_extent_bytes(struct rsan_extent extent) {
  return ((1u << extent.size) - 1) << extent.offset;
}

// Moves a value up, or down, by that number of bytes.
static inline struct rsan_value rsan_value_up(struct rsan_value value, uint32_t bytes) {
  uint32_t bits = 8 * (bytes % 8);
  if (bytes >= 8)
    return (struct rsan_value){0, value.low << bits};
  return (struct rsan_value){value.low << bits,
                             bits ? value.high << bits | value.low >> (64 - bits) : value.high};
}
static inline struct rsan_value rsan_value_down(struct rsan_value value, uint32_t bytes) {
  uint32_t bits = 8 * (bytes % 8);
  if (bytes >= 8)
    return (struct rsan_value){value.high >> bits, 0};
  return (struct rsan_value){bits ? value.low >> bits | value.high << (64 - bits) : value.low,
                             value.high >> bits};
}

// All bits of these bytes.
static inline struct rsan_value rsan_value_mask(uint32_t bytes) {
  uint64_t half[2] = {0, 0};
  for (uint32_t i = 0; i < RSAN_MIXED_BYTES; i++)
    if (bytes >> i & 1)
      half[i / 8] |= (uint64_t)0xff << 8 * (i % 8);
  return (struct rsan_value){half[0], half[1]};
}

// Returns `value` with these bytes replaced by those of `other`.
static inline struct rsan_value rsan_value_with(struct rsan_value value, struct rsan_value other,
                                                uint32_t bytes) {
  struct rsan_value mask = rsan_value_mask(bytes);
  return (struct rsan_value){(value.low & ~mask.low) | (other.low & mask.low),
                             (value.high & ~mask.high) | (other.high & mask.high)};
}

// Returns the bytes of the extent, moved down to byte 0, as the access sees them.
static inline struct rsan_value rsan_value_of(struct rsan_value value, struct rsan_extent extent) {
  struct rsan_value nothing = {0, 0}, all = rsan_value_down(value, extent.offset);
  return rsan_value_with(nothing, all, rsan_extent_bytes((struct rsan_extent){0, extent.size}));
}

#endif
