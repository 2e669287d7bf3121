// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a recorded schedule (recorder.h), a step at a time, with memory that does not depend on its
// length.

#ifndef RSAN_SCHEDULE_REPLAY_H
#define RSAN_SCHEDULE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "points.h"

#define RSAN_REPLAY_BUILD     128
#define RSAN_REPLAY_ARGUMENTS 4096
#define RSAN_REPLAY_OPTIONS   1024

// What the file says of the run, escaped as it is there.
struct rsan_replay_head {
  char build[RSAN_REPLAY_BUILD];
  char arguments[RSAN_REPLAY_ARGUMENTS];
  char options[RSAN_REPLAY_OPTIONS];
};

enum rsan_replay_what {
  RSAN_REPLAY_STEP,
  RSAN_REPLAY_WOKEN,
  RSAN_REPLAY_CHOSEN,  // the thread that runs chooses `value`
  RSAN_REPLAY_FAILED,  // its weak compare-exchange fails
  RSAN_REPLAY_ASSUMED, // what it assumes does not hold
  RSAN_REPLAY_END,     // of the recorded run
  RSAN_REPLAY_CUT,     // of the file, without its last line
  RSAN_REPLAY_BAD,     // the file is none: `error` and `line`
};

struct rsan_replay_next {
  enum rsan_replay_what what;
  uint32_t thread;
  struct rsan_label label;
  uint32_t value;
};

struct rsan_replay {
  // Fills `text` with at most `size` bytes, and says how many there are; 0: the file ends.
  uint32_t (*read)(void *from, char *text, uint32_t size);
  void *from;
  struct rsan_points points;
  struct rsan_replay_next next;
  uint64_t steps; // that were taken
  uint64_t run;   // steps of `next.thread` that are expected, with the next one
  const char *error;
  uint32_t line;
  uint32_t at, size; // in buffer
  char buffer[512];
};

// Reads the head. False: the file is none, or of another version; `error` says what is wrong.
bool rsan_replay_open(struct rsan_replay *r,
                      uint32_t (*read)(void *from, char *text, uint32_t size), void *from,
                      struct rsan_replay_head *head);
void rsan_replay_clear(struct rsan_replay *r);

// What comes next is in `next`; this goes on behind it.
void rsan_replay_take(struct rsan_replay *r);

#endif
