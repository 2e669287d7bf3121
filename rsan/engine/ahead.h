// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For hosts that know which locations will be accessed next, as the replay of a recorded run does:
// the caches fetch what the analysis of an access touches while it analyses earlier ones. An access
// to a location that was not used lately waits for some ten cache lines, two thirds of its time.
//
// Nothing is changed. For threads that may access the location, under its lock.

#ifndef RSAN_ENGINE_AHEAD_H
#define RSAN_ENGINE_AHEAD_H

struct rsan_location;

// First the location itself; then, some accesses later, what it points to.
void rsan_fetch_location(const struct rsan_location *location);
void rsan_fetch_contents(const struct rsan_location *location);

#endif
