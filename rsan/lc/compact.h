// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compact clocks, the default engine: docs/internals/ALGORITHM.md section 2.
//
//   thread    VS   SC view: what every SC run puts before the thread's next step, as SC indices
//                  by thread
//   location  WS   SC view of the newest write,  MS  of all accesses
//             the history (history.h) and the records (records.h)
//
// Deviation from docs/internals/ALGORITHM.md section 2: docs/internals/MODEL.md section 3,
// number 9.

#ifndef RSAN_LC_COMPACT_H
#define RSAN_LC_COMPACT_H

#include "../base/stamp.h"
#include "../base/thread_index.h"
#include "../host.h"
#include "../race/hb.h"
#include "history.h"
#include "records.h"

struct rsan_sc_view {
  struct rsan_stamp vs;
  uint64_t since; // SC index of the first release that had what VS has, its own entry aside
  bool changed;   // since the last release: then there was none
  struct rsan_fast_loads fast;
};

struct rsan_compact_location {
  struct rsan_records records;
  struct rsan_stamp w; // WS
  struct rsan_stamp m; // MS, if there was a read since; empty: MS = WS
};

// Was the last access a write, so that MS is WS?
static inline bool rsan_compact_is_written_last(const struct rsan_compact_location *location) {
  return rsan_stamp_is_empty(&location->m);
}

// Is the version before the thread's next step in every SC run?
static inline bool rsan_compact_is_visible(const struct rsan_sc_view *view,
                                           const struct rsan_index_table *indices,
                                           const struct rsan_version *version) {
  return rsan_stamp_get(&view->vs, version->writer) >= version->sc_index &&
         version->sc_index > rsan_index_sc_floor(indices, version->writer);
}

// The check: a pure function. Returns the version that `access` may miss, or NULL. `known` is T_c;
// `indices` has the floors.
const struct rsan_version *rsan_compact_check(const struct rsan_sc_view *view,
                                              const struct rsan_history *history,
                                              const struct rsan_index_table *indices,
                                              const struct rsan_access *access, uint64_t known);

// The SC half of the update. Returns the SC index for the version, if the access makes one.
uint64_t rsan_compact_update(struct rsan_sc_view *view, struct rsan_compact_location *location,
                             const struct rsan_access *access);

// The thread's SC index moves on, for a release.
static inline void rsan_sc_step(struct rsan_sc_view *view) {
  view->vs.index++;
  if (view->changed) {
    view->since = view->vs.index;
    view->changed = false;
  }
  rsan_fast_view_changed(&view->fast, true);
}

// The update of a read: VS joins WS, and MS joins VS. The second function
// does the latter alone, for a VS that has WS.
void rsan_compact_read(struct rsan_sc_view *view, struct rsan_compact_location *location);
void rsan_compact_show(struct rsan_sc_view *view, struct rsan_compact_location *location);

void rsan_compact_location_restart(struct rsan_compact_location *location);
void rsan_compact_location_clear(struct rsan_compact_location *location);

// VS as it may be released, and VS joins `from`.
const struct rsan_stamp *rsan_sc_release(struct rsan_sc_view *view);
void rsan_sc_join(struct rsan_sc_view *view, const struct rsan_stamp *from);

#endif
