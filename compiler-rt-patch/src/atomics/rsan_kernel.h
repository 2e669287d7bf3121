// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel does to memory on behalf of a thread, in a system call, as events of the analysed
// run: docs/internals/MODEL.md, section 'System calls'. The interceptors
// (interceptors/rsan_futex.inc) say which events a call has; rsan_kernel.inc makes them.
//
// Rule: each event is made as the program's own atomic operations are (rsan_atomic.inc), simulated,
// scheduled and given older values as those are. Two things differ. The value that the kernel reads
// is told to nobody: it decides the outcome of the call alone. And to data races the kernel's
// accesses are nothing, as C++ knows no such access; its fences order as any other.

#ifndef RSAN_KERNEL_H
#define RSAN_KERNEL_H

#include "base/rsan_state.h"
#include "places/rsan_kernel_calls.h"

namespace __tsan {

struct rsan_kernel_found {
  u32 value;
  bool departed; // it is an older one, which memory has not got any more
};

// What the kernel does to a word: `leaves` says what it leaves there of `old`; or `make` does it,
// where the kernel itself is to, and says what was there before.
struct RsanKernelUpdate {
  u32 (*leaves)(u32 old, u32 operand);
  u32 operand;
  u32 (*make)(volatile u32 *word, void *argument);
  void *argument;
};

// In all of these `pc` is the return address of the program's call of syscall(), and `call` what
// the reader of a report is told: "futex(FUTEX_WAIT)", a literal.

// A full barrier of the kernel: a seq_cst fence.
void RsanKernelFence(ThreadState *thr, uptr pc);

// The kernel reads the word, relaxed, and the call goes on if it is `expected`.
rsan_kernel_found RsanKernelCompare(ThreadState *thr, uptr pc, const char *call,
                                    const volatile u32 *word, u32 expected);

// A fully ordered read-modify-write: what was there before.
u32 RsanKernelUpdates(ThreadState *thr, uptr pc, const char *call, volatile u32 *word,
                      const RsanKernelUpdate &update);

// Is it an aligned word of the program's memory? (Else the kernel refuses the call.)
bool RsanIsFutexWord(ThreadState *thr, uptr word);
// Can accesses of such a word be events? It is no part of an object that the program accesses
// atomically with another size: the accesses would withdraw that.
bool RsanIsKernelWord(ThreadState *thr, uptr word);

// Code that is not instrumented has made the call, in which the thread is: it may have synchronised
// in ways that are not seen.
void RsanMeetsUnseenCaller(ThreadState *thr);

} // namespace __tsan

#endif
