// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All atomic operations of the project, as libraries have them: functions made by macros, some of
// which call others.

#ifndef ATOMIC_H
#define ATOMIC_H

#include <rsan.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef MARKED
#define MAYBE_WRAPPER RSAN_WRAPPER
#else
#define MAYBE_WRAPPER
#endif

typedef struct {
  uint32_t value;
} atomic_word;

#define DEFINE_ATOMIC(name, type, object)                                                          \
  static inline type name##_load_explicit(object *p, int order) {                                  \
    return __atomic_load_n((type *)p, order);                                                      \
  }                                                                                                \
  static inline type name##_load(object *p) {                                                      \
    return name##_load_explicit(p, __ATOMIC_ACQUIRE);                                              \
  }                                                                                                \
  static inline void name##_store(object *p, type value) {                                         \
    __atomic_store_n((type *)p, value, __ATOMIC_RELEASE);                                          \
  }                                                                                                \
  static inline void name##_store_relaxed(object *p, type value) {                                 \
    __atomic_store_n((type *)p, value, __ATOMIC_RELAXED);                                          \
  }                                                                                                \
  static inline bool name##_compare_exchange(object *p, type *expected, type value) {              \
    return __atomic_compare_exchange_n((type *)p, expected, value, false, __ATOMIC_ACQ_REL,        \
                                       __ATOMIC_ACQUIRE);                                          \
  }                                                                                                \
  /* More than one access: no wrapper. */                                                          \
  MAYBE_WRAPPER static inline type name##_put_and_get(object *p, type value, object *q) {          \
    name##_store(p, value);                                                                        \
    return name##_load(q);                                                                         \
  }

DEFINE_ATOMIC(word, uint32_t, atomic_word)
DEFINE_ATOMIC(pointer, void *, void *)

static inline uint32_t word_add(atomic_word *p, uint32_t value) {
  return __atomic_fetch_add(&p->value, value, __ATOMIC_ACQ_REL);
}

static inline void full_fence(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* What the algorithms lack. */
static inline void missing_fence(void) {
#ifdef REPAIRED
  full_fence();
#endif
}

#endif
