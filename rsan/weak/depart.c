// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access departs.

#include "weak.h"

#include "../host.h"
#include "../steps/seqcst.h"
#include "ring.h"

static struct rsan_weak_version *version_of(const struct rsan_weak_location *location,
                                            uint64_t number) {
  uint64_t oldest = rsan_weak_version_at(location, 0)->next.number - 1;
  return rsan_weak_version_at(location, (uint32_t)(number - oldest));
}

// D joins all that is in S by now. (A departure that is made at the same time counts on by itself.)
static void raise_d(struct rsan_engine *engine) {
  struct rsan_weak *weak = engine->weak;
  rsan_lock(&weak->lock);
  rsan_lock(&engine->fence_lock);
  rsan_s_fence_join(&weak->fence, engine->latest_fence);
  rsan_unlock(&engine->fence_lock);
  atomic_fetch_add_explicit(&weak->in_s, 1, memory_order_release);
  rsan_unlock(&weak->lock);
}

bool rsan_weak_is_in_s(const struct rsan_thread *thread, enum rsan_order order) {
  return order == RSAN_SEQ_CST || (thread->s && thread->s->c.f);
}

// What any access may miss from now on violates nothing. (Where machines are asked, none is.)
static void end_checks(struct rsan_engine *engine) {
  atomic_store_explicit(&engine->weak->departed, true, memory_order_relaxed);
  if (engine->machines)
    __atomic_store_n(&engine->options.targets, 0, __ATOMIC_RELAXED);
}

void rsan_weak_make(struct rsan_thread *thread, struct rsan_location *location,
                    const struct rsan_access *given, const struct rsan_candidate *chosen) {
  struct rsan_access departing = *given;
  const struct rsan_access *access = &departing;
  departing.kind = chosen->kind;
  departing.order = chosen->order;
  struct rsan_weak_version *version = version_of(location->more->weak, chosen->version);
  bool reads = access->kind != RSAN_WRITE, writes = access->kind != RSAN_READ;
  uint64_t known = chosen->version + writes; // by whoever learns of this access
  bool in_s = rsan_weak_is_in_s(thread, access->order);
  rsan_fast_acts(&thread->hb.fast);
  rsan_compact_update(&thread->sc, &location->compact, access); // it leaves no version
  rsan_records_insert(&location->compact.records, thread->hb.index, rsan_hb_epoch(&thread->hb),
                      known);
  rsan_seqcst_depart(thread, location, access, known, &version->flows);
  if (in_s)
    raise_d(thread->engine);
  if (reads)
    rsan_hb_read(&thread->hb, &version->w, access->order);
  if (writes && rsan_order_releases(access->order))
    rsan_hb_tick(&thread->hb);
  if (reads && writes)
    version->taken = true;
  end_checks(thread->engine);
}
