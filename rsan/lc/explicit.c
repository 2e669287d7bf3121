// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The listing of docs/internals/ALGORITHM.md section 1; the order of the three blocks of an access
// matters.

#include "explicit.h"

#include <stdatomic.h>

#include "../host.h"

// Number of (location, value), or of a pair that no clock knows.
static uint32_t value_id(const struct rsan_explicit_location *location, struct rsan_value value) {
  for (uint32_t i = 0; i < location->value_count; i++)
    if (rsan_value_equal(location->values[i].value, value))
      return location->values[i].id;
  return UINT32_MAX;
}

static uint32_t make_value_id(struct rsan_explicit_location *location, struct rsan_value value,
                              _Atomic uint32_t *next_id) {
  uint32_t id = value_id(location, value);
  if (id != UINT32_MAX)
    return id;
  location->values = rsan_make_room(location->values, &location->value_room, location->value_count,
                                    sizeof *location->values);
  id = atomic_fetch_add_explicit(next_id, 1, memory_order_relaxed);
  location->values[location->value_count++] = (struct rsan_explicit_value){value, id};
  return id;
}

// Is there a value that the condition holds for (or does not), such that a version above `known` is
// SC-visible which overwrote it? T_val of one value, or the greatest of several.
static bool misses(const struct rsan_clock *t_val, const struct rsan_explicit_location *location,
                   uint64_t known, const struct rsan_condition *condition, bool holds) {
  for (uint32_t i = 0; i < location->value_count; i++)
    if (rsan_condition_holds(condition, location->values[i].value) == holds &&
        known < rsan_clock_get(t_val, location->values[i].id))
      return true;
  return false;
}

bool rsan_explicit_check(const struct rsan_explicit_thread *thread,
                         const struct rsan_explicit_location *location,
                         const struct rsan_access *access,
                         const uint64_t thresholds[RSAN_FAMILIES]) {
  const struct rsan_condition *expected = &access->expected;
  const struct rsan_clock *t_val = thread->value;
  uint64_t known = thresholds[RSAN_ALL], known_plain = thresholds[RSAN_PLAIN];
  switch (access->check) {
  case RSAN_CHECK_READ:
    return known < rsan_clock_get(&thread->sc[RSAN_ALL], location->id);
  case RSAN_CHECK_WRITE:
  case RSAN_CHECK_KERNEL_UPDATE:
    return known_plain < rsan_clock_get(&thread->sc[RSAN_PLAIN], location->id);
  case RSAN_CHECK_WAIT:
    return misses(&t_val[RSAN_ALL], location, known, expected, true);
  case RSAN_CHECK_BCAS:
    return misses(&t_val[RSAN_PLAIN], location, known_plain, expected, true);
  case RSAN_CHECK_KERNEL_COMPARE:
    return misses(&t_val[RSAN_ALL], location, known, expected,
                  !rsan_condition_holds(expected, access->seen));
  case RSAN_CHECK_STRONG_CAS:
    return misses(&t_val[RSAN_PLAIN], location, known_plain, expected, true) ||
           misses(&t_val[RSAN_ALL], location, known, expected, false);
  }
  return false;
}

// UPD(T): how an access moves a view through its location.
static void upd(struct rsan_clock *thread, struct rsan_explicit_flow *location, bool is_read) {
  if (is_read) {
    rsan_clock_join(thread, &location->w);
    rsan_clock_join(&location->m, thread);
  } else {
    rsan_clock_join(thread, &location->m);
    rsan_clock_assign(&location->m, thread);
    rsan_clock_assign(&location->w, thread);
  }
}

static void hb_access(struct rsan_explicit_thread *thread, struct rsan_explicit_location *location,
                      const struct rsan_access *access, unsigned family, bool counts) {
  struct rsan_clock *w = &location->w[family], *c = &thread->c[family];
  if (counts)
    rsan_clock_tick(w, location->id);
  uint64_t n = rsan_clock_get(w, location->id);
  rsan_clock_set(c, location->id, n);
  rsan_clock_set(&thread->a[family], location->id, n);
  const struct rsan_clock *released = rsan_order_releases(access->order) ? c : &thread->r[family];
  if (access->kind == RSAN_WRITE) {
    rsan_clock_assign(w, released);
    rsan_clock_set(w, location->id, n); // T_r ⊔ x@n: the location's own counter survives
    return;
  }
  rsan_clock_join(&thread->a[family], w);
  if (rsan_order_acquires(access->order))
    rsan_clock_join(c, w);
  if (access->kind == RSAN_RMW)
    rsan_clock_join(w, released);
}

void rsan_explicit_update(struct rsan_explicit_thread *thread,
                          struct rsan_explicit_location *location, const struct rsan_access *access,
                          _Atomic uint32_t *next_id) {
  bool is_read = access->kind == RSAN_READ;
  for (unsigned family = 0; family < RSAN_FAMILIES; family++) {
    bool counts = access->kind == RSAN_WRITE || (!is_read && family == RSAN_ALL);
    struct rsan_explicit_flow *value = &location->value[family], *sc = &location->sc[family];
    if (counts) // needs the old W_SC: before the SC clocks
      rsan_clock_set(&value->m, make_value_id(location, access->seen, next_id),
                     rsan_clock_get(&sc->w, location->id) + 1);
    upd(&thread->value[family], value, is_read);
    if (counts)
      rsan_clock_set(&sc->m, location->id, rsan_clock_get(&sc->w, location->id) + 1);
    upd(&thread->sc[family], sc, is_read);
    hb_access(thread, location, access, family, counts);
  }
}

void rsan_explicit_acquire_location(struct rsan_explicit_thread *thread,
                                    const struct rsan_explicit_location *location) {
  RSAN_CLOCKS_JOIN(&thread->c, &location->w);
  RSAN_CLOCKS_JOIN(&thread->a, &location->w);
}

void rsan_explicit_fence(struct rsan_explicit_thread *thread, enum rsan_order order,
                         struct rsan_clock f[RSAN_FAMILIES]) {
  for (unsigned family = 0; family < RSAN_FAMILIES; family++) {
    struct rsan_clock *c = &thread->c[family];
    if (rsan_order_acquires(order))
      rsan_clock_assign(c, &thread->a[family]);
    if (order == RSAN_SEQ_CST && f) { // FADD(f, 0, acq_rel)
      rsan_clock_join(&thread->a[family], &f[family]);
      rsan_clock_join(c, &f[family]);
      rsan_clock_join(&f[family], c);
    }
    if (rsan_order_releases(order))
      rsan_clock_assign(&thread->r[family], c);
  }
}

void rsan_explicit_release(const struct rsan_explicit_thread *thread,
                           struct rsan_explicit_sync *sync, bool hb_only) {
  RSAN_CLOCKS_JOIN(&sync->c, &thread->c);
  if (hb_only)
    return;
  RSAN_CLOCKS_JOIN(&sync->sc, &thread->sc);
  RSAN_CLOCKS_JOIN(&sync->value, &thread->value);
}

void rsan_explicit_acquire(struct rsan_explicit_thread *thread,
                           const struct rsan_explicit_sync *sync, bool hb_only) {
  RSAN_CLOCKS_JOIN(&thread->c, &sync->c);
  RSAN_CLOCKS_JOIN(&thread->a, &sync->c);
  if (hb_only)
    return;
  RSAN_CLOCKS_JOIN(&thread->sc, &sync->sc);
  RSAN_CLOCKS_JOIN(&thread->value, &sync->value);
}

void rsan_explicit_location_restart(struct rsan_explicit_location *location, uint32_t id) {
  RSAN_CLOCKS_CLEAR(&location->sc);
  RSAN_CLOCKS_CLEAR(&location->value);
  rsan_host_free(location->values);
  location->values = 0;
  location->value_count = location->value_room = 0;
  location->id = id;
}

void rsan_explicit_location_clear(struct rsan_explicit_location *location) {
  rsan_explicit_location_restart(location, 0);
  RSAN_CLOCKS_CLEAR(&location->w);
}
