// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "access.h"

word access_load(const word *at, int order) {
  return __atomic_load_n(at, order);
}

void access_store(word *at, word value, int order) {
  __atomic_store_n(at, value, order);
}

word access_fetch_op(word *at, enum access_rmw op, word operand, int order) {
  switch (op) {
  case ACCESS_ADD:
    return __atomic_fetch_add(at, operand, order);
  case ACCESS_SUB:
    return __atomic_fetch_sub(at, operand, order);
  default:
    return __atomic_fetch_xor(at, operand, order);
  }
}

word access_exchange(word *at, word value, int order) {
  return __atomic_exchange_n(at, value, order);
}

word access_weak_cas(word *at, word expected, word desired, int order, int failure) {
  __atomic_compare_exchange_n(at, &expected, desired, 1, order, failure);
  return expected;
}

word access_strong_cas(word *at, word expected, word desired, int order, int failure) {
  __atomic_compare_exchange_n(at, &expected, desired, 0, order, failure);
  return expected;
}

void access_fence(int order) {
  __atomic_thread_fence(order);
}

word access_plain_read(const word *at) {
  return *at;
}

void access_plain_write(word *at, word value) {
  *at = value;
}
