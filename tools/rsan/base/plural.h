// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ending of an English noun behind a number.

#ifndef PLURAL_H
#define PLURAL_H

// Returns "" for 1, and "s" for any other count.
static inline const char *plural(unsigned long long count) {
  return count == 1 ? "" : "s";
}

#endif
