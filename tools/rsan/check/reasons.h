// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime gives names to the reasons for which an execution is given up, or is no part of a
// proof. This file has a text for each.

#ifndef CHECK_REASONS_H
#define CHECK_REASONS_H

// Returns the text for a name, such as "made a child process, which is not explored". It continues
// a line that begins with "3 executions". Returns a name that has no text as it is.
const char *reason_text(const char *why);

#endif
