// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A runtime that ends the process before the program begins says why where the tools look, too.
#ifndef RSAN_REFUSAL_H
#define RSAN_REFUSAL_H

namespace __tsan {

// Before the options are read, and when all has been read that may be refused.
void RsanBeginStart();
void RsanEndStart();

} // namespace __tsan

#endif
