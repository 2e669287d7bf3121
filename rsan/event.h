// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One atomic access, as plain data: what the shim tells the core.

#ifndef RSAN_EVENT_H
#define RSAN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "memorder.h"

// The value of an atomic object of 1 to 16 bytes, zero-extended.
struct rsan_value {
  uint64_t low, high;
};

static inline bool rsan_value_equal(struct rsan_value a, struct rsan_value b) {
  return a.low == b.low && a.high == b.high;
}

// What the access does to memory. A failed compare-exchange is a read.
enum rsan_access_kind { RSAN_READ, RSAN_WRITE, RSAN_RMW };

// Which row of the table of checks applies (algorithm section 1).
enum rsan_check {
  RSAN_CHECK_READ,       // load, weak compare-exchange
  RSAN_CHECK_WRITE,      // store, fetch-op, exchange
  RSAN_CHECK_WAIT,       // wait(x = expected)
  RSAN_CHECK_BCAS,       // blocking compare-and-swap from `expected`
  RSAN_CHECK_STRONG_CAS, // strong compare-exchange from `expected`
};

struct rsan_access {
  enum rsan_access_kind kind;
  enum rsan_check check;
  enum rsan_order order;  // of the branch taken, for a compare-exchange
  uint32_t size;          // bytes: 1, 2, 4, 8 or 16
  uint32_t site;          // the host's handle for program point and stack; the core only keeps it
  struct rsan_value seen; // value in memory before the access
  struct rsan_value written;  // value left in memory (kind RSAN_WRITE and RSAN_RMW)
  struct rsan_value expected; // for the three checks that name it
};

#endif
