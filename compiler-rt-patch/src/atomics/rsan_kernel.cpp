// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which words the kernel's accesses can be analysed at.

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

} // namespace __tsan
