// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference.h"

#include "../host.h"

struct rsan_reference *rsan_reference_new(const struct rsan_options *options) {
  bool kept = options->clocks == RSAN_CLOCKS_EXPLICIT;
#ifdef RSAN_VERIFY
  kept = true;
#endif
  if (!kept)
    return 0;
  struct rsan_reference *reference = RSAN_NEW(struct rsan_reference);
  reference->exact = options->seq_cst == RSAN_SEQ_CST_EXACT;
  return reference;
}

void rsan_reference_free(struct rsan_reference *reference) {
  if (!reference)
    return;
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    rsan_clock_clear(&reference->fence_w[family]);
  rsan_seqcst_explicit_flows_clear(&reference->fence_views);
  rsan_seqcst_explicit_location_clear(&reference->withdrawn);
  rsan_host_free(reference);
}

struct rsan_reference_thread *rsan_reference_thread_new(void) {
  return RSAN_NEW(struct rsan_reference_thread);
}

void rsan_reference_thread_free(struct rsan_reference_thread *thread) {
  if (!thread)
    return;
  rsan_explicit_thread_clear(&thread->clocks);
  rsan_seqcst_explicit_thread_clear(&thread->views);
  rsan_host_free(thread);
}

struct rsan_reference_location *rsan_reference_location_new(void) {
  return RSAN_NEW(struct rsan_reference_location);
}

void rsan_reference_location_free(struct rsan_reference_location *location) {
  if (!location)
    return;
  rsan_explicit_location_clear(&location->clocks);
  rsan_seqcst_explicit_location_clear(&location->views);
  rsan_host_free(location);
}

struct rsan_reference_sync *rsan_reference_sync_new(void) {
  return RSAN_NEW(struct rsan_reference_sync);
}

static void sync_clear(struct rsan_reference_sync *sync) {
  rsan_explicit_sync_clear(&sync->clocks);
  rsan_seqcst_explicit_flows_clear(&sync->views);
}

void rsan_reference_sync_free(struct rsan_reference_sync *sync) {
  if (!sync)
    return;
  sync_clear(sync);
  rsan_host_free(sync);
}

static bool missed(const struct rsan_reference_thread *thread,
                   const struct rsan_explicit_location *there, const struct rsan_history *history,
                   const struct rsan_access *access, const uint64_t known[RSAN_FAMILIES]) {
  if (!rsan_explicit_check(&thread->clocks, there, access, known))
    return false;
  if (access->check != RSAN_CHECK_WAIT || !access->expected.alone)
    return true;
  uint64_t newest = rsan_explicit_sc(&thread->clocks, there);
  const struct rsan_version *version = rsan_history_after(history, newest - 1);
  return version && version->number == newest &&
         !rsan_condition_holds(&access->expected, version->wrote);
}

// T_c(x), or by S what a branch may not miss.
static struct rsan_verdict verdict_of(const struct rsan_thread *thread,
                                      const struct rsan_location *location,
                                      const struct rsan_branch *branch, bool by_s) {
  const struct rsan_reference_thread *reference = thread->reference;
  const struct rsan_explicit_location *there = &location->more->reference->clocks;
  uint64_t known[RSAN_FAMILIES];
  for (unsigned family = 0; family < RSAN_FAMILIES; family++)
    known[family] = rsan_clock_get(&reference->clocks.c[family], there->id);
  if (by_s)
    rsan_seqcst_explicit_known(&reference->views, there->id, branch->seq_cst, known);
  struct rsan_verdict verdict = {0, known[RSAN_ALL]};
  if (missed(reference, there, &location->history, &branch->access, known))
    verdict.missed = rsan_history_first(&location->history, known[RSAN_ALL], &branch->access);
  return verdict;
}

struct rsan_verdict rsan_reference_check(const struct rsan_thread *thread,
                                         const struct rsan_location *location,
                                         const struct rsan_access *access, uint64_t *known) {
  struct rsan_branch branches[2] = {{.access = *access}};
  struct rsan_verdict verdict = verdict_of(thread, location, &branches[0], false);
  *known = verdict.known;
  if (!verdict.missed || !thread->engine->reference->exact)
    return verdict;
  unsigned count = rsan_branches_of(access, branches);
  verdict.missed = 0;
  for (unsigned i = 0; i < count && !verdict.missed; i++)
    verdict = verdict_of(thread, location, &branches[i], true);
  return verdict;
}

static uint32_t next_value_id(void *reference) {
  _Atomic uint32_t *next = &((struct rsan_reference *)reference)->next_value_id;
  return atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
}

void rsan_reference_update(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access, enum rsan_order order) {
  struct rsan_reference *reference = thread->engine->reference;
  struct rsan_reference_location *there = location->more->reference;
  struct rsan_access plain = *access;
  plain.order = order;
  rsan_explicit_update(&thread->reference->clocks, &there->clocks, &plain, next_value_id,
                       reference);
  if (reference->exact)
    rsan_seqcst_explicit_access(&thread->reference->views, &there->views,
                                &thread->reference->clocks, there->clocks.id, access);
}

void rsan_reference_fence(struct rsan_thread *thread, enum rsan_order order) {
  struct rsan_reference *reference = thread->engine->reference;
  rsan_explicit_fence(&thread->reference->clocks, order, reference->fence_w);
  if (reference->exact)
    rsan_seqcst_explicit_fence(&thread->reference->views, &reference->fence_views,
                               &thread->reference->clocks, order);
}

void rsan_reference_acquire(struct rsan_thread *thread, const struct rsan_sync *sync,
                            enum rsan_edge edge) {
  rsan_explicit_acquire(&thread->reference->clocks, &sync->reference->clocks,
                        edge == RSAN_UNCERTAIN);
  if (thread->engine->reference->exact)
    rsan_seqcst_explicit_acquire(&thread->reference->views, &sync->reference->views);
}

void rsan_reference_release(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge,
                            bool merge) {
  if (!merge)
    sync_clear(sync->reference);
  rsan_explicit_release(&thread->reference->clocks, &sync->reference->clocks,
                        edge == RSAN_UNCERTAIN);
  if (thread->engine->reference->exact)
    rsan_seqcst_explicit_release(&thread->reference->views, &sync->reference->views);
}

void rsan_reference_join(struct rsan_thread *joiner, const struct rsan_thread *finished) {
  struct rsan_reference_sync edge = {0};
  rsan_explicit_release(&finished->reference->clocks, &edge.clocks, false);
  rsan_explicit_acquire(&joiner->reference->clocks, &edge.clocks, false);
  if (joiner->engine->reference->exact) {
    rsan_seqcst_explicit_release(&finished->reference->views, &edge.views);
    rsan_seqcst_explicit_acquire(&joiner->reference->views, &edge.views);
  }
  sync_clear(&edge);
}

void rsan_reference_acquire_location(struct rsan_thread *thread,
                                     const struct rsan_location *location) {
  const struct rsan_reference_location *there = location->more->reference;
  rsan_explicit_acquire_location(&thread->reference->clocks, &there->clocks);
  if (thread->engine->reference->exact)
    rsan_seqcst_explicit_acquire(&thread->reference->views, &there->views.w);
}

void rsan_reference_pass(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_reference_location *there = location->more->reference;
  rsan_explicit_pass(&thread->reference->clocks, &there->clocks);
  if (thread->engine->reference->exact)
    rsan_seqcst_explicit_pass(&thread->reference->views, &there->views);
}

void rsan_reference_write_after(struct rsan_location *location, const struct rsan_sync *sync) {
  struct rsan_reference_location *there = location->more->reference;
  rsan_explicit_write_after(&there->clocks, &sync->reference->clocks);
  rsan_seqcst_explicit_write_after(&there->views, &sync->reference->views);
}

void rsan_reference_restart(struct rsan_engine *engine, struct rsan_location *location) {
  rsan_explicit_location_restart(
      &location->more->reference->clocks,
      atomic_fetch_add_explicit(&engine->reference->next_location_id, 1, memory_order_relaxed));
}

void rsan_reference_withdraw(struct rsan_engine *engine, const struct rsan_location *location) {
  const struct rsan_reference_location *there = location->more->reference;
  rsan_explicit_withdraw(&engine->withdrawn->reference->clocks, &there->clocks);
  rsan_seqcst_explicit_merge(&engine->reference->withdrawn, &there->views);
}

void rsan_reference_pass_withdrawn(struct rsan_thread *thread) {
  if (thread->engine->reference->exact)
    rsan_seqcst_explicit_pass(&thread->reference->views, &thread->engine->reference->withdrawn);
}
