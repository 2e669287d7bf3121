// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of the process, and the threads' and synchronisation objects' events.
//
// Which edges go where: mutexes, thread creation and join are CERTAIN (recorded while the order is
// held fast). All else that TSan calls Acquire and Release (semaphores, file descriptors, barriers,
// annotations, signals, fibers, once) is recorded before or after the real operation, so that the
// recorded pairing may not be the real one: UNCERTAIN, happens-before only.
//
// Edges are recorded under ignore_sync too, where TSan leaves them out: they are real, and
// happens-before that is missing is what a false alarm is made of.

#include "rsan_state.h"
#include "tsan_mman.h"

namespace __tsan {

static rsan_engine *engine;

rsan_engine *RsanEngine() {
  return engine;
}

void RsanInitialize() {
  rsan_options options = RsanReadOptions();
  if (rsan_flags()->robustness)
    engine = rsan_engine_new(&options);
}

void RsanFinalize() {
  if (!engine || !rsan_flags()->stats)
    return;
  Printf("RSan statistics (pid=%d):\n", (int)internal_getpid());
#define RSAN_PRINT(name, text)                                                                     \
  Printf("  %-16s %12llu  %s\n", #name,                                                            \
         (unsigned long long)rsan_engine_stat(engine, RSAN_STAT_##name), text);
  RSAN_STATS(RSAN_PRINT)
#undef RSAN_PRINT
}

// The registry's lock serialises the table of thread indices with the registry's own callbacks, and
// is one of those that fork waits for.
rsan_thread *RsanThreadCreate(ThreadState *creator) {
  if (!engine)
    return nullptr;
  ThreadRegistryLock lock(&ctx->thread_registry);
  return rsan_thread_create(engine, creator ? creator->rsan : nullptr, 0);
}

rsan_thread *RsanThreadCreated(rsan_thread *thread, u64 unique_id) {
  if (thread)
    rsan_thread_set_owner(thread, static_cast<u32>(unique_id));
  return thread;
}

// A thread's stack and TLS block are often another thread's old ones, which TSan leaves as they
// were: locations there would go on with the old history. At the end as well, for the C library
// may then unmap the stack by a call that no interceptor sees.
static void ForgetStack(ThreadState *thr) {
  if (!thr->rsan || ctx->after_multithreaded_fork)
    return;
  RsanForgetRange(thr, thr->stk_addr, thr->stk_size);
  RsanForgetRange(thr, thr->tls_addr, thr->tls_size);
}

void RsanThreadStart(ThreadState *thr, bool has_fresh_stack) {
  if (RsanIgnoresPlainAccesses()) {
    thr->ignore_reads_and_writes++;
    thr->fast_state.SetIgnoreBit();
  }
  if (has_fresh_stack)
    ForgetStack(thr);
}

void RsanThreadStopping(ThreadState *thr) {
  ForgetStack(thr);
}

void RsanThreadFinish(rsan_thread *thread) {
  if (thread)
    rsan_thread_finish(engine, thread);
}

void RsanThreadJoin(ThreadState *thr, rsan_thread *joined) {
  if (thr->rsan && joined)
    rsan_thread_join(thr->rsan, joined);
  rsan_thread_free(joined);
}

void RsanThreadFree(rsan_thread *thread) {
  rsan_thread_free(thread);
}

static rsan_sync *Ensure(rsan_sync *&sync) {
  if (!sync)
    sync = rsan_sync_new(engine);
  return sync;
}

static void AcquireFrom(ThreadState *thr, rsan_sync *sync, rsan_edge edge) {
  if (sync)
    rsan_acquire(thr->rsan, sync, edge);
}

// TSan keeps one clock per address, whatever publishes there. So every acquire takes what every
// kind of release has left; across kinds in happens-before only.
void RsanLock(ThreadState *thr, SyncVar *s) {
  RsanReadLock(thr, s);
  if (thr->rsan && s->rsan)
    AcquireFrom(thr, s->rsan->read_lock, RSAN_CERTAIN);
}

void RsanReadLock(ThreadState *thr, SyncVar *s) {
  if (!thr->rsan || !s->rsan)
    return;
  AcquireFrom(thr, s->rsan->write_lock, RSAN_CERTAIN);
  AcquireFrom(thr, s->rsan->other, RSAN_UNCERTAIN);
}

void RsanAcquire(ThreadState *thr, SyncVar *s) {
  if (!s->rsan)
    return;
  thr->clock.Acquire(s->rsan->race_clock);
  if (!thr->rsan)
    return;
  AcquireFrom(thr, s->rsan->other, RSAN_UNCERTAIN);
  AcquireFrom(thr, s->rsan->write_lock, RSAN_UNCERTAIN);
  AcquireFrom(thr, s->rsan->read_lock, RSAN_UNCERTAIN);
  if (s->rsan->location)
    rsan_acquire_location(engine, thr->rsan, s->rsan->location);
}

void RsanUnlock(ThreadState *thr, SyncVar *s) {
  if (thr->rsan)
    rsan_release(thr->rsan, Ensure(RsanStateOf(s)->write_lock), RSAN_CERTAIN);
}

void RsanReadUnlock(ThreadState *thr, SyncVar *s) {
  if (thr->rsan)
    rsan_release_merge(thr->rsan, Ensure(RsanStateOf(s)->read_lock), RSAN_CERTAIN);
}

void RsanRelease(ThreadState *thr, SyncVar *s, bool replace) {
  if (!thr->rsan)
    return;
  rsan_sync *sync = Ensure(RsanStateOf(s)->other);
  if (replace)
    rsan_release(thr->rsan, sync, RSAN_UNCERTAIN);
  else
    rsan_release_merge(thr->rsan, sync, RSAN_UNCERTAIN);
}

void RsanReset(SyncVar *s) {
  RsanSyncState *state = s->rsan;
  if (!state)
    return;
  s->rsan = nullptr;
  rsan_location_free(state->location);
  rsan_sync_free(state->write_lock);
  rsan_sync_free(state->read_lock);
  rsan_sync_free(state->other);
  Free(state->race_clock);
  Free(state);
}

} // namespace __tsan

using namespace __tsan;

extern "C" SANITIZER_INTERFACE_ATTRIBUTE unsigned long __rsan_violation_count() {
  return RsanEngine() ? rsan_engine_stat(RsanEngine(), RSAN_STAT_violations) : 0;
}
