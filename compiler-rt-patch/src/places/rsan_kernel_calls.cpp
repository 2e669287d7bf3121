// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "places/rsan_kernel_calls.h"

#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

struct Call {
  uptr pc, caller; // 0: free
  const char *name;
};

} // namespace

// The places of calls; when all are taken, further ones have no name.
static const uptr kCalls = 256;
static StaticSpinMutex mutex;
static Call calls[kCalls] SANITIZER_GUARDED_BY(mutex);

// The entry of the place, or a free one; null: there is neither.
static Call *Find(uptr pc, uptr caller) SANITIZER_REQUIRES(mutex) {
  const uptr first = (pc ^ caller << 7) * 0x9e3779b97f4a7c15ull >> 56;
  for (uptr i = 0; i < kCalls; i++) {
    Call *call = &calls[(first + i) % kCalls];
    if (!call->pc || (call->pc == pc && call->caller == caller))
      return call;
  }
  return nullptr;
}

// (One place may make several calls, by a variable.)
void RsanNoteKernelCall(uptr pc, uptr caller, const char *name) {
  SpinMutexLock lock(&mutex);
  Call *call = Find(pc, caller);
  if (!call)
    return;
  if (call->pc && call->name != name)
    name = "futex";
  *call = {pc, caller, name};
}

const char *RsanKernelCallAt(rsan_check check, uptr pc, uptr caller) {
  if (!rsan_is_of_kernel(check))
    return nullptr;
  SpinMutexLock lock(&mutex);
  const Call *call = Find(pc, caller);
  return call && call->pc ? call->name : "futex";
}

} // namespace __tsan
