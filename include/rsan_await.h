/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of waiting operations as libvsync has them, for the waits of rsan.h. The names only: the
 * code is RSan's, and the objects may be any of the size, libvsync's own types among them. To put
 * these in place of libvsync's own operations, include this header behind libvsync's; included
 * before, the names would be in the way of its declarations.
 *
 *   vatomic{8,16,32,64,sz,ptr}_await_{eq,neq,lt,le,gt,ge}[_acq|_rlx](p, v)
 *       Blocks until *p relation v, unsigned (pointers: eq and neq alone). Returns the value found,
 *       and is judged as rsan_wait_value(); where the value is not used, rsan_wait_until() says so.
 *   vatomic{8,16,32,64,sz,ptr}_await_eq_set[_acq|_rel|_rlx](p, expected, v)
 *       rsan_bcas(). Returns `expected`, which is what it found.
 * Without a suffix: seq_cst. Sizes are in bits; sz and ptr have size_t's and a pointer's. An object
 * of another size does not compile.
 *
 * Not here: the other conditions with _set, _add or _sub. They wait for one of several values and
 * write what depends on it, which is no single blocking compare-and-swap: wait, and then retry with
 * a compare-exchange.
 */

#ifndef RSAN_AWAIT_H
#define RSAN_AWAIT_H

#include "rsan.h"

#include <stddef.h>

/* An array of a negative size where the object has another one. */
#define RSAN_OF_(type, p)                                                                          \
  ((unsigned)(sizeof(char[sizeof(*(p)) == sizeof(type) ? 1 : -1]) * sizeof(type)))

#define RSAN_AWAIT_FUNCTIONS_(name, type)                                                          \
  RSAN_INLINE_ type rsan_await_##name##_(const volatile void *p, unsigned size, int relation,      \
                                         type v, int order) {                                      \
    return (type)(uintptr_t)rsan_wait_(p, size, relation, 0, (uint64_t)(uintptr_t)v, order);       \
  }                                                                                                \
  RSAN_INLINE_ type rsan_await_set_##name##_(volatile void *p, unsigned size, type expected,       \
                                             type v, int order) {                                  \
    rsan_bcas_(p, size, (uint64_t)(uintptr_t)expected, (uint64_t)(uintptr_t)v, order);             \
    return expected;                                                                               \
  }
RSAN_AWAIT_FUNCTIONS_(8, uint8_t)
RSAN_AWAIT_FUNCTIONS_(16, uint16_t)
RSAN_AWAIT_FUNCTIONS_(32, uint32_t)
RSAN_AWAIT_FUNCTIONS_(64, uint64_t)
RSAN_AWAIT_FUNCTIONS_(sz, size_t)
RSAN_AWAIT_FUNCTIONS_(ptr, void *)

#define RSAN_AWAIT_(name, type, p, relation, v, order)                                             \
  rsan_await_##name##_((p), RSAN_OF_(type, p), relation, (type)(v), __ATOMIC_##order)
#define RSAN_AWAIT_SET_(name, type, p, expected, v, order)                                         \
  rsan_await_set_##name##_((p), RSAN_OF_(type, p), (type)(expected), (type)(v), __ATOMIC_##order)

#define vatomic8_await_eq(p, v)               RSAN_AWAIT_(8, uint8_t, p, RSAN_EQ | RSAN_ALONE_, v, SEQ_CST)
#define vatomic8_await_eq_acq(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_EQ | RSAN_ALONE_, v, ACQUIRE)
#define vatomic8_await_eq_rlx(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_EQ | RSAN_ALONE_, v, RELAXED)
#define vatomic8_await_neq(p, v)              RSAN_AWAIT_(8, uint8_t, p, RSAN_NE, v, SEQ_CST)
#define vatomic8_await_neq_acq(p, v)          RSAN_AWAIT_(8, uint8_t, p, RSAN_NE, v, ACQUIRE)
#define vatomic8_await_neq_rlx(p, v)          RSAN_AWAIT_(8, uint8_t, p, RSAN_NE, v, RELAXED)
#define vatomic8_await_lt(p, v)               RSAN_AWAIT_(8, uint8_t, p, RSAN_LT_U, v, SEQ_CST)
#define vatomic8_await_lt_acq(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_LT_U, v, ACQUIRE)
#define vatomic8_await_lt_rlx(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_LT_U, v, RELAXED)
#define vatomic8_await_le(p, v)               RSAN_AWAIT_(8, uint8_t, p, RSAN_LE_U, v, SEQ_CST)
#define vatomic8_await_le_acq(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_LE_U, v, ACQUIRE)
#define vatomic8_await_le_rlx(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_LE_U, v, RELAXED)
#define vatomic8_await_gt(p, v)               RSAN_AWAIT_(8, uint8_t, p, RSAN_GT_U, v, SEQ_CST)
#define vatomic8_await_gt_acq(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_GT_U, v, ACQUIRE)
#define vatomic8_await_gt_rlx(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_GT_U, v, RELAXED)
#define vatomic8_await_ge(p, v)               RSAN_AWAIT_(8, uint8_t, p, RSAN_GE_U, v, SEQ_CST)
#define vatomic8_await_ge_acq(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_GE_U, v, ACQUIRE)
#define vatomic8_await_ge_rlx(p, v)           RSAN_AWAIT_(8, uint8_t, p, RSAN_GE_U, v, RELAXED)
#define vatomic8_await_eq_set(p, expected, v) RSAN_AWAIT_SET_(8, uint8_t, p, expected, v, SEQ_CST)
#define vatomic8_await_eq_set_acq(p, expected, v)                                                  \
  RSAN_AWAIT_SET_(8, uint8_t, p, expected, v, ACQUIRE)
#define vatomic8_await_eq_set_rel(p, expected, v)                                                  \
  RSAN_AWAIT_SET_(8, uint8_t, p, expected, v, RELEASE)
#define vatomic8_await_eq_set_rlx(p, expected, v)                                                  \
  RSAN_AWAIT_SET_(8, uint8_t, p, expected, v, RELAXED)

#define vatomic16_await_eq(p, v)      RSAN_AWAIT_(16, uint16_t, p, RSAN_EQ | RSAN_ALONE_, v, SEQ_CST)
#define vatomic16_await_eq_acq(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_EQ | RSAN_ALONE_, v, ACQUIRE)
#define vatomic16_await_eq_rlx(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_EQ | RSAN_ALONE_, v, RELAXED)
#define vatomic16_await_neq(p, v)     RSAN_AWAIT_(16, uint16_t, p, RSAN_NE, v, SEQ_CST)
#define vatomic16_await_neq_acq(p, v) RSAN_AWAIT_(16, uint16_t, p, RSAN_NE, v, ACQUIRE)
#define vatomic16_await_neq_rlx(p, v) RSAN_AWAIT_(16, uint16_t, p, RSAN_NE, v, RELAXED)
#define vatomic16_await_lt(p, v)      RSAN_AWAIT_(16, uint16_t, p, RSAN_LT_U, v, SEQ_CST)
#define vatomic16_await_lt_acq(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_LT_U, v, ACQUIRE)
#define vatomic16_await_lt_rlx(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_LT_U, v, RELAXED)
#define vatomic16_await_le(p, v)      RSAN_AWAIT_(16, uint16_t, p, RSAN_LE_U, v, SEQ_CST)
#define vatomic16_await_le_acq(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_LE_U, v, ACQUIRE)
#define vatomic16_await_le_rlx(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_LE_U, v, RELAXED)
#define vatomic16_await_gt(p, v)      RSAN_AWAIT_(16, uint16_t, p, RSAN_GT_U, v, SEQ_CST)
#define vatomic16_await_gt_acq(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_GT_U, v, ACQUIRE)
#define vatomic16_await_gt_rlx(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_GT_U, v, RELAXED)
#define vatomic16_await_ge(p, v)      RSAN_AWAIT_(16, uint16_t, p, RSAN_GE_U, v, SEQ_CST)
#define vatomic16_await_ge_acq(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_GE_U, v, ACQUIRE)
#define vatomic16_await_ge_rlx(p, v)  RSAN_AWAIT_(16, uint16_t, p, RSAN_GE_U, v, RELAXED)
#define vatomic16_await_eq_set(p, expected, v)                                                     \
  RSAN_AWAIT_SET_(16, uint16_t, p, expected, v, SEQ_CST)
#define vatomic16_await_eq_set_acq(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(16, uint16_t, p, expected, v, ACQUIRE)
#define vatomic16_await_eq_set_rel(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(16, uint16_t, p, expected, v, RELEASE)
#define vatomic16_await_eq_set_rlx(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(16, uint16_t, p, expected, v, RELAXED)

#define vatomic32_await_eq(p, v)      RSAN_AWAIT_(32, uint32_t, p, RSAN_EQ | RSAN_ALONE_, v, SEQ_CST)
#define vatomic32_await_eq_acq(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_EQ | RSAN_ALONE_, v, ACQUIRE)
#define vatomic32_await_eq_rlx(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_EQ | RSAN_ALONE_, v, RELAXED)
#define vatomic32_await_neq(p, v)     RSAN_AWAIT_(32, uint32_t, p, RSAN_NE, v, SEQ_CST)
#define vatomic32_await_neq_acq(p, v) RSAN_AWAIT_(32, uint32_t, p, RSAN_NE, v, ACQUIRE)
#define vatomic32_await_neq_rlx(p, v) RSAN_AWAIT_(32, uint32_t, p, RSAN_NE, v, RELAXED)
#define vatomic32_await_lt(p, v)      RSAN_AWAIT_(32, uint32_t, p, RSAN_LT_U, v, SEQ_CST)
#define vatomic32_await_lt_acq(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_LT_U, v, ACQUIRE)
#define vatomic32_await_lt_rlx(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_LT_U, v, RELAXED)
#define vatomic32_await_le(p, v)      RSAN_AWAIT_(32, uint32_t, p, RSAN_LE_U, v, SEQ_CST)
#define vatomic32_await_le_acq(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_LE_U, v, ACQUIRE)
#define vatomic32_await_le_rlx(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_LE_U, v, RELAXED)
#define vatomic32_await_gt(p, v)      RSAN_AWAIT_(32, uint32_t, p, RSAN_GT_U, v, SEQ_CST)
#define vatomic32_await_gt_acq(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_GT_U, v, ACQUIRE)
#define vatomic32_await_gt_rlx(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_GT_U, v, RELAXED)
#define vatomic32_await_ge(p, v)      RSAN_AWAIT_(32, uint32_t, p, RSAN_GE_U, v, SEQ_CST)
#define vatomic32_await_ge_acq(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_GE_U, v, ACQUIRE)
#define vatomic32_await_ge_rlx(p, v)  RSAN_AWAIT_(32, uint32_t, p, RSAN_GE_U, v, RELAXED)
#define vatomic32_await_eq_set(p, expected, v)                                                     \
  RSAN_AWAIT_SET_(32, uint32_t, p, expected, v, SEQ_CST)
#define vatomic32_await_eq_set_acq(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(32, uint32_t, p, expected, v, ACQUIRE)
#define vatomic32_await_eq_set_rel(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(32, uint32_t, p, expected, v, RELEASE)
#define vatomic32_await_eq_set_rlx(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(32, uint32_t, p, expected, v, RELAXED)

#define vatomic64_await_eq(p, v)      RSAN_AWAIT_(64, uint64_t, p, RSAN_EQ | RSAN_ALONE_, v, SEQ_CST)
#define vatomic64_await_eq_acq(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_EQ | RSAN_ALONE_, v, ACQUIRE)
#define vatomic64_await_eq_rlx(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_EQ | RSAN_ALONE_, v, RELAXED)
#define vatomic64_await_neq(p, v)     RSAN_AWAIT_(64, uint64_t, p, RSAN_NE, v, SEQ_CST)
#define vatomic64_await_neq_acq(p, v) RSAN_AWAIT_(64, uint64_t, p, RSAN_NE, v, ACQUIRE)
#define vatomic64_await_neq_rlx(p, v) RSAN_AWAIT_(64, uint64_t, p, RSAN_NE, v, RELAXED)
#define vatomic64_await_lt(p, v)      RSAN_AWAIT_(64, uint64_t, p, RSAN_LT_U, v, SEQ_CST)
#define vatomic64_await_lt_acq(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_LT_U, v, ACQUIRE)
#define vatomic64_await_lt_rlx(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_LT_U, v, RELAXED)
#define vatomic64_await_le(p, v)      RSAN_AWAIT_(64, uint64_t, p, RSAN_LE_U, v, SEQ_CST)
#define vatomic64_await_le_acq(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_LE_U, v, ACQUIRE)
#define vatomic64_await_le_rlx(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_LE_U, v, RELAXED)
#define vatomic64_await_gt(p, v)      RSAN_AWAIT_(64, uint64_t, p, RSAN_GT_U, v, SEQ_CST)
#define vatomic64_await_gt_acq(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_GT_U, v, ACQUIRE)
#define vatomic64_await_gt_rlx(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_GT_U, v, RELAXED)
#define vatomic64_await_ge(p, v)      RSAN_AWAIT_(64, uint64_t, p, RSAN_GE_U, v, SEQ_CST)
#define vatomic64_await_ge_acq(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_GE_U, v, ACQUIRE)
#define vatomic64_await_ge_rlx(p, v)  RSAN_AWAIT_(64, uint64_t, p, RSAN_GE_U, v, RELAXED)
#define vatomic64_await_eq_set(p, expected, v)                                                     \
  RSAN_AWAIT_SET_(64, uint64_t, p, expected, v, SEQ_CST)
#define vatomic64_await_eq_set_acq(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(64, uint64_t, p, expected, v, ACQUIRE)
#define vatomic64_await_eq_set_rel(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(64, uint64_t, p, expected, v, RELEASE)
#define vatomic64_await_eq_set_rlx(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(64, uint64_t, p, expected, v, RELAXED)

#define vatomicsz_await_eq(p, v)               RSAN_AWAIT_(sz, size_t, p, RSAN_EQ | RSAN_ALONE_, v, SEQ_CST)
#define vatomicsz_await_eq_acq(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_EQ | RSAN_ALONE_, v, ACQUIRE)
#define vatomicsz_await_eq_rlx(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_EQ | RSAN_ALONE_, v, RELAXED)
#define vatomicsz_await_neq(p, v)              RSAN_AWAIT_(sz, size_t, p, RSAN_NE, v, SEQ_CST)
#define vatomicsz_await_neq_acq(p, v)          RSAN_AWAIT_(sz, size_t, p, RSAN_NE, v, ACQUIRE)
#define vatomicsz_await_neq_rlx(p, v)          RSAN_AWAIT_(sz, size_t, p, RSAN_NE, v, RELAXED)
#define vatomicsz_await_lt(p, v)               RSAN_AWAIT_(sz, size_t, p, RSAN_LT_U, v, SEQ_CST)
#define vatomicsz_await_lt_acq(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_LT_U, v, ACQUIRE)
#define vatomicsz_await_lt_rlx(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_LT_U, v, RELAXED)
#define vatomicsz_await_le(p, v)               RSAN_AWAIT_(sz, size_t, p, RSAN_LE_U, v, SEQ_CST)
#define vatomicsz_await_le_acq(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_LE_U, v, ACQUIRE)
#define vatomicsz_await_le_rlx(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_LE_U, v, RELAXED)
#define vatomicsz_await_gt(p, v)               RSAN_AWAIT_(sz, size_t, p, RSAN_GT_U, v, SEQ_CST)
#define vatomicsz_await_gt_acq(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_GT_U, v, ACQUIRE)
#define vatomicsz_await_gt_rlx(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_GT_U, v, RELAXED)
#define vatomicsz_await_ge(p, v)               RSAN_AWAIT_(sz, size_t, p, RSAN_GE_U, v, SEQ_CST)
#define vatomicsz_await_ge_acq(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_GE_U, v, ACQUIRE)
#define vatomicsz_await_ge_rlx(p, v)           RSAN_AWAIT_(sz, size_t, p, RSAN_GE_U, v, RELAXED)
#define vatomicsz_await_eq_set(p, expected, v) RSAN_AWAIT_SET_(sz, size_t, p, expected, v, SEQ_CST)
#define vatomicsz_await_eq_set_acq(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(sz, size_t, p, expected, v, ACQUIRE)
#define vatomicsz_await_eq_set_rel(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(sz, size_t, p, expected, v, RELEASE)
#define vatomicsz_await_eq_set_rlx(p, expected, v)                                                 \
  RSAN_AWAIT_SET_(sz, size_t, p, expected, v, RELAXED)

#define vatomicptr_await_eq(p, v)      RSAN_AWAIT_(ptr, void *, p, RSAN_EQ | RSAN_ALONE_, v, SEQ_CST)
#define vatomicptr_await_eq_acq(p, v)  RSAN_AWAIT_(ptr, void *, p, RSAN_EQ | RSAN_ALONE_, v, ACQUIRE)
#define vatomicptr_await_eq_rlx(p, v)  RSAN_AWAIT_(ptr, void *, p, RSAN_EQ | RSAN_ALONE_, v, RELAXED)
#define vatomicptr_await_neq(p, v)     RSAN_AWAIT_(ptr, void *, p, RSAN_NE, v, SEQ_CST)
#define vatomicptr_await_neq_acq(p, v) RSAN_AWAIT_(ptr, void *, p, RSAN_NE, v, ACQUIRE)
#define vatomicptr_await_neq_rlx(p, v) RSAN_AWAIT_(ptr, void *, p, RSAN_NE, v, RELAXED)
#define vatomicptr_await_eq_set(p, expected, v)                                                    \
  RSAN_AWAIT_SET_(ptr, void *, p, expected, v, SEQ_CST)
#define vatomicptr_await_eq_set_acq(p, expected, v)                                                \
  RSAN_AWAIT_SET_(ptr, void *, p, expected, v, ACQUIRE)
#define vatomicptr_await_eq_set_rel(p, expected, v)                                                \
  RSAN_AWAIT_SET_(ptr, void *, p, expected, v, RELEASE)
#define vatomicptr_await_eq_set_rlx(p, expected, v)                                                \
  RSAN_AWAIT_SET_(ptr, void *, p, expected, v, RELAXED)

#endif
