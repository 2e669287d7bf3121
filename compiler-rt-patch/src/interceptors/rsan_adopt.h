// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that the runtime has not seen being created, because the C library made them for a
// notification (timer_create and others with SIGEV_THREAD), or because a library called clone(2).
// Such a thread becomes a thread of the analysis at its first entry of an instrumented function, at
// its first access, or at its first intercepted call that the C library does not make. Until then
// its ThreadState is rsan_nobody, or one that only has what allocations need.
//
// What had happened before its creation is not seen either. A thread of the C library acquires what
// the threads had done that asked for notifications (RsanAsksForNotice). Any other thread acquires
// everything that any thread has done so far: too much order can only hide.
//
// Deviation 1: all timers share one address, so a thread that one timer starts is also ordered
// after those that armed another one.
// Deviation 2: an operation on a message queue or a file may cause a notification, and its kernel
// object is not known here. So after the first request that is not for a timer, a thread of the C
// library acquires everything as well.
// Deviation 3: a thread whose stack the C library does not know runs no destructors. Its end is not
// seen, and its state stays.

#ifndef RSAN_ADOPT_H
#define RSAN_ADOPT_H

#include "port/rsan_tsan.h"

namespace __tsan {

// Call this once the runtime is initialised, while there is one thread.
void RsanInitializeNobody();

// Call this before a call after which a thread of the C library may tell of something.
void RsanAsksForNotice(ThreadState *thr, uptr pc, bool of_timer);
// Acquires all that threads of the C library may have done.
void RsanGetsAnswer(ThreadState *thr);

// Call these around an asynchronous operation: before it is asked for, and when it is known to have
// ended. `control` is its struct aiocb.
void RsanBeginsTransfer(ThreadState *thr, uptr pc, const void *control, int operation);
void RsanEndsTransfer(ThreadState *thr, uptr pc, const void *control);

} // namespace __tsan

#endif
