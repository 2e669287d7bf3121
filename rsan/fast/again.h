// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that find next to nothing to do: most of what a program does. The engine tries these
// first; they are its own way without the questions whose answers are known.
//
// A read of the newest version that the thread knows misses nothing and is not recorded. Mostly it
// learns nothing either: the thread knows what the version's write released, and what every SC run
// puts before it. Then MS joins VS, and that is all. Where the host says that the thread repeats a
// load (rsan_access.repeats), none of that is asked.
//
// A write that repeats the one before it (struct rsan_fast_write), with the same kind and order,
// where the thread has learnt nothing that would change what it does, only counts on:
//
//   VS, WS      the thread's SC index moves on; what else VS has, WS has, as they share a base
//   history     the newest version gets another number, other values, perhaps another site
//   records     the newest one is the thread's, of that version
//   Vc, W       without release: nothing. No release fence has come since, or the epoch would have
//               ended: what a relaxed write releases stands there, and the thread has what a
//               read-modify-write acquires. With release: W is the thread's last release and
//               becomes this one, as Vc shares its base; the epoch moves on
//   S           nothing, where neither has views of it; or the same event again (rsan_s_go_on)
//   log         its newest entry is that write, if nothing was noted since: it gets the number, and
//               stands for all that repeat it (docs/internals/MODEL.md)

#ifndef RSAN_FAST_AGAIN_H
#define RSAN_FAST_AGAIN_H

#include "../steps/types.h"

// What the thread has written so far was another owner's.
void rsan_again_begin(struct rsan_thread *thread);

bool rsan_read_again(struct rsan_thread *thread, struct rsan_location *location,
                     const struct rsan_access *access);
bool rsan_write_again(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access);

// For threads without explicit clocks: all of the access, if it is one of these; or nothing.
static inline bool rsan_access_again(struct rsan_thread *thread, struct rsan_location *location,
                                     const struct rsan_access *access) {
  if (access->kind == RSAN_READ)
    return rsan_read_again(thread, location, access);
  return rsan_fast_is_writer(&location->write, &thread->writer) &&
         rsan_write_again(thread, location, access);
}

// For VERIFY builds: what either changes, S and the log aside. `in_place`: no base of a clock is
// replaced, so the access can be made once more.
struct rsan_again_state {
  bool in_place, alone; // alone: it is one of fast/alone.h
  struct rsan_location location;
  struct rsan_version version;
  struct rsan_record record;
  struct rsan_sc_view sc;
  uint64_t epoch;
};
// Is the access one of these? A pure question, for threads with explicit clocks as well. Fills in
// the state before it, and dies if a load that is said to repeat another one would learn something.
bool rsan_again_applies(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access, struct rsan_again_state *before);
// The whole access has been made; makes it once more from the state `before` it.
void rsan_again_compare(struct rsan_thread *thread, struct rsan_location *location,
                        const struct rsan_access *access, const struct rsan_again_state *before);

#endif
