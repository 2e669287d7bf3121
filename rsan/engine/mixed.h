// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of a location that has several sizes (docs/internals/SIZES.md). Each access is one
// event, and has the bytes that it reads or writes:
//
//   happens-before, S    are kept for the location as a whole: a thread that knows a version knows
//                        all earlier ones, whatever their bytes. A store of some of the bytes keeps
//                        the clock that was released with the other bytes, as a read-modify-write
//                        does. More of either order can only hide violations.
//   SC order             is kept for each byte: no value shows in which order two accesses without
//                        a common byte were made, and an order that no value shows would invent
//                        violations.
//   check                looks at the versions that have a byte of the access. A store or
//                        read-modify-write may be placed before a version only if that has all its
//                        bytes; else another access would have to read another value.
//
// Two simplifications hide violations: an event of S knows the newest version, whatever its bytes,
// and a collection does not look at the bytes of versions.

#ifndef RSAN_ENGINE_MIXED_H
#define RSAN_ENGINE_MIXED_H

#include "../steps/types.h"

// In place of rsan_atomic_access and the others of engine.h, for a location that mixes. The caller
// collects its history.
bool rsan_mixed_access(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access, struct rsan_violation *violation);
bool rsan_mixed_arrive(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access, struct rsan_violation *violation);
void rsan_mixed_unchecked(struct rsan_thread *thread, struct rsan_location *location,
                          const struct rsan_access *access);
void rsan_mixed_sole(struct rsan_thread *thread, struct rsan_location *location,
                     const struct rsan_access *access);

#endif
