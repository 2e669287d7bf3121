// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verdict of a check with its witness, as plain data: what the core tells the shim.

#ifndef RSAN_VIOLATION_H
#define RSAN_VIOLATION_H

#include <stdint.h>

#include "event.h"

// A write of the location that every sequentially consistent run puts before the access, while no
// happens-before does: a consistent execution exists in which the access comes first.
struct rsan_violation {
  enum rsan_check check;
  uint64_t known;  // newest version that the thread knows by happens-before; 0: the initial value
  uint64_t missed; // the first version above it that the access may miss, > known
  struct rsan_value stale; // value that stood before `missed`: what the access would then find
  struct rsan_value missed_value; // value that `missed` left
  uint32_t site; // `missed`: the host's handle, its thread (host's number), its order
  uint32_t owner;
  enum rsan_order order;
  bool plain;                // `missed` is a plain store, not a read-modify-write
  uint8_t missed_size;       // bytes that `missed` wrote, and where they begin: so many bytes above
  int8_t missed_offset;      // the first byte of the access
  uint8_t shown;             // enum rsan_target: where it can be observed; 0: not asked for
  uint64_t object, position; // of the location and of the access in the log (explain/log.h)
};

#endif
