// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime knows an instrumented function: the four bytes in front of its entry. The
// compiler's pass writes them (compiler/pass/Calls.cpp), the runtime reads them (rsan_calls.cpp).

#ifndef RSAN_MARK_H
#define RSAN_MARK_H

#define RSAN_MARK 0x6e615352u // "RSan"

// What is known of a callee, in a byte that the module has for it.
enum rsan_callee {
  RSAN_CALLEE_UNKNOWN, // it has not returned yet
  RSAN_CALLEE_SEEN,    // it is instrumented, or is known to synchronise in seen ways alone
  RSAN_CALLEE_UNSEEN,
};

#endif
