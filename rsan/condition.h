// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a wait, a BCAS or a strong compare-exchange asks of the value: (value & mask) relation
// operand. The paper's wait(x = v) is the relation ==; the check asks of each version that may be
// missed whether the value that it overwrote would have satisfied the condition.

#ifndef RSAN_CONDITION_H
#define RSAN_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

// The value of an atomic object of 1 to 16 bytes, zero-extended.
struct rsan_value {
  uint64_t low, high;
};

static inline bool rsan_value_equal(struct rsan_value a, struct rsan_value b) {
  return !((a.low ^ b.low) | (a.high ^ b.high));
}

// Numbered as the compiler's pass numbers them. U: unsigned, S: two's complement.
enum rsan_relation {
  RSAN_EQUAL,
  RSAN_NOT_EQUAL,
  RSAN_U_LESS,
  RSAN_U_AT_MOST,
  RSAN_U_GREATER,
  RSAN_U_AT_LEAST,
  RSAN_S_LESS,
  RSAN_S_AT_MOST,
  RSAN_S_GREATER,
  RSAN_S_AT_LEAST,
  RSAN_RELATIONS
};

// Other relations than == and !=, and masks, are for objects of up to 8 bytes.
struct rsan_condition {
  struct rsan_value operand;
  uint64_t mask; // of the low half; 0: all bits
  uint8_t relation;
  uint8_t size; // bytes of the object; only relations S ask for it
  // The value serves nothing but the condition. Then a stale value that satisfies it makes no
  // difference if the newest one that every SC run has written satisfies it, too.
  bool alone;
};

static inline struct rsan_condition rsan_equals(struct rsan_value value) {
  return (struct rsan_condition){.operand = value, .relation = RSAN_EQUAL};
}

static inline bool rsan_condition_equal(const struct rsan_condition *a,
                                        const struct rsan_condition *b) {
  return rsan_value_equal(a->operand, b->operand) && a->mask == b->mask &&
         a->relation == b->relation;
}

static inline int64_t rsan_sign_extend(uint64_t value, unsigned size) {
  unsigned unused = size && size < 8 ? 64 - 8 * size : 0;
  return (int64_t)(value << unused) >> unused;
}

static inline bool rsan_condition_holds(const struct rsan_condition *condition,
                                        struct rsan_value value) {
  uint64_t a = value.low & (condition->mask ? condition->mask : UINT64_MAX);
  uint64_t b = condition->operand.low;
  if (condition->relation <= RSAN_NOT_EQUAL)
    return (a == b && value.high == condition->operand.high) == (condition->relation == RSAN_EQUAL);
  bool is_signed = condition->relation >= RSAN_S_LESS;
  bool less = is_signed
                  ? rsan_sign_extend(a, condition->size) < rsan_sign_extend(b, condition->size)
                  : a < b;
  bool at_most = less || a == b;
  const bool answers[] = {less, at_most, !at_most, !less}; // as the relations are numbered
  return condition->relation < RSAN_RELATIONS && answers[(condition->relation - RSAN_U_LESS) % 4];
}

#endif
