// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The holders of mutexes, spin locks, and locks for reading and writing: they tell without trying
// whether a thread can take such a lock.

#ifndef RSAN_SCHEDULE_HOLDERS_H
#define RSAN_SCHEDULE_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

struct rsan_holder {
  uint64_t object;
  uint32_t owner; // who writes, if `writes`
  uint32_t count; // takings that have not been given back
  bool writes;
};

// Zeroed: nothing is held.
struct rsan_holders {
  struct rsan_holder *holder;
  uint32_t count, room;
};

// May the thread have it? Its owner may: it is told what comes of taking it twice.
bool rsan_holders_may_take(const struct rsan_holders *h, uint64_t object, uint32_t thread,
                           bool writes);
// NULL: nobody holds it. Valid until the next call that changes something.
const struct rsan_holder *rsan_holders_find(const struct rsan_holders *h, uint64_t object);
void rsan_holders_take(struct rsan_holders *h, uint64_t object, uint32_t thread, bool writes);
void rsan_holders_give(struct rsan_holders *h, uint64_t object);

#endif
