// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sync/rsan_barriers.h"

#include "port/rsan_tsan.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

static StaticSpinMutex mutex;
static Vector<RsanBarrier> *barriers SANITIZER_GUARDED_BY(mutex); // address 0: free

// Is this the child of a process with several threads? One of those may have had the lock.
static bool IsLockLost() {
  return ctx->after_multithreaded_fork;
}

static RsanBarrier *Find(uptr address) SANITIZER_REQUIRES(mutex) {
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
    barriers = New<Vector<RsanBarrier>>();
  RsanBarrier *barrier = Find(address);
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
  if (RsanBarrier *barrier = Find(address))
    barrier->address = 0;
}

uptr RsanArriveAtBarrier(ThreadState *thr, uptr address) {
  if (IsLockLost())
    return address;
  RsanSchedulePoint(thr, RsanCaller(thr), RSAN_KIND_BARRIER, address, true);
  SpinMutexLock lock(&mutex);
  RsanBarrier *barrier = Find(address);
  if (!barrier)
    return address;
  return address + (barrier->arrived++ / barrier->count & 1);
}

RsanBarrier RsanBarrierAt(uptr address) {
  if (IsLockLost())
    return {};
  SpinMutexLock lock(&mutex);
  const RsanBarrier *barrier = Find(address);
  return barrier ? *barrier : RsanBarrier{};
}

} // namespace __tsan
