// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences: appendix B's, and SC fences that would change nothing (race/hb.h, deviation 3).

#include "fence.h"

#include "../host.h"
#include "../machines/machines.h"
#include "../steps/cxx20.h"
#include "../steps/note.h"
#include "../steps/reference.h"
#include "../steps/types.h"

bool rsan_fence_is_idle(const struct rsan_thread *thread) {
  return rsan_fast_is_idle_since(
      &thread->hb.fast, atomic_load_explicit(&thread->engine->fences, memory_order_acquire));
}

static RSAN_SELDOM void pass_beside(struct rsan_thread *thread, enum rsan_order order) {
  if (rsan_cxx20_is_on(thread->engine))
    rsan_cxx20_pass_fence(thread, order);
}

// Fences that change something are out of line, so that one that does not pays nothing for them.
__attribute__((noinline)) static void fence_weak(struct rsan_thread *thread,
                                                 enum rsan_order order) {
  if (thread->in_full)
    pass_beside(thread, order);
  rsan_hb_fence(&thread->hb, order);
  if (thread->reference)
    rsan_reference_fence(thread, order);
  rsan_seqcst_fence_weak(thread, order);
}

__attribute__((noinline)) static void fence_sc(struct rsan_thread *thread, bool idle) {
  struct rsan_engine *engine = thread->engine;
  if (thread->in_full)
    pass_beside(thread, RSAN_SEQ_CST);
  rsan_lock(&engine->fence_lock);
  rsan_seqcst_before_fence(engine);
  if (!idle) {
    uint64_t fences = atomic_load_explicit(&engine->fences, memory_order_relaxed);
    fences += rsan_hb_fence_sc(&thread->hb, &engine->fence_w);
    rsan_fast_fence_passed(&thread->hb.fast, fences);
    atomic_store_explicit(&engine->fences, fences, memory_order_release);
  }
  if (thread->reference)
    rsan_reference_fence(thread, RSAN_SEQ_CST);
  rsan_seqcst_fence_sc(thread);
  rsan_unlock(&engine->fence_lock);
}

// An SC fence of which nothing has changed since the thread's last one, in the thread's in_full.
__attribute__((noinline)) static void fence_idle_in_full(struct rsan_thread *thread) {
  if (thread->reference)
    fence_sc(thread, true);
  else
    pass_beside(thread, RSAN_SEQ_CST);
}

// Without a note for explanations.
static void pass_fence(struct rsan_thread *thread, enum rsan_order order) {
  if (order != RSAN_SEQ_CST) {
    fence_weak(thread, order);
    return;
  }
  bool idle = rsan_fence_is_idle(thread);
  if (!idle)
    fence_sc(thread, false);
  else if (thread->in_full)
    fence_idle_in_full(thread);
}

void rsan_fence_of_access(struct rsan_thread *thread) {
  pass_fence(thread, RSAN_SEQ_CST);
  rsan_note_fence(thread, RSAN_SEQ_CST);
}

void rsan_begin_seq_cst(struct rsan_thread *thread, const struct rsan_access *access) {
  const struct rsan_engine *engine = thread->engine;
  if (engine->seqcst.exact)
    rsan_seqcst_begin(thread);
  else if (engine->options.seq_cst == RSAN_SEQ_CST_FENCE && access->order == RSAN_SEQ_CST)
    pass_fence(thread, RSAN_SEQ_CST);
  else if (engine->options.seq_cst == RSAN_SEQ_CST_FENCE)
    rsan_fence_of_access(thread);
}

// Out of line, so that a fence without machines pays nothing for it.
__attribute__((noinline)) static void fence_machines(struct rsan_thread *thread,
                                                     enum rsan_order order) {
  rsan_fast_view_changed(&thread->sc.fast, rsan_machines_fence_of(thread->machines, order));
}

void rsan_fence(struct rsan_thread *thread, enum rsan_order order) {
  if (thread->machines)
    fence_machines(thread, order);
  pass_fence(thread, order);
  rsan_note_fence(thread, order);
}
