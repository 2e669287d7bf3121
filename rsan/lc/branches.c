// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "branches.h"

#include "../host.h"

unsigned rsan_branches_of(const struct rsan_access *access, struct rsan_branch branches[2]) {
  bool success = access->success == RSAN_SEQ_CST, failure = access->failure == RSAN_SEQ_CST;
  branches[0] = branches[1] = (struct rsan_branch){*access, access->order == RSAN_SEQ_CST};
  if (!access->compares || success == failure)
    return 1;
  if (access->check == RSAN_CHECK_BCAS) {
    branches[0].seq_cst = success;
    return 1;
  }
  branches[0].seq_cst = failure;
  if (access->check == RSAN_CHECK_STRONG_CAS) {
    branches[0].access.check = RSAN_CHECK_WAIT;
    branches[0].access.expected.relation = RSAN_NOT_EQUAL;
  }
  branches[1].seq_cst = success;
  branches[1].access.check = RSAN_CHECK_BCAS;
  return 2;
}
