// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory orders, numbered as __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST are, and the one place where
// seq_cst accesses get their meaning (docs/MODEL.md; algorithm section 7): a seq_cst access is an
// SC fence followed by the acquire/release access of the same kind.

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

// Does an access of this order act as if an SC fence stood right before it?
static inline bool rsan_order_fences_before(enum rsan_order order) {
  return order == RSAN_SEQ_CST;
}

#endif
