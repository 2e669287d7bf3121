// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses by a function of atomic.h that has two of them.

#include "atomic.h"

#include "algorithms.h"

static atomic_word left, right;

void pair_first(void) {
#ifdef REPAIRED
  word_store(&left, 1);
  full_fence();
  word_load(&right);
#else
  word_put_and_get(&left, 1, &right);
#endif
}

void pair_second(void) {
#ifdef REPAIRED
  word_store(&right, 1);
  full_fence();
  word_load(&left);
#else
  word_put_and_get(&right, 1, &left);
#endif
}
