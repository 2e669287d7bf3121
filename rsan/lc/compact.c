// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compact.h"

#include "../host.h"

const struct rsan_version *rsan_compact_check(const struct rsan_hb *hb, const struct rsan_clock *vs,
                                              const struct rsan_compact_location *location,
                                              const struct rsan_history *history,
                                              const struct rsan_index_table *indices,
                                              const struct rsan_access *access, uint64_t *known) {
  *known = rsan_records_known(&location->records, &hb->c);
  // The visible versions are a prefix, so the first one that matters decides. (Under a floor the
  // prefix has holes; taking the first alone then misses violations and invents none.)
  const struct rsan_version *first = rsan_history_first(history, *known, access);
  bool visible = first && rsan_clock_get(vs, first->writer) >= first->sc_index &&
                 first->sc_index > rsan_index_floor(indices, first->writer);
  return visible ? first : 0;
}

uint64_t rsan_compact_update(const struct rsan_hb *hb, struct rsan_clock *vs,
                             struct rsan_compact_location *location,
                             const struct rsan_access *access) {
  if (access->kind == RSAN_READ) {
    rsan_clock_join(vs, &location->w);
    rsan_clock_join(&location->m, vs);
    return 0;
  }
  rsan_clock_tick(vs, hb->index);
  rsan_clock_join(vs, &location->m);
  rsan_clock_assign(&location->m, vs);
  rsan_clock_assign(&location->w, vs);
  return rsan_clock_get(vs, hb->index);
}

void rsan_compact_location_clear(struct rsan_compact_location *location) {
  rsan_clock_clear(&location->w);
  rsan_clock_clear(&location->m);
  rsan_records_clear(&location->records);
}
