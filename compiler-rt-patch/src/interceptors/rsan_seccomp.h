// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RSAN_SECCOMP_H
#define RSAN_SECCOMP_H

#include "port/rsan_tsan.h"

namespace __tsan {

// Call this before the program enters that mode of seccomp(2), as prctl(2) numbers them. PROGRAM is
// its argument, a struct sock_fprog, which may point to memory that cannot be read. Says which
// system calls that the runtime makes are forbidden from then on.
void RsanInstallsFilter(u64 mode, const void *program);

} // namespace __tsan

#endif
