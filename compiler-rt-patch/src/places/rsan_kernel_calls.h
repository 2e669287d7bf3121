// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of the system call in which the kernel made an access (atomics/rsan_kernel.h).

#ifndef RSAN_KERNEL_CALLS_H
#define RSAN_KERNEL_CALLS_H

#include "base/rsan_state.h"

namespace __tsan {

// The kernel makes an access at this place. `call` must be a literal.
void RsanNoteKernelCall(uptr pc, uptr caller, const char *call);
// Returns the call's name. Null: the kernel has made no access there.
const char *RsanKernelCallAt(rsan_check check, uptr pc, uptr caller);
inline const char *RsanKernelCallOf(const rsan_access &access) {
  return RsanKernelCallAt(access.check, access.pc, access.caller);
}

} // namespace __tsan

#endif
