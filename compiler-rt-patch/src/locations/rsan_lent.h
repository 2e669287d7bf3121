// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lent objects: those whose addresses the program has given to functions that are not instrumented.
// Such a function may change an atomic object and change it back, for instance a lock that it takes
// and gives back. The value that is found then says nothing about who wrote it.
//
// Any thread may call these functions.
#ifndef RSAN_LENT_H
#define RSAN_LENT_H

#include "base/rsan_state.h"

namespace __tsan {

// Lends what `address` points to: the block of the heap that contains it or, elsewhere, `size`
// bytes. If `size` is 0, the size is not known, and it is a word. No lock held.
void RsanLend(ThreadState *thr, uptr address, uptr size);

// A function that is not instrumented is about to run, or has run: it may have changed any lent
// object. The next access to each of them starts the object's history over. No lock held.
void RsanForgetLent(ThreadState *thr);

// Is the object a lent one? If so, it has a history from now on. The location's lock is held.
bool RsanFindsLent(uptr address);

// The live block of the heap that contains the address, and its first byte. Null: there is none.
MBlock *RsanBlockOf(uptr address, uptr *begin);

} // namespace __tsan

#endif
