// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sync/rsan_barriers.h"

#include "port/rsan_tsan.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

namespace {

struct Barrier {
  uptr address; // 0: free
  u32 count;    // of the threads that wait there together
  u64 arrived;  // since it was initialised
};

} // namespace

static StaticSpinMutex mutex;
static Vector<Barrier> *barriers SANITIZER_GUARDED_BY(mutex);

// Is this the child of a process with several threads? One of those may have had the lock.
static bool IsLockLost() {
  return ctx->after_multithreaded_fork;
}

static Barrier *Find(uptr address) SANITIZER_REQUIRES(mutex) {
  for (uptr i = 0; barriers && i < barriers->Size(); i++)
    if ((*barriers)[i].address == address)
      return &(*barriers)[i];
  return nullptr;
}

void RsanBeginBarrier(uptr address, u32 count) {
  if (RsanIsShared(address) || IsLockLost())
    return;
  SpinMutexLock lock(&mutex);
  if (!barriers)
    barriers = New<Vector<Barrier>>();
  Barrier *barrier = Find(address);
  if (!barrier)
    barrier = Find(0);
  if (!barrier)
    barrier = barriers->PushBack();
  *barrier = {address, count, 0};
}

void RsanEndBarrier(uptr address) {
  if (IsLockLost())
    return;
  SpinMutexLock lock(&mutex);
  if (Barrier *barrier = Find(address))
    barrier->address = 0;
}

uptr RsanArriveAtBarrier(ThreadState *thr, uptr address) {
  if (IsLockLost())
    return address;
  RsanSchedulePoint(thr, RsanCaller(thr), RSAN_KIND_BARRIER, address, true);
  SpinMutexLock lock(&mutex);
  Barrier *barrier = Find(address);
  if (!barrier)
    return address;
  return address + (barrier->arrived++ / barrier->count & 1);
}

RsanArrival RsanNewestArrival(uptr address) {
  if (IsLockLost())
    return kRsanUnknown;
  SpinMutexLock lock(&mutex);
  const Barrier *barrier = Find(address);
  if (!barrier)
    return kRsanUnknown;
  return barrier->arrived % barrier->count ? kRsanNotLast : kRsanLast;
}

u32 RsanBarrierCount(uptr address) {
  SpinMutexLock lock(&mutex);
  const Barrier *barrier = Find(address);
  return barrier ? barrier->count : 0;
}

u64 RsanBarrierArrivals(uptr address) {
  SpinMutexLock lock(&mutex);
  const Barrier *barrier = Find(address);
  return barrier ? barrier->arrived : 0;
}

} // namespace __tsan
