// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One place in the source that accesses objects of several types: in instances of a template, and
// in a function that each file compiles for a type of its own (KIND).

#ifndef RSAN_TEST_FIELD_INSTANCES_H
#define RSAN_TEST_FIELD_INSTANCES_H

template <int N> struct pair {
  int pad[N];
  int value;
  void set() { __atomic_store_n(&value, 1, __ATOMIC_RELAXED); }
  int get() { return __atomic_load_n(&value, __ATOMIC_RELAXED); }
};

extern "C" {
static inline void set_kind(void *object) {
  __atomic_store_n(&static_cast<KIND *>(object)->value, 1, __ATOMIC_RELAXED);
}

static inline int get_kind(void *object) {
  return __atomic_load_n(&static_cast<KIND *>(object)->value, __ATOMIC_RELAXED);
}
}

#endif
