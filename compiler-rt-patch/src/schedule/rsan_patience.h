// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a thread gives way. An operation is vain when it finds what the thread has found there
// before, or leaves what was there: a load of the same value, an exchange for the value that is
// there, a compare-exchange that fails. A thread that makes nothing but vain operations waits,
// whether or not the compiler has recognised a loop. The thread that it waits for may be ready to
// run and lack a processor, so the waiting thread lets others run: after 64 vain operations in a
// row, 64 more, then twice as many each time, up to 512. With 4096 a convoy lasted several times as
// long (eval/bench/convoy): a thread that waits so long in vain keeps a preempted thread from
// running. After 32 times at that distance, a fraction of a millisecond, it is a short wait no
// more: then it grows up to 8192, for with more threads than processors each time costs 200 loads.

#ifndef RSAN_PATIENCE_H
#define RSAN_PATIENCE_H

#include "port/rsan_tsan.h"

namespace __tsan {

// Counts it, and yields: no lock is held, and errno stays.
void RsanGiveWay(RsanPatience *patience);
u64 RsanTimesGivenWay();

// The last thing that a vain operation does.
ALWAYS_INLINE void RsanNoteVain(ThreadState *thr) {
  if (UNLIKELY(--thr->rsan_own.patience.left == 0))
    RsanGiveWay(&thr->rsan_own.patience);
}

ALWAYS_INLINE void RsanNoteProgress(ThreadState *thr) {
  thr->rsan_own.patience = {RsanPatience::kLeast, 0, 0};
}

ALWAYS_INLINE void RsanNote(ThreadState *thr, bool vain) {
  if (UNLIKELY(vain))
    RsanNoteVain(thr);
  else
    RsanNoteProgress(thr);
}

} // namespace __tsan

#endif
