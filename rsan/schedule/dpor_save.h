// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exploration (dpor.h) as bytes, so that another process can go on with it. They are of this
// build alone. Runs that are under way are saved as not begun.
//
// The restored bytes may be forged, so each index, size and enumeration is checked before it is
// used. Whether the steps make sense for the program is not checked; a run that cannot follow them
// counts as diverged.

#ifndef RSAN_SCHEDULE_DPOR_SAVE_H
#define RSAN_SCHEDULE_DPOR_SAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "dpor_state.h"

typedef void (*rsan_dpor_put)(void *context, const void *bytes, size_t size);
typedef bool (*rsan_dpor_get)(void *context, void *bytes,
                              size_t size); // false: there are not so many

// The address of the object in this process.
typedef uint64_t (*rsan_dpor_move)(void *context, uint64_t object);

void rsan_dpor_save(struct rsan_dpor *d, rsan_dpor_put put, void *context);
// Saves one of the parts into which the tree was cut (dpor_shares.h). They are numbered from 1.
void rsan_dpor_save_part(struct rsan_dpor *d, uint32_t part, rsan_dpor_put put, void *context);
// Returns whether all fields of a step from a file have values in their ranges.
bool rsan_dpor_step_makes_sense(const struct rsan_dpor_step *step);
// Makes `d`, as rsan_dpor_init does. False: the bytes make no sense, and there is nothing to clear.
bool rsan_dpor_restore(struct rsan_dpor *d, rsan_dpor_get get, rsan_dpor_move move, void *context);

#endif
