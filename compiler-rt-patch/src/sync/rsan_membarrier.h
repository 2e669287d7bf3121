// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asymmetric fences: what membarrier(2) is for the program's threads (docs/internals/MODEL.md
// section 10).

#ifndef RSAN_MEMBARRIER_H
#define RSAN_MEMBARRIER_H

#include "base/rsan_state.h"

namespace __tsan {

// A call comes that is one, if it succeeds: in scheduled runs it is a step.
void RsanMembarrierComes(ThreadState *thr, uptr pc);

// It has succeeded: a seq_cst fence of the thread, one of each other thread, and one of the thread.
// No lock held.
void RsanMembarrier(ThreadState *thr, uptr pc);

// A thread starts, which its creator may have created before the last membarrier.
void RsanStartFenced(ThreadState *thr);

} // namespace __tsan

#endif
