// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this folder share.

#ifndef RSAN_WEAK_RING_H
#define RSAN_WEAK_RING_H

#include "weak.h"

// From 0, the oldest that is kept.
static inline struct rsan_weak_version *
rsan_weak_version_at(const struct rsan_weak_location *location, uint32_t i) {
  return &location->at[(location->oldest + i) % location->room];
}

// The newest version of which an event of S has a record.
static inline uint64_t rsan_weak_newest_in_s(const struct rsan_location *location) {
  if (!location->s)
    return 0;
  const struct rsan_records *records = &location->s->records;
  return records->count ? rsan_records_newest(records)->version : records->base;
}

#endif
