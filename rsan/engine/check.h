// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of an access, by the clocks that the options choose.

#ifndef RSAN_ENGINE_CHECK_H
#define RSAN_ENGINE_CHECK_H

#include "../steps/types.h"

// The witness of a violation that a check has found.
struct rsan_violation rsan_witness(const struct rsan_thread *thread,
                                   const struct rsan_location *location,
                                   const struct rsan_access *access, struct rsan_verdict verdict);

// True: `violation` is filled in. Fills in T_c as well, if it matters.
bool rsan_check(const struct rsan_thread *thread, const struct rsan_location *location,
                const struct rsan_access *access, uint64_t *known,
                struct rsan_violation *violation);

#endif
