// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of the system: the test gives its debug information a folder in /usr/include.

#include <stdatomic.h>

static inline void put(atomic_int *box) {
  atomic_store_explicit(box, 1, memory_order_release);
}

static inline int get(atomic_int *box) {
  return atomic_load_explicit(box, memory_order_acquire);
}
