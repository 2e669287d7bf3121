// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which words the kernel's accesses can be analysed at, and what reports call the system call that
// makes them.

#include "atomics/rsan_kernel.h"

#include "atomics/rsan_step.h"
#include "port/rsan_tsan.h"
#include "rsan/processor/processor.h"

#include <errno.h>
#include <sys/syscall.h>

// (Its internal_iserror is defined in __sanitizer already.)
namespace rsan_kernel_calls {
using namespace __sanitizer;
#include RSAN_SYSTEM_CALLS
// (A macro, for some processors.)
static uptr SystemCall(u64 number, uptr a, uptr b, uptr c, uptr d) {
  return internal_syscall(number, a, b, c, d);
}
} // namespace rsan_kernel_calls

namespace __tsan {

void RsanNoteKernelCall(uptr pc, uptr caller, const char *call); // of rsan_kernel.inc

// (sigset_t of the kernel has eight bytes.) rt_sigprocmask reads the new mask before it finds that
// there is no such way to set it.
static bool IsReadable(uptr addr) {
  const uptr mask = RoundDownTo(addr, sizeof(u64));
  const uptr no_such_way = 99;
  return rsan_kernel_calls::SystemCall(SYS_rt_sigprocmask, no_such_way, mask, 0, sizeof(u64)) !=
         static_cast<uptr>(-EFAULT);
}

static bool IsKnown(ThreadState *thr, uptr word) {
  const SyncVar *known = RsanFindSync(thr, word);
  return known && RsanIsOf(known, word, sizeof(u32));
}

bool RsanIsFutexWord(ThreadState *thr, uptr word) {
  return word % sizeof(u32) == 0 && IsAppMem(word) && (IsKnown(thr, word) || IsReadable(word));
}

bool RsanIsKernelWord(ThreadState *thr, uptr word) {
  return IsKnown(thr, word) || !RsanOverlapsOther(thr, word, sizeof(u32));
}

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
