// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Did code that is not instrumented write a value? The core asks of values that no atomic access
// has left (rsan/host.h). A thread that acquires such a value synchronises with everything that
// was done so far, in both kinds of clocks.
//
// TSan's shadow has the last few plain accesses of each eight bytes. If there is a write among them
// that was not there when the core asked last, a constructor or memset has probably left the value,
// which must not cost violations. If it was the constructor of an atomic object, what it stored is
// known (rsan_initial.h), and only another value was not seen. Else the value may as well have been
// written after that, at the end of a thread, unless it is 0, or the present thread has written it
// in its present epoch, that is, has not released it yet.
//
// An object that was lent to code which is not instrumented (rsan_lent.h) has a value that was not
// seen to be written when it is accessed for the first time after such code may have run.
//
// Memory that other processes may share is theirs as well: there a value was not seen.
//
// If there is no such write, and it is the first access, the value may be the initial one of an
// object with static storage (rsan_static.cpp). Else it was not seen. With races=0 the shadow has
// nothing: then it is the last constructor's value that is asked for, whatever was written since.
//
// Deviation 1: a value that was not seen goes unnoticed if it is the one that the last atomic
// access or the constructor left and the object is not lent; if it comes after a plain write of a
// value that is not known and that no atomic access has found, and not from the end of a thread; or
// if it is 0 at the first access.
//
// Deviation 2: plain writes that the shadow no longer has count as not seen.

#include "atomics/rsan_step.h"
#include "exploration/rsan_explore.h"
#include "exploration/rsan_set_up.h"
#include "locations/rsan_initial.h"
#include "locations/rsan_lent.h"

namespace __tsan {

static bool IsPlainWrite(Shadow entry, uptr addr, u32 size) {
  if (entry.raw() == Shadow::kEmpty || entry.raw() == Shadow::kRodata)
    return false;
  uptr begin, length;
  AccessType type;
  entry.GetAccess(&begin, &length, &type);
  uptr from = addr % kShadowCell;
  return type == kAccessWrite && begin < from + size && from < begin + length;
}

// The plain writes that the shadow has of an object.
class PlainWrites {
public:
  PlainWrites(uptr addr, u32 size) {
    for (uptr cell = RoundDownTo(addr, kShadowCell); cell < addr + size; cell += kShadowCell) {
      RawShadow *shadow = MemToShadow(cell);
      uptr begin = Max(addr, cell);
      u32 length = static_cast<u32>(Min(addr + size, cell + kShadowCell) - begin);
      Shadow access;
      for (uptr i = 0; count_ < kRoom && RsanKeptAccess(shadow, i, &access); i++)
        if (IsPlainWrite(access, begin, length))
          entries_[count_++] = access.raw();
    }
  }

  // Is there one that was not there then? And keeps what is there now.
  bool AreNewTo(RsanPlainWrites *known) const {
    bool is_new = false;
    for (u32 i = 0; i < count_; i++)
      is_new |= !known->too_many && !IsAmong(*known, entries_[i]);
    known->too_many = count_ > RsanPlainWrites::kRoom;
    for (u32 i = 0; i < RsanPlainWrites::kRoom; i++)
      known->at[i] = i < count_ ? static_cast<u32>(entries_[i]) : 0;
    return is_new;
  }

  // Is one of the thread's present epoch?
  bool HasPresentOf(ThreadState *thr) const {
    for (u32 i = 0; i < count_; i++) {
      Shadow entry(entries_[i]);
      if (entry.sid() == thr->fast_state.sid() && entry.epoch() == thr->fast_state.epoch())
        return true;
    }
    return false;
  }

  // Is that store the last one?
  bool EndWith(const RsanInitial &store) const {
    bool found = false;
    for (u32 i = 0; i < count_; i++) {
      Shadow entry(entries_[i]);
      if (entry.sid() != store.sid || entry.epoch() > store.epoch)
        return false;
      found |= entry.epoch() == store.epoch;
    }
    return found;
  }

  u32 Count() const { return count_; }

private:
  static bool IsAmong(const RsanPlainWrites &known, RawShadow entry) {
    for (u32 i = 0; i < RsanPlainWrites::kRoom; i++)
      if (known.at[i] == static_cast<u32>(entry))
        return true;
    return false;
  }

  static const u32 kRoom = 2 * kShadowCnt;
  RawShadow entries_[kRoom];
  u32 count_ = 0;
};

static bool FindInitial(const PlainWrites &writes, uptr addr, u32 size, RsanInitial *initial) {
  return RsanFindInitial(addr, size, initial) &&
         (RsanIgnoresPlainAccesses() || writes.EndWith(*initial));
}

static rsan_writer WhoWrote(ThreadState *thr, SyncVar *s, uptr addr, u32 size, rsan_value value,
                            bool first) {
  PlainWrites writes(addr, size);
  bool zero = !value.low && !value.high;
  bool plain = writes.AreNewTo(&s->rsan.plain) || (first && writes.Count());
  if (first && RsanFindsLent(addr))
    return RSAN_WRITER_UNSEEN;
  RsanInitial initial;
  bool shared = RsanIsShared(addr);
  if ((plain || first) && !shared && FindInitial(writes, addr, size, &initial))
    return value.low == initial.value && !value.high ? RSAN_WRITER_SEEN : RSAN_WRITER_UNSEEN;
  if (plain) {
    if (zero || writes.HasPresentOf(thr))
      return RSAN_WRITER_SEEN;
    return shared ? RSAN_WRITER_UNSEEN : RSAN_WRITER_ENDING;
  }
  return first && (zero || (!shared && RsanIsInitial(addr, size, value))) ? RSAN_WRITER_SEEN
                                                                          : RSAN_WRITER_UNSEEN;
}

} // namespace __tsan

using namespace __tsan;

// A plain store does not read the value, so it does not synchronise with the value's writer.
extern "C" rsan_writer rsan_host_who_wrote(const rsan_access *access, bool first) {
  const u64 address = access->address;
  const u32 size = access->size;
  const rsan_value value = access->seen;
  ThreadState *thr = cur_thread();
  SyncVar *s = RsanFindSync(thr, address);
  rsan_writer writer = s ? WhoWrote(thr, s, address, size, value, first) : RSAN_WRITER_SEEN;
  if (RsanOnFibers())
    writer = RsanWriterInTest(address, size, value, first, writer);
  if (writer != RSAN_WRITER_SEEN && access->kind != RSAN_WRITE)
    RsanRaceUnseenWrite(thr, s, writer == RSAN_WRITER_ENDING);
  return writer;
}
