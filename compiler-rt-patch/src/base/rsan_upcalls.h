// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls from a lower folder of the runtime to a higher one. Each other call goes to the folder
// itself or to a lower one (tests/style/layers.txt). All of these are off the fast paths.

#ifndef RSAN_UPCALLS_H
#define RSAN_UPCALLS_H

#include "base/rsan_simulating.h"

extern "C" {
#include "rsan/schedule/pending.h"
}

namespace __tsan {

struct RsanScheduled;

struct RsanUpcalls {
  // From base/: this is simulated from now on.
  void (*simulated)(RsanSimulated what);
  // From schedule/. A thread on a fiber waits for its turn.
  void (*wait_on_fiber)(RsanScheduled *me);
  // An exploration has given the run up: does it go on unexplored? The schedule's lock is held.
  bool (*goes_on_unexplored)();
  // A thread that follows an execution graph comes to an operation.
  void (*point_in_graph)(ThreadState *thr, rsan_kind kind, uptr object);
  // Returns whether this thread follows a graph, in a process in which threads do.
  bool (*is_follower)();
  // Prints the events that the run has made so far, for a report.
  void (*print_graph)();
  // A thread is about to be dead. The schedule's lock is held.
  void (*thread_ends)();
  // Appends the option that repeats an execution of rsan_check.
  void (*append_execution)(InternalScopedString *text);
  // Nobody can go on: reports it and ends the process, or the execution. Does not return.
  void (*report_deadlock)();
  bool (*is_own_handler)(const void *handler); // is the signal handler the runtime's?
  // From exploration/: was the data race of these stacks reported in an earlier test?
  bool (*is_race_again)(StackTrace first, StackTrace second);
  // A thread's function runs on a fiber.
  void (*thread_runs)(ThreadState *thr, uptr function);
  void (*thread_gone)();
  void (*stay_on_processor)(); // with all threads of a run
  // The process ends with a report of its threads at that time, which is so many seconds from its
  // start.
  void (*end_with_report_at)(u64 time, u32 seconds);
};

extern const RsanUpcalls rsan_upcalls;

} // namespace __tsan

#endif
