// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "atomics/rsan_make.h"

#include "base/rsan_checked.h"
#include "races/rsan_race.h"
#include "sync/rsan_sync.h"

namespace __tsan {

// Withdraws the location if it has another size, and gives it the larger extent. The lock publishes
// the extent, so every later location in the granule sees it.
static void WithdrawIfOther(SyncVar *self, u32 size) {
  u64 seq = RsanLockLocation(self);
  if (self->rsan.location && self->rsan.size != size) {
    rsan_location_withdraw(RsanEngine(), self->rsan.location, size);
    self->rsan.size = Max(self->rsan.size, size);
  }
  RsanUnlockLocation(self, seq + 2);
}

// Withdraws the location at `addr` and all locations that it overlaps. Holds one lock at a time.
static void WithdrawOverlapping(SyncVar *self, uptr addr, u32 size) {
  bool overlaps = false;
  WithdrawIfOther(self, size);
  auto withdraw = [&](SyncVar *s) {
    if (s == self)
      return;
    u64 seq = RsanLockLocation(s);
    rsan_location *location = s->rsan.location;
    if (location && RsanOverlap(addr, size, s->addr, s->rsan.size)) {
      rsan_location_withdraw(RsanEngine(), location, s->rsan.size);
      overlaps = true;
    }
    RsanUnlockLocation(s, seq + 2);
  };
  RsanForEachNear(addr, withdraw);
  u64 seq = RsanLockLocation(self);
  if (self->rsan.location && overlaps)
    rsan_location_withdraw(RsanEngine(), self->rsan.location, size);
  RsanUnlockLocation(self, seq + 2);
}

// A block of bytes whose address is a multiple of its size. ExtentOf returns one of size 0 for no
// location.
struct Block {
  uptr addr, size;

  bool Overlaps(const Block &other) const {
    return other.size && RsanOverlap(addr, size, other.addr, other.size);
  }

  bool Has(uptr a, uptr n) const { return addr <= a && a + n <= addr + size; }

  // Doubles the block until it has these bytes, too. Returns false if it would exceed a granule.
  bool Grow(uptr a, uptr n) {
    for (; !Has(a, n); addr = RoundDownTo(addr, size))
      if ((size *= 2) > kRsanGranule)
        return false;
    return true;
  }
};

// The bytes of a sync variable's location; none: it has no location.
static Block ExtentOf(SyncVar *s) {
  const u64 seq = RsanLockLocation(s);
  const Block extent = {s->addr, s->rsan.location ? s->rsan.size : 0};
  RsanUnlockLocation(s, seq);
  return extent;
}

enum Overlaps { kAlone, kOverlaps, kTooFar };

// Grows the block until it contains all locations that it overlaps. `self` does not count if its
// location has `size`, because it was made for this access.
static Overlaps Gather(Block *block, const SyncVar *self, u32 size) {
  Overlaps result = kAlone;
  bool again = true;
  while (again && result != kTooFar) {
    again = false;
    RsanForEachNear(block->addr, [&](SyncVar *s) {
      const Block other = ExtentOf(s);
      if (result == kTooFar || !block->Overlaps(other))
        return;
      if (s != self || other.size != size)
        result = kOverlaps;
      again |= !block->Has(other.addr, other.size);
      if (!block->Grow(other.addr, other.size))
        result = kTooFar;
    });
  }
  return result;
}

// Holds the locks of all sync variables of a block.
class LockedBlock {
public:
  LockedBlock(const Block &block, SyncVar *first) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
    Add(first);
    RsanForEachNear(block.addr, [&](SyncVar *s) {
      if (block.Has(s->addr, 1))
        Add(s);
    });
    for (u32 i = 0; i < count_; i++)
      seqs_[i] = RsanLockLocation(vars_[i]);
  }

  ~LockedBlock() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
    for (u32 i = 0; i < count_; i++)
      RsanUnlockLocation(vars_[i], seqs_[i] + 2);
  }

  // While the locks are held, the sync variables do not change.
  u32 Count() const { return count_; }
  SyncVar *At(u32 i) const { return vars_[i]; }

private:
  // The order is that of the pointers, because an address may change until the lock is held. Every
  // thread that takes several of these locks takes them in this order, so none waits in a circle.
  void Add(SyncVar *s) {
    u32 at = count_;
    for (u32 i = 0; i < count_; i++)
      if (vars_[i] == s)
        return;
    if (count_ == kRsanGranule)
      return;
    for (; at && vars_[at - 1] > s; at--)
      vars_[at] = vars_[at - 1];
    vars_[at] = s;
    count_++;
  }

  SyncVar *vars_[kRsanGranule];
  u64 seqs_[kRsanGranule];
  u32 count_ = 0;
};

// Gives the race clock of a sync variable to that of the block, and frees its location.
static void Leave(ThreadState *thr, SyncVar *s, SyncVar *whole) {
  RsanRaceMove(whole, s);
  rsan_location_free(RsanEngine(), s->rsan.location);
  s->rsan.location = nullptr;
  s->rsan.size = 0;
}

// Makes one location of all locations in the block. Returns false if one of them is withdrawn.
static bool Mix(ThreadState *thr, uptr pc, const Block &block) {
  SyncVar *whole = ctx->metamap.GetSyncOrCreate(thr, pc, block.addr, false);
  const LockedBlock locked(block, whole);
  rsan_part parts[kRsanGranule];
  SyncVar *vars[kRsanGranule];
  u32 count = 0;
  for (u32 i = 0; i < locked.Count(); i++) {
    SyncVar *s = locked.At(i);
    if (!s->rsan.location || !s->rsan.size || !block.Has(s->addr, 1))
      continue;
    if (!block.Has(s->addr, s->rsan.size))
      return true; // it has grown meanwhile: the caller looks again
    vars[count] = s;
    parts[count++] = {s->rsan.location, static_cast<u32>(s->addr - block.addr)};
  }
  if (whole->addr != block.addr)
    return true; // freed meanwhile
  const bool is_new = !whole->rsan.location;
  if (is_new) {
    RsanMarkRegion(block.addr);
    whole->rsan.location = rsan_location_new(RsanEngine(), thr->rsan, block.size);
  }
  if (!rsan_location_mix(RsanEngine(), thr->rsan, whole->rsan.location, block.size, parts, count)) {
    if (is_new) {
      rsan_location_free(RsanEngine(), whole->rsan.location);
      whole->rsan.location = nullptr;
    }
    return false;
  }
  whole->rsan.size = block.size;
  for (u32 i = 0; i < count; i++)
    if (vars[i] != whole)
      Leave(thr, vars[i], whole);
  RsanNoteMixes();
  return true;
}

// Is the block's location the only one there? Its extent is published, so every later location sees
// it.
static bool IsWhole(const Block &block) {
  bool whole = false, others = false;
  RsanForEachNear(block.addr, [&](SyncVar *s) {
    const Block other = ExtentOf(s);
    if (!block.Overlaps(other))
      return;
    const bool is_whole = other.addr == block.addr && other.size == block.size;
    whole |= is_whole;
    others |= !is_whole;
  });
  return whole && !others;
}

// Returns the location of several sizes that has the bytes of the access, locked. Makes it if other
// locations overlap these bytes. Returns none if no location does, or if they had to be withdrawn.
// `self` is the sync variable at the address.
static RsanLocked LockOfSeveral(ThreadState *thr, uptr pc, SyncVar *self, uptr addr, u32 size) {
  for (;;) {
    Block block = {addr, 1};
    Overlaps overlaps = block.Grow(addr, size) ? Gather(&block, self, size) : kTooFar;
    if (overlaps == kAlone)
      return {};
    if (overlaps == kOverlaps && IsWhole(block))
      if (RsanLocked locked = RsanLockMixed(thr, addr, size); locked.s)
        return locked;
    if (overlaps == kTooFar || !Mix(thr, pc, block)) {
      WithdrawOverlapping(self, addr, size);
      return {};
    }
  }
}

// Returns whether the sync variable already has a location of `size` bytes. If it has no location,
// makes one of that size and returns false: the caller looks for locations that overlap it.
static bool Prepare(ThreadState *thr, SyncVar *s, uptr addr, u32 size, bool *made) {
  *made = false;
  if (!s->rsan.location)
    RsanNoteAtomic();
  if (!RsanEngine()) {
    s->rsan.size = size;
    return true;
  }
  if (s->rsan.location)
    return s->rsan.size == size;
  RsanMarkRegion(addr);
  s->rsan.location = rsan_location_new(RsanEngine(), thr->rsan, size);
  s->rsan.size = size;
  *made = true;
  return false;
}

// Returns the location of several sizes that has these bytes, locked, or none. Before that the
// thread acquires what annotations have released at `addr`, because the access itself acquires from
// the sync variable at the block's address.
static RsanLocked FindMixed(ThreadState *thr, uptr addr, u32 size) {
  if (!RsanAnyMixes())
    return {};
  SyncVar *s = ctx->metamap.GetSyncIfExists(addr);
  if (s && !s->rsan.location && (s->clock || s->rsan.state))
    RsanAcquireAside(thr, s);
  return RsanLockMixed(thr, addr, size);
}

RsanLocked RsanLockOrMakeLocation(ThreadState *thr, uptr pc, uptr addr, u32 size) {
  if (RsanLocked known = RsanLockKnown(thr, addr, size); known.s)
    return known;
  for (;;) { // more than once where the location is new, and where the memory is freed meanwhile
    if (RsanLocked mixed = FindMixed(thr, addr, size); mixed.s)
      return mixed;
    SyncVar *s = ctx->metamap.GetSyncOrCreate(thr, pc, addr, false);
    u64 seq = RsanLockLocation(s);
    bool made;
    if (LIKELY(Prepare(thr, s, addr, size, &made))) {
      *RsanSyncEntry(thr, addr) = {addr, s};
      return {s, seq};
    }
    RsanUnlockLocation(s, made ? seq + 2 : seq);
    if (!rsan_engine_mixes(RsanEngine()))
      WithdrawOverlapping(s, addr, size);
    else if (RsanLocked mixed = LockOfSeveral(thr, pc, s, addr, size); mixed.s)
      return mixed;
    seq = RsanLockLocation(s);
    if (LIKELY(s->addr == addr && s->rsan.size >= size)) {
      *RsanSyncEntry(thr, addr) = {addr, s};
      return {s, seq};
    }
    RsanUnlockLocation(s, seq);
  }
}

} // namespace __tsan
