// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asymmetric fences: a system call that makes every other thread of the process execute a full
// fence (docs/internals/MODEL.md section 10). The caller has an SC fence at its begin and one at
// its end, each other thread has one in between, at the place of its program order where it stands.
//
// The fences of the other threads are in no order among themselves, as far as that can be: each
// acquires what f had after the caller's first fence, and f gets what all of them release. That is
// what each order of them has in common: for any version there is an order in which those fences
// come first whose threads do not know it, and there they learn no more. But the views of S, of the
// explicit clocks and of the machines have one order of all SC fences (seqcst/), and so have those
// of C++20's fences. Where any of them is kept the fences are passed in turn, in an order that the
// host chooses.
//
// Machines and C++20's fences (steps/cxx20.h) know of no order of fences. The kernel keeps one, so
// for them each one of these releases all to the next one.
//
// A thread that has ended has no fence any more. What it did before its end is done for the kernel,
// so the caller acquires it (engine->ending).
//
// Threads that run are left to the host: each passes an ordinary SC fence before its next step. The
// caller then knows everything that any thread has done so far (engine/unseen.h). That is all that
// the fences of the others could have released, or more, which hides.

#include "../engine.h"

#include "../host.h"
#include "../steps/cxx20.h"
#include "../steps/note.h"
#include "../steps/seqcst.h"
#include "../steps/types.h"

struct rsan_membarrier {
  struct rsan_thread *caller;
  struct rsan_stamp before; // what f had after the caller's first fence
  struct rsan_stamp passed; // what the others have released
  struct rsan_sync *turns;  // for machines and C++20's fences; NULL: there are none
  bool in_turn;
};

// A fence that is passed in turn.
static void pass_in_turn(struct rsan_membarrier *membarrier, struct rsan_thread *thread) {
  if (membarrier->turns)
    rsan_acquire(thread, membarrier->turns, RSAN_UNCERTAIN);
  rsan_fence(thread, RSAN_SEQ_CST);
  if (membarrier->turns)
    rsan_release_merge(thread, membarrier->turns, RSAN_UNCERTAIN);
}

struct rsan_membarrier *rsan_membarrier_begin(struct rsan_thread *caller) {
  struct rsan_engine *engine = caller->engine;
  struct rsan_membarrier *membarrier = RSAN_NEW(struct rsan_membarrier);
  membarrier->caller = caller;
  membarrier->turns = engine->machines || rsan_cxx20_is_on(engine) ? rsan_sync_new(engine) : 0;
  pass_in_turn(membarrier, caller);
  membarrier->in_turn = membarrier->turns || engine->reference || rsan_seqcst_is_on(engine);
  if (membarrier->in_turn)
    return membarrier;
  rsan_lock(&engine->fence_lock);
  rsan_stamp_merge(&membarrier->before, &engine->fence_w);
  rsan_unlock(&engine->fence_lock);
  return membarrier;
}

bool rsan_membarrier_goes_in_turn(const struct rsan_membarrier *membarrier) {
  return membarrier->in_turn;
}

void rsan_membarrier_pass(struct rsan_membarrier *membarrier, struct rsan_thread *thread) {
  if (membarrier->in_turn) {
    pass_in_turn(membarrier, thread);
    return;
  }
  rsan_hb_fence(&thread->hb, RSAN_ACQUIRE);
  rsan_stamp_merge(&membarrier->passed, &thread->hb.c);
  rsan_hb_tick(&thread->hb); // what was released with this epoch stays as it is
  rsan_hb_join(&thread->hb, &membarrier->before);
  rsan_hb_fence(&thread->hb, RSAN_RELEASE);
  rsan_note_fence(thread, RSAN_SEQ_CST);
}

static void release_all(struct rsan_engine *engine, const struct rsan_membarrier *membarrier) {
  rsan_lock(&engine->fence_lock);
  rsan_stamp_merge(&engine->fence_w, &membarrier->passed);
  atomic_fetch_add_explicit(&engine->fences, 1, memory_order_release);
  rsan_unlock(&engine->fence_lock);
}

static void acquire_endings(struct rsan_thread *thread) {
  struct rsan_engine *engine = thread->engine;
  rsan_lock(&engine->ending_lock);
  rsan_acquire(thread, engine->ending, RSAN_UNCERTAIN);
  rsan_unlock(&engine->ending_lock);
}

void rsan_membarrier_end(struct rsan_membarrier *membarrier, bool others_run) {
  struct rsan_thread *caller = membarrier->caller;
  if (!membarrier->in_turn)
    release_all(caller->engine, membarrier);
  if (others_run)
    rsan_acquire_everything(caller, RSAN_STAT_membarriers);
  else
    acquire_endings(caller);
  pass_in_turn(membarrier, caller);
  rsan_sync_free(membarrier->turns);
  rsan_stamp_clear(&membarrier->before);
  rsan_stamp_clear(&membarrier->passed);
  rsan_host_free(membarrier);
}
