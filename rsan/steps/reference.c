// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference.h"

#include "../host.h"

struct rsan_reference *rsan_reference_new(const struct rsan_options *options) {
#ifdef RSAN_VERIFY
  bool kept = !options->weak; // accesses that depart are none of theirs
#else
  bool kept = options->clocks == RSAN_CLOCKS_EXPLICIT;
#endif
  return !kept ? 0 : RSAN_NEW(struct rsan_reference);
}

void rsan_reference_free(struct rsan_reference *reference) {
  if (!reference)
    return;
  RSAN_CLOCKS_CLEAR(&reference->fence_w);
  RSAN_CLOCKS_CLEAR(&reference->fence_views);
  rsan_host_free(reference);
}

void rsan_reference_location_free(struct rsan_reference_location *location) {
  if (!location)
    return;
  rsan_explicit_location_clear(&location->clocks);
  RSAN_CLOCKS_CLEAR(&location->views);
  rsan_host_free(location);
}

static bool missed(const struct rsan_reference_thread *thread,
                   const struct rsan_explicit_location *there, const struct rsan_history *history,
                   const struct rsan_access *access, const uint64_t known[RSAN_FAMILIES]) {
  if (!rsan_explicit_check(&thread->clocks, there, access, known))
    return false;
  if (access->check != RSAN_CHECK_WAIT || !access->expected.alone)
    return true;
  uint64_t newest = rsan_clock_get(&thread->clocks.sc[RSAN_ALL], there->id);
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
  if (!verdict.missed || !thread->engine->seqcst.exact)
    return verdict;
  unsigned count = rsan_branches_of(access, branches);
  verdict.missed = 0;
  for (unsigned i = 0; i < count && !verdict.missed; i++)
    verdict = verdict_of(thread, location, &branches[i], true);
  return verdict;
}

void rsan_reference_update(struct rsan_thread *thread, struct rsan_location *location,
                           const struct rsan_access *access, enum rsan_order order) {
  struct rsan_reference_location *there = location->more->reference;
  struct rsan_access plain = *access;
  plain.order = order;
  rsan_explicit_update(&thread->reference->clocks, &there->clocks, &plain,
                       &thread->engine->reference->next_value_id);
  rsan_seqcst_explicit_access(&thread->reference->views, &there->views, &thread->reference->clocks,
                              there->clocks.id, access);
}

void rsan_reference_fence(struct rsan_thread *thread, enum rsan_order order) {
  struct rsan_reference *reference = thread->engine->reference;
  bool ordered = !thread->engine->options.cxx20_fences;
  rsan_explicit_fence(&thread->reference->clocks, order, ordered ? reference->fence_w : 0);
  rsan_seqcst_explicit_fence(&thread->reference->views, ordered ? &reference->fence_views : 0,
                             &thread->reference->clocks, order);
}

void rsan_reference_acquire(struct rsan_thread *thread, const struct rsan_sync *sync,
                            enum rsan_edge edge) {
  rsan_explicit_acquire(&thread->reference->clocks, &sync->reference->clocks,
                        edge == RSAN_UNCERTAIN);
  rsan_seqcst_explicit_acquire(&thread->reference->views, &sync->reference->views);
}

void rsan_reference_release(struct rsan_thread *thread, struct rsan_sync *sync, enum rsan_edge edge,
                            bool merge) {
  if (!merge)
    RSAN_CLOCKS_CLEAR(sync->reference);
  rsan_explicit_release(&thread->reference->clocks, &sync->reference->clocks,
                        edge == RSAN_UNCERTAIN);
  rsan_seqcst_explicit_release(&thread->reference->views, &sync->reference->views);
}

void rsan_reference_acquire_location(struct rsan_thread *thread,
                                     const struct rsan_location *location) {
  const struct rsan_reference_location *there = location->more->reference;
  rsan_explicit_acquire_location(&thread->reference->clocks, &there->clocks);
  rsan_seqcst_explicit_acquire(&thread->reference->views, &there->views.w);
}

void rsan_reference_pass(struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_reference_location *there = location->more->reference;
  rsan_explicit_acquire_location(&thread->reference->clocks, &there->clocks);
  RSAN_CLOCKS_JOIN(&there->clocks.w, &thread->reference->clocks.c);
  rsan_seqcst_explicit_pass(&thread->reference->views, &there->views);
}

void rsan_reference_write_after(struct rsan_location *location, const struct rsan_sync *sync) {
  struct rsan_reference_location *there = location->more->reference;
  RSAN_CLOCKS_JOIN(&there->clocks.w, &sync->reference->clocks.c);
  RSAN_CLOCKS_JOIN(&there->views.w, &sync->reference->views);
}

void rsan_reference_restart(struct rsan_engine *engine, struct rsan_location *location) {
  rsan_explicit_location_restart(
      &location->more->reference->clocks,
      atomic_fetch_add_explicit(&engine->reference->next_location_id, 1, memory_order_relaxed));
}

void rsan_reference_withdraw(struct rsan_reference_location *into,
                             const struct rsan_reference_location *from) {
  RSAN_CLOCKS_JOIN(&into->clocks.w, &from->clocks.w);
  rsan_seqcst_explicit_merge(&into->views, &from->views);
}
