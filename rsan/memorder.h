// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory orders, numbered as __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST are. What a seq_cst access is
// beside an acquire and release access is up to options.h (seq_cst).

#ifndef RSAN_MEMORDER_H
#define RSAN_MEMORDER_H

#include <stdbool.h>

enum rsan_order {
  RSAN_RELAXED = 0,
  RSAN_CONSUME = 1, // is treated as acquire, as compilers do
  RSAN_ACQUIRE = 2,
  RSAN_RELEASE = 3,
  RSAN_ACQ_REL = 4,
  RSAN_SEQ_CST = 5,
};

static inline bool rsan_order_acquires(enum rsan_order order) {
  return order != RSAN_RELAXED && order != RSAN_RELEASE;
}

static inline bool rsan_order_releases(enum rsan_order order) {
  return order >= RSAN_RELEASE;
}

#endif
