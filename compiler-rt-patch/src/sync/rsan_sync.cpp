// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes, and everything else that synchronises except atomic operations.
//
// Which edges go where: mutexes, thread creation and join are CERTAIN (recorded while the order is
// held fast). All else that TSan calls Acquire and Release (semaphores, file descriptors, barriers,
// annotations, signals, fibers, once) is recorded before or after the real operation, so that the
// recorded pairing may not be the real one: UNCERTAIN, happens-before only.
//
// Edges are recorded under ignore_sync too, where TSan leaves them out: they are real, and
// happens-before that is missing is what a false alarm is made of.

#include "sync/rsan_sync.h"

#include "base/rsan_exploring.h"
#include "base/rsan_simulating.h"
#include "locations/rsan_lock.h"
#include "races/rsan_version_clocks.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

void RsanNotePoint(ThreadState *thr, uptr addr) {
  if (!thr->rsan || !rsan_flags()->explain)
    return;
  uptr depth = thr->shadow_stack_pos - thr->shadow_stack;
  rsan_program_point point = {RsanCaller(thr), depth > 1 ? thr->shadow_stack_pos[-2] : 0,
                              RsanShownAddress(addr)};
  rsan_thread_at(thr->rsan, &point);
}

void RsanPosts(ThreadState *thr, uptr semaphore) {
  RsanSchedulePoint(thr, RsanCaller(thr), RSAN_KIND_SEM_POST, semaphore, true);
}

void RsanThreadEnding(ThreadState *thr) {
  if (!thr->rsan || ctx->after_multithreaded_fork)
    return;
  SlotLocker locker(thr);
  rsan_thread_ending(thr->rsan);
  if (rsan_flags()->races)
    RsanRaceEnding(thr);
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

// For data races its address stands for the same object. Acquiring there hides races, so only who
// may have such an answer does it: RsanTimesShared.
static u64 world;
static atomic_uint32_t times_shared;

u32 RsanTimesShared() {
  return atomic_load_relaxed(&times_shared);
}

void RsanSharesDescriptors() {
  atomic_fetch_add(&times_shared, 1, memory_order_relaxed);
}

// Slot held.
static void ReleaseToProcesses(ThreadState *thr) {
  SpinMutexLock lock(&processes_mutex);
  rsan_release_merge(thr->rsan, Ensure(processes), RSAN_UNCERTAIN);
}

static void ReleaseRacesToWorld(ThreadState *thr) {
  SyncVar *s = ctx->metamap.GetSyncOrCreate(thr, 0, reinterpret_cast<uptr>(&world), false);
  Lock lock(&s->mtx);
  s->rsan.clock.epoch = kEpochZero; // as in RsanRelease
  thr->clock.Release(&s->clock);
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
  if (ctx->after_multithreaded_fork)
    return;
  SlotLocker locker(thr);
  if (thr->rsan)
    ReleaseToProcesses(thr);
  if (thr->ignore_sync || !rsan_flags()->races)
    return;
  ReleaseRacesToWorld(thr);
  IncrementEpoch(thr);
}

void RsanAcquireFromProcesses(ThreadState *thr) {
  RsanAcquireFromProcesses(thr, RsanTimesShared() != 0);
}

void RsanAcquireFromProcesses(ThreadState *thr, bool races) {
  RsanNoteGapOfMany(kRsanGap_CALLS);
  if (ctx->after_multithreaded_fork)
    return;
  if (races && rsan_flags()->races)
    Acquire(thr, 0, reinterpret_cast<uptr>(&world));
  if (!thr->rsan)
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
  if (thr->rsan && (RsanIsMappedObject(s->addr) || RsanIsShared(s->addr)))
    AcquireFromProcesses(thr);
  if (!thr->rsan || !s->rsan.state)
    return;
  RsanNotePoint(thr, s->addr);
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

// With its lock held.
static void AcquireLocation(ThreadState *thr, SyncVar *s) {
  RsanRaceRead(thr, s, true);
  if (thr->rsan && s->rsan.location)
    rsan_acquire_location(thr->rsan, s->rsan.location);
}

void RsanAcquire(ThreadState *thr, SyncVar *s) {
  if (RsanExplores())
    RsanNoteUnscheduledOrder(thr, s);
  AcquireState(thr, s->rsan.state);
  if (!s->rsan.location && RsanAnyMixes())
    if (RsanLocked mixed = RsanLockMixed(thr, s->addr, 1); mixed.s) {
      AcquireLocation(thr, mixed.s);
      RsanUnlockLocation(mixed.s, mixed.seq);
    }
  if (RsanRaceIsEmpty(s) && !s->rsan.location)
    return;
  u64 seq = RsanLockLocation(s);
  AcquireLocation(thr, s);
  RsanUnlockLocation(s, seq);
}

void RsanAcquireAside(ThreadState *thr, SyncVar *s) {
  ReadLock lock(&s->mtx);
  thr->clock.Acquire(s->clock);
  RsanRaceStir(thr);
  AcquireState(thr, s->rsan.state);
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
  RsanNotePoint(thr, s->addr);
  if (thr->rsan)
    rsan_release(thr->rsan, Ensure(RsanStateOf(s)->write_lock), RSAN_CERTAIN);
  Disturb(s);
}

void RsanReadUnlock(ThreadState *thr, SyncVar *s) {
  RsanNotePoint(thr, s->addr);
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

// The SyncVar of a mapped object stays when its memory is unmapped, even if the mutex was locked.
void RsanCreates(SyncVar *s) {
  if (!RsanIsMappedObject(s->addr))
    return;
  Lock lock(&s->mtx);
  s->owner_tid = kInvalidTid;
  s->recursion = 0;
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
