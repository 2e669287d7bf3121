// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "atomics/rsan_step.h"

#include "atomics/rsan_make.h"

namespace __tsan {

RsanLocked RsanLockSlotAndLocation(ThreadState *thr, uptr pc, uptr addr, u32 size,
                                   bool has_slot) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (!has_slot)
    RsanLockSlot(thr);
  return RsanLockOrMakeLocation(thr, pc, addr, size);
}

} // namespace __tsan
