// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before by what is no atomic access, beside the events of rsan_shim.h. No lock held.

#ifndef RSAN_SYNC_H
#define RSAN_SYNC_H

#include "base/rsan_state.h"

namespace __tsan {

// A call of the program's that synchronises has been entered: the frame on top is the caller's.
// `addr`: of the object; 0: it has none.
void RsanNotePoint(ThreadState *thr, uptr addr);

// After an acquiring access: takes what annotations, or a mutex at the same address, released, or a
// write that was not seen.
void RsanAcquireBeside(ThreadState *thr, SyncVar *s);
// Takes the same of a sync variable whose location is another one's. Slot held.
void RsanAcquireAside(ThreadState *thr, SyncVar *s);

// Makes all that any thread has done so far happen before what the thread does next, for data races
// as well if `races`. Takes the slot.
void RsanAcquireEverything(ThreadState *thr, bool races);

} // namespace __tsan

#endif
