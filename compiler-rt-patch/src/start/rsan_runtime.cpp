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

#include "atomics/rsan_patience.h"
#include "atomics/rsan_sole.h"
#include "base/rsan_unchecked.h"
#include "base/rsan_unseen_code.h"
#include "departures/rsan_departures.h"
#include "exploration/rsan_exploration.h"
#include "failures/rsan_failure.h"
#include "interceptors/rsan_adopt.h"
#include "interceptors/rsan_delivery.h"
#include "interceptors/rsan_membarrier.h"
#include "locations/rsan_image.h"
#include "port/rsan_tsan.h"
#include "records/rsan_checked.h"
#include "reports/rsan_place.h"
#include "reports/rsan_same.h"
#include "schedule/rsan_schedule.h"
#include "simulation/rsan_simulate.h"

namespace __tsan {

rsan_engine *rsan_the_engine;
static atomic_uint64_t times_given_way;

void RsanInitialize() {
  RsanInitializeNobody();
  RsanInitializeDelivery();
  rsan_options options = RsanReadOptions();
  RsanInitializeChecked();
  if (rsan_flags()->robustness) {
    rsan_the_engine = rsan_engine_new(&options);
    RsanReadImages();
  }
  RsanInitializeSimulation();
  RsanInitializeSchedule();
  RsanInitializeDepartures();
  RsanInitializeWrappers();
  if (rsan_flags()->mapping_fences)
    RsanFenceMappings();
  RsanInitializeFailures();
}

static void PrintStatistics() {
  if (!RsanEngine() || !rsan_flags()->stats || ctx->after_multithreaded_fork)
    return;
  Printf("RSan statistics (pid=%d):\n", (int)internal_getpid());
#define RSAN_PRINT(name, text)                                                                     \
  Printf("  %-16s %12llu  %s\n", #name,                                                            \
         (unsigned long long)rsan_engine_stat(RsanEngine(), RSAN_STAT_##name), text);
  RSAN_STATS(RSAN_PRINT)
#undef RSAN_PRINT
  RsanPrintUnits();
  RsanPrintUnseenCode();
  Printf("  %-16s %12llu  violations inside the standard library, not shown\n", "system_headers",
         RsanUnreportedCount());
  Printf("  %-16s %12llu  reports without functions and lines: to find those had taken too long\n",
         "unsymbolized", RsanUnsymbolizedReports());
  Printf("  %-16s %12llu  sites of writes without their calls: there are too many stacks\n",
         "cut_sites", RsanCutSites());
  Printf("  %-16s %12llu  times a thread that waited in vain let others run\n", "gave_way",
         atomic_load_relaxed(&times_given_way));
}

void RsanGiveWay(RsanPatience *patience) {
  const bool often = patience->times >= RsanPatience::kOften;
  const u32 distance = Min(2 * Max<u32>(patience->distance, RsanPatience::kLeast / 2),
                           often ? RsanPatience::kLongest : RsanPatience::kMost);
  patience->left = distance;
  patience->distance = static_cast<u16>(distance);
  patience->times += !often && distance == RsanPatience::kMost;
  atomic_fetch_add(&times_given_way, 1, memory_order_relaxed);
  if (RsanSchedules())
    RsanScheduleYield();
  else
    internal_sched_yield();
}

void RsanFinalize() {
  RsanExploreEnd(cur_thread());
  PrintStatistics();
  RsanFinalizeDepartures();
  RsanPrintFurther();
  RsanPrintUnsymbolized();
  RsanPrintUnseenOrder();
  RsanPrintForeignUnits();
  RsanPrintUnchecked();
  RsanFinalizeSimulation();
  RsanFinalizeSchedule();
}

// Calls of the program's that synchronise have been entered: the frame on top is the caller's.
static void NotePoint(ThreadState *thr, uptr addr) {
  if (!thr->rsan || !rsan_flags()->explain)
    return;
  uptr depth = thr->shadow_stack_pos - thr->shadow_stack;
  rsan_program_point point = {RsanCaller(thr), depth > 1 ? thr->shadow_stack_pos[-2] : 0, addr};
  rsan_thread_at(thr->rsan, &point);
}

// The registry's lock serialises the table of thread indices with the registry's own callbacks, and
// is one of those that fork waits for.
rsan_thread *RsanThreadCreate(ThreadState *creator) {
  if (creator)
    RsanWarmUnwinder();
  if (!RsanEngine() || ctx->after_multithreaded_fork)
    return nullptr;
  RsanEndSole(creator);
  if (creator && RsanIsFenceDue(creator->rsan_own))
    RsanPassFence(creator);
  ThreadRegistryLock lock(&ctx->thread_registry);
  if (creator)
    NotePoint(creator, 0);
  return rsan_thread_create(RsanEngine(), creator ? creator->rsan : nullptr, ~0u);
}

rsan_thread *RsanThreadCreated(rsan_thread *thread, const ThreadContext *context) {
  RsanScheduleCreated(context);
  if (thread)
    rsan_thread_set_owner(thread, static_cast<u32>(context->unique_id));
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
  RsanNoteProgress(thr);
  if (thr->rsan) {
    thr->rsan_own.moves = rsan_thread_changes(thr->rsan);
    RsanTlsBegins();
  }
  thr->rsan_own.keeps_sites = thr->rsan && (flags()->report_bugs || RsanIsWeak());
  RsanStartFenced(thr);
  if (RsanIgnoresPlainAccesses()) {
    thr->ignore_reads_and_writes++;
    thr->fast_state.SetIgnoreBit();
  }
  if (has_fresh_stack)
    ForgetStack(thr);
  RsanStartBehindSole(thr);
  if (thr->tid == kMainTid)
    RsanBeginSole(thr);
}

void RsanThreadEnding(ThreadState *thr) {
  if (!thr->rsan || ctx->after_multithreaded_fork)
    return;
  SlotLocker locker(thr);
  rsan_thread_ending(thr->rsan);
  if (rsan_flags()->races)
    RsanRaceEnding(thr);
}

// Releases the mutexes that the ending thread still holds. If one is robust, its next owner gets
// EOWNERDEAD and acquires what this thread has done; no thread can ever lock one that is not.
static void ReleaseHeldMutexes(ThreadState *thr) {
  if (ctx->after_multithreaded_fork)
    return;
  for (uptr i = 0; i < thr->mset.Size(); i++)
    Release(thr, 0, thr->mset.Get(i).addr);
}

void RsanThreadStopping(ThreadState *thr) {
  RsanStopReminding(thr);
  ReleaseHeldMutexes(thr);
  ForgetStack(thr);
  if (thr->rsan)
    RsanTlsEnds();
}

void RsanThreadFinish(rsan_thread *thread) {
  if (thread && !ctx->after_multithreaded_fork)
    rsan_thread_finish(thread);
}

void RsanThreadJoin(ThreadState *thr, rsan_thread *joined) {
  if (ctx->after_multithreaded_fork)
    return;
  NotePoint(thr, 0);
  if (thr->rsan && joined)
    rsan_thread_join(thr->rsan, joined);
  rsan_thread_free(joined);
  RsanBeginSole(thr);
}

void RsanThreadFree(rsan_thread *thread) {
  if (!ctx->after_multithreaded_fork)
    rsan_thread_free(thread);
}

static rsan_sync *Ensure(rsan_sync *&sync) {
  if (!sync)
    sync = rsan_sync_new(RsanEngine());
  return sync;
}

static void AcquireFrom(ThreadState *thr, rsan_sync *sync, rsan_edge edge) {
  if (sync)
    rsan_acquire(thr->rsan, sync, edge);
}

// What is received may be an answer of another process to anything that was sent before, by
// whatever way. The edges are uncertain, so there is one object for all of them. Or it is an answer
// to what the process has seen in memory that it shares with this one.
static StaticSpinMutex processes_mutex;
static rsan_sync *processes SANITIZER_GUARDED_BY(processes_mutex);

// Slot held.
static void ReleaseToProcesses(ThreadState *thr) {
  SpinMutexLock lock(&processes_mutex);
  rsan_release_merge(thr->rsan, Ensure(processes), RSAN_UNCERTAIN);
}

static void AcquireFromProcesses(ThreadState *thr) {
  if (RsanSharesMemory()) {
    rsan_acquire_everything(thr->rsan, RSAN_STAT_unseen_answers);
    return;
  }
  SpinMutexLock lock(&processes_mutex);
  AcquireFrom(thr, processes, RSAN_UNCERTAIN);
}

void RsanReleaseToProcesses(ThreadState *thr) {
  if (!thr->rsan || ctx->after_multithreaded_fork)
    return;
  SlotLocker locker(thr);
  ReleaseToProcesses(thr);
}

void RsanAcquireFromProcesses(ThreadState *thr) {
  RsanNoteGapOfMany(kRsanGap_CALLS);
  if (!thr->rsan || ctx->after_multithreaded_fork)
    return;
  SlotLocker locker(thr);
  AcquireFromProcesses(thr);
}

void RsanAcquireEverything(ThreadState *thr, bool races) {
  SlotLocker locker(thr);
  if (thr->rsan)
    rsan_acquire_everything(thr->rsan, RSAN_STAT_unseen_calls);
  if (races && rsan_flags()->races)
    RsanRaceAcquireEverything(thr);
}

// TSan keeps one clock per address, whatever releases there. So every acquire takes what every
// kind of release has left; across kinds in happens-before only.
void RsanLock(ThreadState *thr, SyncVar *s) {
  RsanReadLock(thr, s);
  if (thr->rsan && s->rsan.state)
    AcquireFrom(thr, s->rsan.state->read_lock, RSAN_CERTAIN);
}

void RsanReadLock(ThreadState *thr, SyncVar *s) {
  if (thr->rsan && RsanIsShared(s->addr))
    AcquireFromProcesses(thr);
  if (!thr->rsan || !s->rsan.state)
    return;
  NotePoint(thr, s->addr);
  AcquireFrom(thr, s->rsan.state->write_lock, RSAN_CERTAIN);
  AcquireFrom(thr, s->rsan.state->other, RSAN_UNCERTAIN);
}

static void AcquireState(ThreadState *thr, RsanSyncState *state) {
  if (!thr->rsan || !state)
    return;
  AcquireFrom(thr, state->other, RSAN_UNCERTAIN);
  AcquireFrom(thr, state->write_lock, RSAN_UNCERTAIN);
  AcquireFrom(thr, state->read_lock, RSAN_UNCERTAIN);
}

void RsanAcquire(ThreadState *thr, SyncVar *s) {
  if (RsanExplores())
    RsanExploreAcquire(thr, s);
  AcquireState(thr, s->rsan.state);
  if (RsanRaceIsEmpty(s) && !s->rsan.location)
    return;
  u64 seq = RsanLockLocation(s);
  RsanRaceRead(thr, s, true);
  if (thr->rsan && s->rsan.location)
    rsan_acquire_location(thr->rsan, s->rsan.location);
  RsanUnlockLocation(s, seq);
}

void RsanAcquireBeside(ThreadState *thr, SyncVar *s) {
  SlotLocker locker(thr);
  ReadLock lock(&s->mtx);
  thr->clock.Acquire(s->clock);
  AcquireState(thr, s->rsan.state);
  u64 seq = RsanLockLocation(s);
  RsanRaceRead(thr, s, true);
  RsanUnlockLocation(s, seq);
  thr->rsan_own.unseen = false;
}

// An atomic access at the same address acquires what is released here (RsanAcquireBeside).
static void Disturb(SyncVar *s) {
  if (s->rsan.size)
    RsanDisturbLocation(s);
}

void RsanUnlock(ThreadState *thr, SyncVar *s) {
  NotePoint(thr, s->addr);
  if (thr->rsan)
    rsan_release(thr->rsan, Ensure(RsanStateOf(s)->write_lock), RSAN_CERTAIN);
  Disturb(s);
}

void RsanReadUnlock(ThreadState *thr, SyncVar *s) {
  NotePoint(thr, s->addr);
  if (thr->rsan)
    rsan_release_merge(thr->rsan, Ensure(RsanStateOf(s)->read_lock), RSAN_CERTAIN);
  Disturb(s);
}

void RsanRelease(ThreadState *thr, SyncVar *s, bool replace) {
  s->rsan.clock.epoch = kEpochZero; // TSan is about to change its clock
  Disturb(s);
  if (!thr->rsan)
    return;
  if (RsanIsShared(s->addr))
    ReleaseToProcesses(thr);
  rsan_sync *sync = Ensure(RsanStateOf(s)->other);
  if (replace)
    rsan_release(thr->rsan, sync, RSAN_UNCERTAIN);
  else
    rsan_release_merge(thr->rsan, sync, RSAN_UNCERTAIN);
}

// After the fork of a process with several threads, one that is gone may have left a lock taken.
// Such a child analyses nothing any more; what it frees is left behind.
void RsanReset(SyncVar *s) {
  RsanSyncVar *own = &s->rsan;
  own->clock.epoch = own->read_clock.epoch = kEpochZero;
  bool used = own->size || own->state || own->race.epochs;
  if (!used)
    return;
  u64 seq = 0;
  bool locks = !ctx->after_multithreaded_fork;
  if (locks)
    seq = RsanLockLocation(s);
  rsan_location *location = own->location;
  RsanSyncState *state = own->state;
  Epoch *race = own->race.epochs;
  own->location = nullptr;
  own->state = nullptr;
  own->race.epochs = nullptr;
  RsanRaceClear(s);
  own->size = 0;
  if (!locks)
    return;
  RsanUnlockLocation(s, seq + 2);
  rsan_thread *thread = cur_thread()->rsan;
  if (location && thread)
    rsan_location_retire(thread, location);
  else
    rsan_location_free(RsanEngine(), location);
  Free(race);
  if (!state)
    return;
  rsan_sync_free(state->write_lock);
  rsan_sync_free(state->read_lock);
  rsan_sync_free(state->other);
  RsanFreeVersionClocks(state->versions);
  Free(state);
}

} // namespace __tsan

using namespace __tsan;

extern "C" {
SANITIZER_INTERFACE_ATTRIBUTE unsigned long __rsan_violation_count() {
  return RsanEngine() ? rsan_engine_stat(RsanEngine(), RSAN_STAT_violations) : 0;
}

// Called by the compiler's pass: entry to and exit from a function that is to be left out.
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_ignore_begin() {
  if (RsanExplores())
    RsanNoteGap(kRsanGap_SUPPRESSED);
  cur_thread()->rsan_own.ignored++;
  if (RsanExplores())
    RsanNoteGap(kRsanGap_SUPPRESSED);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_ignore_end() {
  cur_thread()->rsan_own.ignored--;
}
}
