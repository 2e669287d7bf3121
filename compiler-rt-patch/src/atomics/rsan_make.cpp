// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "atomics/rsan_make.h"

#include "base/rsan_checked.h"
#include "races/rsan_race.h"
#include "sync/rsan_sync.h"

namespace __tsan {

// Withdraws the location at `addr`, if it is not of `size`, and then has the larger extent. That is
// published; from now on every later location in its granule sees it.
static void WithdrawIfOther(SyncVar *self, u32 size) {
  u64 seq = RsanLockLocation(self);
  if (self->rsan.location && self->rsan.size != size) {
    rsan_location_withdraw(RsanEngine(), self->rsan.location, size);
    self->rsan.size = Max(self->rsan.size, size);
  }
  RsanUnlockLocation(self, seq + 2);
}

// Withdraws the location at `addr` and all that it overlaps. One lock at a time: each location's
// own.
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

// Bytes from a multiple of their number on.
struct Block {
  uptr addr, size;

  bool Has(uptr a, uptr n) const { return addr <= a && a + n <= addr + size; }

  // Until it has these bytes, too. Returns false if that would be more than a granule.
  bool Grow(uptr a, uptr n) {
    for (; !Has(a, n); addr = RoundDownTo(addr, size))
      if ((size *= 2) > kRsanGranule)
        return false;
    return true;
  }
};

enum Overlaps { kAlone, kOverlaps, kTooFar };

// Grows the block until it has all locations that it overlaps. `self` has just been made for these
// bytes, if it is of `size`.
static Overlaps Gather(Block *block, const SyncVar *self, u32 size) {
  Overlaps result = kAlone;
  bool again = true;
  while (again && result != kTooFar) {
    again = false;
    RsanForEachNear(block->addr, [&](SyncVar *s) {
      u64 seq = RsanLockLocation(s);
      const uptr addr = s->addr, bytes = s->rsan.location ? s->rsan.size : 0;
      RsanUnlockLocation(s, seq);
      if (result == kTooFar || !bytes || !RsanOverlap(block->addr, block->size, addr, bytes))
        return;
      if (s != self || bytes != size)
        result = kOverlaps;
      again |= !block->Has(addr, bytes);
      if (!block->Grow(addr, bytes))
        result = kTooFar;
    });
  }
  return result;
}

// All sync variables of a block, by address, each with its lock held.
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

  // The sync variables in order; by their locks, they stay what they are.
  u32 Count() const { return count_; }
  SyncVar *At(u32 i) const { return vars_[i]; }

private:
  // (By the pointer: an address may change until the lock is held. A thread that holds several of
  // these locks has taken them in this order.)
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

// What the sync variable had goes to the block's.
static void Leave(ThreadState *thr, SyncVar *s, SyncVar *whole) {
  RsanRaceMove(whole, s);
  rsan_location_free(RsanEngine(), s->rsan.location);
  s->rsan.location = nullptr;
  s->rsan.size = 0;
}

// Makes the block's location of all that are in it. Returns false if one of them is withdrawn.
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

// Is the block's location the only one there? It has been published with its extent, so that every
// later one sees it.
static bool IsWhole(const Block &block) {
  bool whole = false, others = false;
  RsanForEachNear(block.addr, [&](SyncVar *s) {
    u64 seq = RsanLockLocation(s);
    const uptr addr = s->addr, bytes = s->rsan.location ? s->rsan.size : 0;
    RsanUnlockLocation(s, seq);
    if (!bytes || !RsanOverlap(block.addr, block.size, addr, bytes))
      return;
    const bool is_whole = addr == block.addr && bytes == block.size;
    whole |= is_whole;
    others |= !is_whole;
  });
  return whole && !others;
}

// The location of the access, if others overlap it that can be one with it; else none. `self`: the
// sync variable at the address.
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

// Is the location there, and one of accesses of `size` bytes? Makes it if it is not there.
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

// What was released by annotations at the address is acquired here: the access is made of the
// block's location, at another address.
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
