// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's entry points for rewritten accesses as plain, seq_cst operations, to see that the
// code around them is right. Linked into programs that do not have RSan's runtime.

#include "calls.h"

#include <stdatomic.h>
#include <stdint.h>

#define PLAIN __attribute__((disable_sanitizer_instrumentation))

static atomic_int waits, peeks, operations, weak, depth;

PLAIN int test_waits(void) {
  return waits;
}
PLAIN int test_peeks(void) {
  return peeks;
}
PLAIN int test_operations(void) {
  return operations;
}
PLAIN int test_weak(void) {
  return weak;
}
PLAIN int test_depth(void) {
  return depth;
}

#define UPDATE(n, type, operation)                                                                 \
  PLAIN type __rsan_atomic##n##_wait_##operation(_Atomic type *a, type operand, int mo,            \
                                                 int relation, type mask, type value) {            \
    (void)mo, (void)relation, (void)mask, (void)value;                                             \
    waits++;                                                                                       \
    return atomic_##operation(a, operand);                                                         \
  }

unsigned char __rsan_failed;

#define SIZE(n, type)                                                                              \
  PLAIN type __rsan_atomic##n##_compare_exchange_weak_val(_Atomic type *a, type e, type d, int mo, \
                                                          int fmo) {                               \
    (void)mo, (void)fmo;                                                                           \
    weak++;                                                                                        \
    atomic_compare_exchange_strong(a, &e, d);                                                      \
    return e;                                                                                      \
  }                                                                                                \
  PLAIN type __rsan_atomic##n##_peek(_Atomic type *a) {                                            \
    peeks++;                                                                                       \
    return atomic_load(a);                                                                         \
  }                                                                                                \
  PLAIN type __rsan_atomic##n##_fetch_op_val(_Atomic type *a, type e, type d, int mo) {            \
    (void)mo;                                                                                      \
    operations++;                                                                                  \
    atomic_compare_exchange_strong(a, &e, d);                                                      \
    return e;                                                                                      \
  }                                                                                                \
  PLAIN type __rsan_atomic##n##_wait_load(_Atomic type *a, int mo, int relation, type mask,        \
                                          type value) {                                            \
    (void)mo, (void)relation, (void)mask, (void)value;                                             \
    waits++;                                                                                       \
    return atomic_load(a);                                                                         \
  }                                                                                                \
  PLAIN type __rsan_atomic##n##_wait_compare_exchange(_Atomic type *a, type e, type d, int mo,     \
                                                      int fmo) {                                   \
    (void)mo, (void)fmo;                                                                           \
    waits++;                                                                                       \
    atomic_compare_exchange_strong(a, &e, d);                                                      \
    return e;                                                                                      \
  }                                                                                                \
  UPDATE(n, type, exchange)                                                                        \
  UPDATE(n, type, fetch_or)                                                                        \
  UPDATE(n, type, fetch_and)

SIZE(8, uint8_t)
SIZE(16, uint16_t)
SIZE(32, uint32_t)
SIZE(64, uint64_t)

PLAIN void __rsan_ignore_begin(void) {
  depth++;
}
PLAIN void __rsan_ignore_end(void) {
  depth--;
}
PLAIN void __rsan_note_plain(int volatiles, int assembly) {
  (void)volatiles;
  (void)assembly;
}
PLAIN void __rsan_note_compiled(void) {}
PLAIN void __rsan_note_unseen(int count) {
  (void)count;
}
PLAIN void __rsan_note_hidden(int count) {
  (void)count;
}

PLAIN void __rsan_initialised(void *object, int size, unsigned long value) {
  (void)object, (void)size, (void)value;
}

PLAIN void __rsan_note_wrappers(const unsigned long *keys, int count) {
  (void)keys, (void)count;
}

PLAIN void __rsan_note_field_names(const void *fields, int count) {
  (void)fields, (void)count;
}

PLAIN void __rsan_note_rechecks(const void *rechecks, int count) {
  (void)rechecks, (void)count;
}

PLAIN void __rsan_passing(const void *answer, const void *function, int count, ...) {
  (void)answer, (void)function, (void)count;
}
