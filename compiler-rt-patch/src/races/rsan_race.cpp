// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "races/rsan_race.h"
#include "locations/rsan_lock.h"

#include "port/rsan_tsan.h"

namespace __tsan {

// The epoch of each slot at which its present thread took it.
atomic_uint16_t rsan_slot_floors[kThreadSlotCount];

// Slots that anyone has taken in the present period between two resets of all epochs: they are the
// first so many. The period is in the upper bits.
static atomic_uint64_t slots_taken;
static const u32 kPeriodShift = 16;

void RsanSlotAttached(Sid sid, Epoch epoch) {
  atomic_store_relaxed(&rsan_slot_floors[static_cast<u8>(sid)], static_cast<u16>(epoch));
  u64 mine = (static_cast<u64>(ctx->global_epoch) << kPeriodShift) | (static_cast<u8>(sid) + 1u);
  u64 seen = atomic_load_relaxed(&slots_taken);
  while (seen < mine &&
         !atomic_compare_exchange_weak(&slots_taken, &seen, mine, memory_order_relaxed)) {
  }
  atomic_thread_fence(memory_order_release); // as in IncrementEpoch
}

// Groups of entries that a clock of the present period can have.
static u32 Groups() {
  u32 taken = atomic_load_relaxed(&slots_taken) & ((1u << kPeriodShift) - 1);
  return RoundUpTo(taken, kRaceGroup) / kRaceGroup;
}

static_assert(sizeof(VectorClock) == kThreadSlotCount * sizeof(Epoch), "nothing but its entries");
static const Epoch *EpochsOf(const VectorClock &clock) {
  return reinterpret_cast<const Epoch *>(&clock);
}

static void JoinGroups(Epoch *__restrict into, const Epoch *__restrict from, u32 groups) {
  for (u32 group = 0; group < groups * kRaceGroup; group += kRaceGroup)
    for (u32 i = group; i < group + kRaceGroup; i++)
      into[i] = Max(into[i], from[i]);
}

static void CopyGroups(Epoch *__restrict into, const Epoch *__restrict from, u32 groups) {
  for (u32 group = 0; group < groups * kRaceGroup; group += kRaceGroup)
    for (u32 i = group; i < group + kRaceGroup; i++)
      into[i] = from[i];
}

// Room for so many groups; the old entries stay. Blocks of 64, 128, 256, 512 bytes: what a clock
// grows out of is of use to other clocks and to the core alone.
static RsanRaceClock *Reserve(SyncVar *s, u32 groups) {
  RsanRaceClock *w = &s->rsan.race;
  if (w->epochs && w->room >= groups)
    return w;
  u32 room = 4;
  while (room < groups)
    room *= 2;
  auto *epochs = static_cast<Epoch *>(Alloc(room * kRaceGroup * sizeof(Epoch)));
  if (w->epochs)
    CopyGroups(epochs, w->epochs, w->count);
  else
    w->count = 0;
  Free(w->epochs);
  w->epochs = epochs;
  w->room = static_cast<u8>(room);
  return w;
}

void RsanRaceJoin(VectorClock *clock, const RsanRaceClock &w) {
  JoinGroups(const_cast<Epoch *>(EpochsOf(*clock)), w.epochs, w.count);
}

void RsanRaceAssign(SyncVar *s, const VectorClock &clock) {
  u32 groups = Groups();
  RsanRaceClock *w = Reserve(s, groups);
  w->count = static_cast<u8>(groups);
  CopyGroups(w->epochs, EpochsOf(clock), groups);
}

void RsanRaceMerge(SyncVar *s, const VectorClock &clock) {
  u32 groups = Groups();
  RsanRaceClock *w = Reserve(s, groups);
  if (w->count < groups) // more would be of another period
    CopyGroups(w->epochs + w->count * kRaceGroup, EpochsOf(clock) + w->count * kRaceGroup,
               groups - w->count);
  JoinGroups(w->epochs, EpochsOf(clock), w->count);
  w->count = static_cast<u8>(groups);
  w->sid = kFreeSid;
}

void RsanRaceMove(SyncVar *into, SyncVar *from) {
  if (RsanRaceIsEmpty(from))
    return;
  VectorClock clock;
  RsanRaceJoin(&clock, from->rsan.race);
  if (RsanRaceIsEmpty(into)) {
    RsanRaceAssign(into, clock);
    into->rsan.race.sid = from->rsan.race.sid;
    into->rsan.race.epoch = from->rsan.race.epoch;
    into->rsan.race.period = from->rsan.race.period;
  } else {
    RsanRaceMerge(into, clock);
  }
  RsanRaceClear(from);
}

// Clocks that tell their origin.
static bool Knows(ThreadState *thr, RsanClockOrigin origin) {
  return origin.epoch != kEpochZero && thr->clock.Get(origin.sid) >= origin.epoch &&
         RsanRaceIsOfOwner(origin.sid, origin.epoch);
}

static void AcquireClock(ThreadState *thr, const VectorClock *clock, RsanClockOrigin origin) {
  if (!clock || Knows(thr, origin))
    return;
  thr->clock.Acquire(clock);
  RsanRaceStir(thr);
}

static void ReleaseClock(ThreadState *thr, VectorClock **clock, RsanClockOrigin *origin) {
  RsanRaceGoOn(thr);
  Sid sid = thr->fast_state.sid();
  Epoch epoch = thr->fast_state.epoch();
  if (*clock && origin->is_copy && RsanRaceIsSteady(thr, origin->sid, origin->epoch))
    (*clock)->Set(sid, epoch);
  else
    thr->clock.ReleaseStore(clock);
  *origin = {sid, true, epoch};
}

// W(f) of the seq_cst fences. Its epochs belong to one period, between two of TSan's resets, which
// take all slots.
static StaticSpinMutex fence_mutex;
static VectorClock *fence_clock SANITIZER_GUARDED_BY(fence_mutex);
static RsanClockOrigin fence_origin SANITIZER_GUARDED_BY(fence_mutex);
static uptr fence_period SANITIZER_GUARDED_BY(fence_mutex);
static atomic_uint64_t fence_count; // number of times that another thread could learn from it

// `quiet`: the clock of f has all that the thread would release.
static void PassThroughFenceLocation(ThreadState *thr, bool quiet) {
  SpinMutexLock lock(&fence_mutex);
  if (fence_clock && fence_period != ctx->global_epoch) {
    fence_clock->Reset();
    fence_origin.epoch = kEpochZero;
  }
  fence_period = ctx->global_epoch;
  u64 count = atomic_load_relaxed(&fence_count);
  AcquireClock(thr, fence_clock, fence_origin);
  if (!quiet) { // it has all of f by now
    ReleaseClock(thr, &fence_clock, &fence_origin);
    atomic_store(&fence_count, ++count, memory_order_release);
  }
  thr->rsan_own.fence.count = count;
}

// Every slot's present epoch. What a slot's thread still does in it counts as done, and what the
// thread has learnt when it releases with that epoch need not be in the clock: so comparisons with
// it tell nothing from now on. The fence: whatever has been read so far comes before.
static void GetEverything(VectorClock *clock) {
  atomic_thread_fence(memory_order_acquire);
  for (auto &slot : ctx->slots) {
    Epoch epoch = slot.epoch();
    clock->Set(slot.sid, epoch);
    atomic_uint16_t *floor = &rsan_slot_floors[static_cast<u8>(slot.sid)];
    u16 wanted = static_cast<u16>(epoch) + 1, seen = atomic_load_relaxed(floor);
    while (seen < wanted &&
           !atomic_compare_exchange_weak(floor, &seen, wanted, memory_order_relaxed)) {
    }
  }
}

// The clock that all threads released when their functions returned. TSan's reset of all epochs
// begins a new period, in which the clock starts empty.
static StaticSpinMutex ending_mutex;
static VectorClock *ending_clock SANITIZER_GUARDED_BY(ending_mutex);
static uptr ending_period SANITIZER_GUARDED_BY(ending_mutex);

void RsanRaceEnding(ThreadState *thr) {
  {
    SpinMutexLock lock(&ending_mutex);
    if (ending_clock && ending_period != ctx->global_epoch)
      ending_clock->Reset();
    ending_period = ctx->global_epoch;
    thr->clock.Release(&ending_clock);
  }
  IncrementEpoch(thr);
}

static void GetEndings(VectorClock *clock, uptr period) {
  SpinMutexLock lock(&ending_mutex);
  if (ending_clock && ending_period == period)
    *clock = *ending_clock;
}

// The present access may have read before it asked, and it may have no slot. So its thread takes W
// beside the access, or at its next acquire fence.
void RsanRaceUnseenWrite(ThreadState *thr, SyncVar *s, bool ending) {
  if (!rsan_flags()->races)
    return;
  uptr period = ctx->global_epoch;
  VectorClock known;
  if (ending)
    GetEndings(&known, period);
  else
    GetEverything(&known);
  if (RsanRaceIsEmpty(s))
    RsanRaceAssign(s, known);
  else
    RsanRaceMerge(s, known);
  s->rsan.race.sid = kFreeSid;
  s->rsan.race.epoch = kEpochLast;
  s->rsan.race.period = static_cast<u16>(period);
  RsanStateOf(s);
  thr->rsan_own.unseen = true;
  thr->rsan_own.fence.trace_pos = 0; // the next fence is not idle
}

void RsanRaceAcquireEverything(ThreadState *thr) {
  RsanRaceGoOn(thr);
  GetEverything(&thr->clock);
  RsanRaceStir(thr);
}

void RsanRaceCollectEverything(VectorClock *everything) {
  GetEverything(everything);
}

void RsanRaceAcquireCollected(ThreadState *thr, const VectorClock &everything, uptr period) {
  RsanRaceGoOn(thr);
  if (period != ctx->global_epoch)
    return; // nobody asks for it any more
  thr->clock.Acquire(&everything);
  RsanRaceStir(thr);
}

void RsanRacePassMembarrier(ThreadState *thr, const VectorClock &before, VectorClock *passed) {
  RsanRaceFence(thr, true, false, false);
  passed->Acquire(&thr->clock);
  thr->clock.Acquire(&before);
  RsanRaceStir(thr);
  RsanRaceFence(thr, false, true, false);
}

void RsanRaceAcquireEndings(ThreadState *thr) {
  VectorClock endings;
  RsanRaceGoOn(thr);
  GetEndings(&endings, ctx->global_epoch);
  thr->clock.Acquire(&endings);
  RsanRaceStir(thr);
}

static bool IsQuietSince(ThreadState *thr, u64 slot_locks) {
  const auto &fence = thr->rsan_own.fence;
  return fence.trace_pos && fence.trace_pos == atomic_load_relaxed(&thr->trace_pos) &&
         fence.slot_locks == slot_locks;
}

bool RsanRaceFenceIsIdle(ThreadState *thr) {
  return IsQuietSince(thr, thr->rsan_own.slot_locks) &&
         thr->rsan_own.fence.count == atomic_load(&fence_count, memory_order_acquire);
}

void RsanRaceFence(ThreadState *thr, bool acquires, bool releases, bool sc) {
  RsanThreadState *own = &thr->rsan_own;
  bool quiet = IsQuietSince(thr, own->slot_locks - 1); // that is, until the slot was taken for this
  RsanRaceGoOn(thr);
  if (acquires && own->unseen) {
    GetEverything(&thr->clock);
    RsanRaceStir(thr);
    own->unseen = false;
  }
  if (acquires && own->has_acquire) {
    thr->clock.Acquire(&own->acquire);
    RsanRaceStir(thr);
    own->acquire.Reset();
    own->has_acquire = false;
  }
  if (sc)
    PassThroughFenceLocation(thr, quiet);
  if (!releases)
    return;
  RsanRaceGoOn(thr); // whatever the thread has learnt above
  if (own->has_release && RsanRaceIsSteady(thr, own->release_sid, own->release_epoch))
    own->release.Set(thr->fast_state.sid(), thr->fast_state.epoch());
  else
    own->release = thr->clock;
  own->release_sid = thr->fast_state.sid();
  own->release_epoch = thr->fast_state.epoch();
  own->has_release = true;
  IncrementEpoch(thr);
  if (!sc)
    return;
  own->fence.slot_locks = own->slot_locks;
  own->fence.trace_pos = atomic_load_relaxed(&thr->trace_pos);
}

// Mutexes. TSan joins and copies clocks at each lock and unlock; what would change nothing, or the
// thread's own entry alone, is left out.
void RsanKeepClocks(ThreadState *thr) {
  RsanRaceGoOn(thr);
}

// A clock that several readers have joined is no copy of anyone's. A thread that locks for writing
// joins it, and releases all of it with the present epoch or a later one.
void RsanAcquireClocks(ThreadState *thr, SyncVar *s, bool writes) {
  RsanRaceGoOn(thr);
  AcquireClock(thr, s->clock, s->rsan.clock);
  if (!writes || !s->read_clock)
    return;
  AcquireClock(thr, s->read_clock, s->rsan.read_clock);
  if (s->rsan.read_clock.epoch == kEpochZero)
    s->rsan.read_clock = {thr->fast_state.sid(), false, thr->fast_state.epoch()};
}

void RsanReleaseClock(ThreadState *thr, SyncVar *s) {
  ReleaseClock(thr, &s->clock, &s->rsan.clock);
}

void RsanReleaseReadClock(ThreadState *thr, SyncVar *s) {
  RsanClockOrigin *origin = &s->rsan.read_clock;
  if (!s->read_clock || Knows(thr, *origin)) {
    ReleaseClock(thr, &s->read_clock, origin);
    return;
  }
  RsanRaceGoOn(thr);
  thr->clock.Release(&s->read_clock);
  origin->epoch = kEpochZero;
}

// The thread's epochs have been reset.
void RsanResetThreadClocks(ThreadState *thr) {
  if (thr->rsan_own.has_acquire)
    thr->rsan_own.acquire.Reset();
  if (thr->rsan_own.has_release)
    thr->rsan_own.release.Reset();
  thr->rsan_own.has_acquire = thr->rsan_own.has_release = false;
  thr->rsan_own.fence.trace_pos = 0; // the old trace may be gone
}

// All epochs have been reset.
void RsanResetClocks(SyncVar *s) {
  RsanRaceClear(s);
  s->rsan.clock.epoch = s->rsan.read_clock.epoch = kEpochZero;
}

} // namespace __tsan

using namespace __tsan;

// (The period is that between two resets of all epochs.)
extern "C" u64 rsan_host_mark(u32 *slot, u64 *last) {
  const FastState state = cur_thread()->fast_state;
  *slot = static_cast<u32>(state.sid());
  *last = RsanMarkOf(kEpochLast);
  return RsanMarkOf(state.epoch());
}
