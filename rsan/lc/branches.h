// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which ways an access may go wrong, and what a check of one says: for either kind of clocks.

#ifndef RSAN_LC_BRANCHES_H
#define RSAN_LC_BRANCHES_H

#include "../event.h"
#include "history.h"

struct rsan_verdict {
  const struct rsan_version *missed; // NULL: none
  uint64_t known;                    // the threshold that it was checked against
};

// One way in which the access may go wrong, and whether that is a seq_cst event.
struct rsan_branch {
  struct rsan_access access;
  bool seq_cst;
};

// A compare-exchange of which one branch is seq_cst goes wrong in one or the other: it fails by a
// value (a weak one by any), or succeeds and is overwritten. A blocking one only succeeds.
unsigned rsan_branches_of(const struct rsan_access *access, struct rsan_branch branches[2]);

#endif
