// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule as text, to be run again (replay.h):
//
//   rsan-schedule 1                 the version of the format
//   build 5d0c2e...                 which binary it is of, as the host names it
//   arguments ./seqlock 100         with %20 for a space within one of them, and so on
//   options schedule=random:seed=7
//   steps
//   0@00:4a1f80 0@12:4a1fa8 1@00:4a2010 0*14 1.3c ^2 ...
//   end 1862                        and how many steps there are
//
// A step of thread T is `T@KK:P`, the kind and the program point in hexadecimal; or `T.SS`, the
// label of slot SS; or one of `T*N`, N steps that are expected (points.h). `^T` says that thread T
// was woken, where one of several had to be; `=V` that the thread that ran chose the value V; `~`
// that its weak compare-exchange failed although it found what it expects; `!` that what it assumed
// did not hold. Without the last line the run was ended in its midst.
//
// The writer holds back less than a line. Its memory is that of points.h.

#ifndef RSAN_SCHEDULE_RECORDER_H
#define RSAN_SCHEDULE_RECORDER_H

#include <stdint.h>

#include "points.h"

#define RSAN_SCHEDULE_VERSION 1
#define RSAN_RECORD_LINE      96

struct rsan_recorder {
  void (*write)(void *to, const char *text, uint32_t size);
  void *to;
  struct rsan_points points;
  uint64_t steps;
  uint64_t run;        // expected steps that are not written yet,
  uint32_t run_thread; // of this thread
  uint32_t used;
  char line[RSAN_RECORD_LINE + 32];
};

void rsan_recorder_init(struct rsan_recorder *r,
                        void (*write)(void *to, const char *text, uint32_t size), void *to);
void rsan_recorder_clear(struct rsan_recorder *r);

// First the head: name and value, in the order above; an argument at a time.
void rsan_recorder_build(struct rsan_recorder *r, const char *build);
void rsan_recorder_arguments(struct rsan_recorder *r, const char *const *arguments, uint32_t count);
void rsan_recorder_options(struct rsan_recorder *r, const char *options);

void rsan_recorder_step(struct rsan_recorder *r, uint32_t thread, struct rsan_label label);
void rsan_recorder_woken(struct rsan_recorder *r, uint32_t thread);
void rsan_recorder_chosen(struct rsan_recorder *r, uint32_t value);
void rsan_recorder_failed(struct rsan_recorder *r);
void rsan_recorder_assumed(struct rsan_recorder *r);

// Writes what was held back, as where the process may end; then the last line.
void rsan_recorder_flush(struct rsan_recorder *r);
void rsan_recorder_end(struct rsan_recorder *r);

#endif
