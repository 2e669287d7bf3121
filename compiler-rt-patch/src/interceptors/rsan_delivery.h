// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that interrupt code which makes no call. TSan's handler only notes a signal that comes
// while the thread does not block; the program's handler runs at the thread's next intercepted call
// or atomic operation. A loop that polls a volatile sig_atomic_t makes none of these.
//
// Therefore the program's handler runs at once if the thread is in the program's own code: neither
// in the runtime, which may hold locks there, nor in the C library, which the runtime may have
// called. Otherwise the kernel is asked to interrupt the thread again every millisecond
// (SIGURG, by a timer of the thread's), until it is in the program's code or has handled the
// signal. The runtime installs a handler for SIGURG then, unless the program has one, which is
// shared.
//
// Limits: without timers (RLIMIT_SIGPENDING), with SIGURG blocked, or in code that no module
// has, the signal waits for the next call. With robustness=0 the same is true in libraries.

#ifndef RSAN_DELIVERY_H
#define RSAN_DELIVERY_H

#include "port/rsan_tsan.h"

namespace __tsan {

// Returns whether the handler of a signal is the runtime's, of failures or for SIGURG.
bool RsanIsOwnHandler(const void *handler);
// Puts such a handler in place of SIG_DFL or SIG_IGN in a struct sigaction, if it is needed.
void RsanKeepOwnHandler(int signal, void *action);

} // namespace __tsan

#endif
