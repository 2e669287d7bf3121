// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why executions were given up, or are no part of a proof, in words.

#ifndef CHECK_REASONS_H
#define CHECK_REASONS_H

// What the runtime's name of a reason means, in words that follow `3 executions'.
const char *reason_text(const char *why);

#endif
