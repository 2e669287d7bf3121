// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FLAG_H
#define FLAG_H

#include <atomic>

template <class T> struct flag {
  std::atomic<T> raised{0};

  void raise() { raised.store(1, std::memory_order_release); }

  T seen() const { return raised.load(std::memory_order_acquire); }
};

#endif
