// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Did code that is not instrumented write a value? The core asks of values that no atomic access
// has left (rsan/host.h). Who acquires such a value synchronises with everything that was done so
// far, in both kinds of clocks.
//
// TSan's shadow has the last few plain accesses of each eight bytes. If there is a write among them
// that was not there when the core asked last, a constructor or memset may have left the value; so
// it may at the first access. That is the normal case, and to take it for unseen would cost
// violations. But what is not seen may have been written after that. So the value passes for a
// constructor's only if it is 0, or if the present thread has written it in its present epoch, that
// is, has not released it yet. Else, and where no such write is found, it was not seen.
//
// With races=0 the shadow has nothing.
//
// Deviation 1: an unseen value goes unnoticed if it is the one that the last atomic access left, or
// if it is 0 and comes after a plain write, or before the first access.
// Deviation 2: plain writes that the shadow no longer has were not seen.

#include "rsan_step.h"

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
      for (uptr i = 0; i < kShadowCnt; i++)
        if (IsPlainWrite(Shadow(LoadShadow(&shadow[i])), begin, length))
          entries_[count_++] = LoadShadow(&shadow[i]);
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

private:
  static bool IsAmong(const RsanPlainWrites &known, RawShadow entry) {
    for (u32 i = 0; i < RsanPlainWrites::kRoom; i++)
      if (known.at[i] == static_cast<u32>(entry))
        return true;
    return false;
  }

  RawShadow entries_[2 * kShadowCnt];
  u32 count_ = 0;
};

static bool IsUnseen(ThreadState *thr, SyncVar *s, uptr addr, u32 size, bool zero, bool first) {
  PlainWrites writes(addr, size);
  bool may_be_plain = writes.AreNewTo(&s->rsan.plain) || first;
  return !may_be_plain || (!zero && !writes.HasPresentOf(thr));
}

} // namespace __tsan

using namespace __tsan;

extern "C" bool rsan_host_wrote_unseen(u64 address, u32 size, rsan_value value, bool first) {
  ThreadState *thr = cur_thread();
  SyncVar *s = ctx->metamap.GetSyncIfExists(address);
  bool zero = !value.low && !value.high;
  if (!s || !IsUnseen(thr, s, address, size, zero, first))
    return false;
  RsanRaceUnseenWrite(thr, s);
  return true;
}
