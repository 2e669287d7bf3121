// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One atomic access, as plain data: what the shim tells the core.

#ifndef RSAN_EVENT_H
#define RSAN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "condition.h"
#include "memorder.h"

// What the access does to memory. A failed compare-exchange is a read.
enum rsan_access_kind { RSAN_READ, RSAN_WRITE, RSAN_RMW };

// Which row of the table of checks applies (docs/internals/MODEL.md section 1).
enum rsan_check {
  RSAN_CHECK_READ,  // load, weak compare-exchange
  RSAN_CHECK_WRITE, // store, fetch-op, exchange
  RSAN_CHECK_WAIT,  // wait(x = expected), or until another condition holds
  RSAN_CHECK_BCAS,  // blocking compare-and-swap from `expected`, or another blocking RMW
  // A load by the kernel, for a system call of the thread (futex). Nobody is told the value: all
  // that comes of it is whether it is `expected`.
  RSAN_CHECK_KERNEL_COMPARE,
  RSAN_CHECK_STRONG_CAS,    // strong compare-exchange from `expected`
  RSAN_CHECK_KERNEL_UPDATE, // read-modify-write by the kernel; the row is that of a fetch-op
};

static inline bool rsan_is_of_kernel(unsigned check) {
  return check == RSAN_CHECK_KERNEL_COMPARE || check == RSAN_CHECK_KERNEL_UPDATE;
}

// Does it name what it asks of the value? Then versions that overwrote such a value are kept.
static inline bool rsan_asks_of_value(unsigned check) {
  return check >= RSAN_CHECK_WAIT && check <= RSAN_CHECK_KERNEL_COMPARE;
}

// The writer of a value that no access of the engine has left (rsan_host_who_wrote).
enum rsan_writer {
  RSAN_WRITER_SEEN, // code that the host sees, by a plain write, or nobody: it is the initial value
  RSAN_WRITER_ENDING, // the same, as far as the host can tell, or a thread that was ending
  RSAN_WRITER_UNSEEN, // code that the host does not see
};

struct rsan_access {
  enum rsan_access_kind kind;
  enum rsan_check check;
  bool weak;             // a weak compare-exchange: a load to the check of C11
  enum rsan_order order; // of the branch taken, for a compare-exchange
  // A load of a location that the thread has read before with this order, or a stronger one, where
  // nothing but loads has come since. (Hosts need not say so.)
  bool repeats;
  bool compares; // a compare-exchange: has two branches, with these orders
  enum rsan_order success, failure;
  uint32_t size; // bytes: 1, 2, 4, 8 or 16
  uint32_t site; // the host's handle for program point and stack; the core only keeps it
  uint64_t pc, caller, address; // the host's, for explanations; the core only keeps them
  struct rsan_value seen;       // value in memory before the access
  struct rsan_value written;    // value left in memory (kind RSAN_WRITE and RSAN_RMW)
  // For the checks that name it, == for a compare-exchange; of a weak one as well.
  struct rsan_condition expected;
};

// Would a comparison by the kernel end otherwise if it found `value`?
static inline bool rsan_tells_apart(const struct rsan_access *access, struct rsan_value value) {
  return rsan_condition_holds(&access->expected, value) !=
         rsan_condition_holds(&access->expected, access->seen);
}

#endif
