// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of ARMv8's order (arm.h) as cheap values, as stamps (base/stamp.h) are for orders that are
// closed over a thread's accesses: an immutable shared table of all threads' rows, and beside it
// the row of the thread whose view it is.
//
// A row is a thread's entry for each class of its accesses, and two numbers. A thread counts the
// changes of what its own base, and its own `all`, have of other threads, and the count stands in
// its row of whatever contains that. So whoever has the number has had what it stands for: a view
// that is no more than the base (`number`) is known, others' rows and all, if its own row is. That
// is one comparison of rows in place of one of tables.

#ifndef RSAN_MACHINES_ARM_VIEW_H
#define RSAN_MACHINES_ARM_VIEW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/stamp.h"

enum rsan_arm_class { RSAN_ARM_ALL, RSAN_ARM_RD, RSAN_ARM_ACQ, RSAN_ARM_REL, RSAN_ARM_CLASSES };

enum rsan_arm_number {
  RSAN_ARM_NO_NUMBER,
  RSAN_ARM_BASE_NUMBER = RSAN_ARM_CLASSES, // of what the thread's base has of others
  RSAN_ARM_ALL_NUMBER,                     // of what its `all` has
  RSAN_ARM_ROW
};

struct rsan_arm_table {
  _Atomic uint32_t references;
  uint32_t threads; // rows; all further ones are 0
  uint64_t rows[][RSAN_ARM_ROW];
};

// A zeroed view is the empty one and owns no memory. Others hold a reference to their table and end
// with rsan_arm_view_clear.
struct rsan_arm_view {
  struct rsan_arm_table *table; // NULL: all 0
  uint32_t thread;              // whose row is beside the table; RSAN_MERGED: nobody's
  enum rsan_arm_number number;  // of the own row: who has it has all that the table has
  uint64_t own[RSAN_ARM_ROW];
};

extern const uint64_t rsan_arm_no_row[RSAN_ARM_ROW];

static inline const uint64_t *rsan_arm_row(const struct rsan_arm_view *view, uint32_t thread) {
  if (thread == view->thread)
    return view->own;
  return view->table && thread < view->table->threads ? view->table->rows[thread] : rsan_arm_no_row;
}

bool rsan_arm_view_covers(const struct rsan_arm_view *view, const struct rsan_arm_view *from);

// Pointwise maximum into a view of a thread. Says what has changed.
enum { RSAN_ARM_SAME, RSAN_ARM_OWN_CHANGED, RSAN_ARM_OTHERS_CHANGED };
int rsan_arm_view_join(struct rsan_arm_view *view, const struct rsan_arm_view *from);
// The same into an object's view, which is whosever has all of it, or merged.
void rsan_arm_view_merge(struct rsan_arm_view *into, const struct rsan_arm_view *from);

// The same, for an object's view that lacks nothing but some of the thread's own row.
void rsan_arm_view_raise(struct rsan_arm_view *into, const struct rsan_arm_view *from);

void rsan_arm_view_assign(struct rsan_arm_view *into, const struct rsan_arm_view *from);
void rsan_arm_view_clear(struct rsan_arm_view *view);

#endif
