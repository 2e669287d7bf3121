// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compact clocks, the default engine: algorithm section 3.
//
//   thread    VS   SC view: what every SC run puts before the thread's next step, as SC indices
//                  (numbers of writes) by thread
//   location  WS   SC view of the newest write,  MS  of all accesses
//             the history (history.h) and the records (records.h)
//
// A version is SC-visible to a thread when its writer's SC index is in VS; the visible versions are
// a prefix of the modification order. The happens-before view Vc is race/hb.h's.

#ifndef RSAN_LC_COMPACT_H
#define RSAN_LC_COMPACT_H

#include "../clock.h"
#include "../race/hb.h"
#include "../thread_index.h"
#include "history.h"
#include "records.h"

struct rsan_compact_location {
  struct rsan_clock w, m;
  struct rsan_records records;
};

// The check: a pure function. Returns the version that `access` may miss, or NULL, and in `known`
// the newest version known by happens-before. `floors` are the SC indices under which a version of
// a forcibly reused thread index counts as not visible (thread_index.h).
const struct rsan_version *rsan_compact_check(const struct rsan_hb *hb, const struct rsan_clock *vs,
                                              const struct rsan_compact_location *location,
                                              const struct rsan_history *history,
                                              const struct rsan_index_table *indices,
                                              const struct rsan_access *access, uint64_t *known);

// The SC half of the update. Returns the SC index for the version, if the access makes one.
uint64_t rsan_compact_update(const struct rsan_hb *hb, struct rsan_clock *vs,
                             struct rsan_compact_location *location,
                             const struct rsan_access *access);

void rsan_compact_location_clear(struct rsan_compact_location *location);

#endif
