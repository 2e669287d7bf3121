// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes that the host does not see: by code that is not instrumented, or by another process.
//
// Such a write may be the release side of synchronisation, and whatever its thread had acquired by
// then, unseen as well, may be any part of the run so far. So its W is everything that any thread
// has done so far: who acquires the value, or reads it before an acquire fence, happens after all
// of that. Too much happens-before can only hide a violation.
//
// Rule: W has, for each thread index, the newest epoch that there is.
//
// That epoch ends for it (rsan_hb_end_epoch), so that what its thread does from now on is not among
// that. But another thread cannot end it surely, nor at once. So:
//   - Whoever has epoch k of a thread by this rule need not have what the thread published with k.
//     The index gets a floor of k or more (thread_index.h): a stamp that is not above it has to be
//     joined entry by entry.
//   - A record of an epoch up to the floor stays one of that epoch, though nobody has taken what
//   was
//     published with it (rsan_hides_last_epoch).
//
// Deviation 1: what is done between the write and the access that finds it counts, too. What a
// thread does in the operation that it is at, and up to its next release if the
// end of its epoch was lost, counts as done so far.
// Deviation 2: to the views of S (seqcst/) the write is one after an SC fence.
// Deviation 3: the explicit clocks and the machines' clocks (target/) have no such W. With those,
// each location's history starts over at the next access there.

#ifndef RSAN_ENGINE_UNSEEN_H
#define RSAN_ENGINE_UNSEEN_H

#include "engine_types.h"

// The location has been found with a value that such a write has left. Under the location's lock.
void rsan_unseen_write(struct rsan_engine *engine, struct rsan_thread *thread,
                       struct rsan_location *location);

// Deviation 3: is the location's history from before the last such write? Then the caller starts it
// over. Where C11's compact clocks are alone it never is. Under the location's lock.
static inline bool rsan_unseen_outdates(const struct rsan_engine *engine,
                                        const struct rsan_location *location) {
  return location->more->unseen_writes !=
         atomic_load_explicit(&engine->unseen_writes, memory_order_relaxed);
}

#endif
