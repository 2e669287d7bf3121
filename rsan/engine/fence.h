// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes before a seq_cst access: with seq_cst=fence an SC fence; with seq_cst=exact, if it is
// the thread's first one, the beginning of its views of S.

#ifndef RSAN_ENGINE_FENCE_H
#define RSAN_ENGINE_FENCE_H

#include "../steps/seqcst.h"

void rsan_begin_seq_cst(struct rsan_thread *thread, const struct rsan_access *access);

// Before each access.
static inline void rsan_begin_access(struct rsan_thread *thread, const struct rsan_access *access) {
  if (rsan_seqcst_concerns(access) && !thread->s)
    rsan_begin_seq_cst(thread, access);
}

#endif
