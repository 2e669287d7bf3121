// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes that the host does not see: by code that is not instrumented, or by another process.
//
// Such a write may be the release side of synchronisation, and its thread may have acquired, unseen
// as well, any part of the run so far. So its W is everything that any thread has done so far. Too
// much happens-before can only hide a violation.
//
// Rule: for each thread index, W has the newest epoch of the thread that has it now or had it last.
//
// That epoch then ends (rsan_hb_end_epoch), so that W has nothing of what the thread does later.
// But another thread can end it neither at once nor surely. Therefore:
//   - A clock that has epoch k of a thread by this rule may lack some of what the thread releases
//   with
//     k. The index gets a floor of at least k (base/thread_index.h): a stamp that is not above it
//     is joined entry by entry.
//   - A record of an epoch that is not above the floor is never moved to the next epoch, although
//     nobody has acquired what was released with it (rsan_hides_last_epoch).
//
// What is not instrumented and runs at a thread's end (std::promise::set_value_at_thread_exit)
// often writes an object that has not been accessed since it was constructed, as if the constructor
// had left the value (RSAN_WRITER_ENDING). So the thread that finds it acquires, and W gets, in all
// clocks, what the threads have released that are about to end, or have ended (rsan_thread_ending).
//
// Deviation 1: what is done between the write and the access that finds its value counts as done
// before the write. So does what a thread does in the operation that it is making, and up to its
// next release if the end of its epoch was lost.
// Deviation 2: in the views of S (seqcst/) the write is one that follows an SC fence.
// Deviation 3: the explicit clocks and the machines' clocks (machines/) cannot have everything that
// any thread has done in W. Where they are kept, the history of each location starts over at the
// next access there.

#ifndef RSAN_ENGINE_UNSEEN_H
#define RSAN_ENGINE_UNSEEN_H

#include "../host.h"
#include "../steps/types.h"

// The thread has found the location with a value that no access has left. Under its lock.
void rsan_unseen_find(struct rsan_thread *thread, struct rsan_location *location,
                      enum rsan_writer writer);
void rsan_catch_up(struct rsan_thread *thread, struct rsan_location *location);

// Deviation 3: is the location's history from before the last such write? Then rsan_catch_up starts
// it over. Where C11's compact clocks are alone it never is. Under the location's lock.
static inline bool rsan_unseen_outdates(const struct rsan_engine *engine,
                                        const struct rsan_location *location) {
  return location->more->unseen_writes !=
         atomic_load_explicit(&engine->unseen_writes, memory_order_relaxed);
}

#endif
