// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared library with a robustness violation in it.

#include "part.h"

bool enter(std::atomic<int> &mine, const std::atomic<int> &other) {
  mine.store(1, std::memory_order_release);
  return other.load(std::memory_order_acquire) == 0;
}
