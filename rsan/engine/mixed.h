// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of a location that has several sizes (docs/internals/SIZES.md). Each is one
// event with the bytes that it has:
//
//   happens-before, S    are of the location as a whole: who knows a version knows all before it,
//                        whatever its bytes. A store of some of the bytes leaves there what was
//                        released with the others, as a read-modify-write does. Too much of either
//                        hides.
//   SC order             is kept byte by byte: accesses that have no byte in common are in no order
//                        that a value shows, and too much would invent violations.
//   check                asks for versions that have a byte of the access. One that a store or
//                        read-modify-write may come before has all of its bytes; else a value that
//                        was read would be another one.
//
// Deviations, all of which hide: an event of S knows the newest version, of whatever bytes; and a
// collection asks for no version's bytes.

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
