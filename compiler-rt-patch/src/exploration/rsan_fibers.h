// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a test of rsan_check (rsan.h) as fibers: stacks of their own in one thread of the
// operating system, with a thread of TSan's each. They are scheduled as threads are
// (schedule/rsan_schedule.h); who waits to be chosen switches to who was, by no call of the system.
// So what blocks in a scheduled run blocks here.
//
// The fibers stay from one execution to the next. Each begins after all that its execution's
// setup() has done, and ends before check(): edges of happens-before that are certain, as those of
// creation and join. So an execution is one after all earlier ones for the analysis, too.
//
// An execution that the exploration gives up goes on to its end by a policy, and nothing that it
// shows is noted, for a function cannot be left in its midst. If it has no end, as in a deadlock,
// its fibers are left where they are, begin anew in the next execution, and the locks that they
// hold are given back.

#ifndef RSAN_FIBERS_H
#define RSAN_FIBERS_H

#include "schedule/rsan_token.h"

namespace __tsan {

// The further properties of a test that is a scenario of rsan_structure.h (rsan_scenario.cpp).
struct RsanScenario {
  const char *name;  // as the option scenario= takes it
  const char *table; // the calls of each thread, for whoever reads a report
  bool quiet;        // prints nothing unless the process ends; the first failure is enough
};

struct RsanTest {
  void (*setup)(void *argument);
  void (*const *threads)(void *argument);
  bool (*check)(void *argument); // false: the execution has failed
  void *argument;
  u32 count;                    // of threads
  uptr pc;                      // the return address of the call of rsan_check
  const RsanScenario *scenario; // null: the test is no scenario
};

// Goes on with that fiber. Returns when another one has switched back.
void RsanSwitchToFiber(u32 id);

// Has the program other threads than the calling one and the fibers?
bool RsanHasOtherThreads();

// Makes and frees fibers until there are as many as the test has threads.
void RsanResizeFibers(const RsanTest &test);

// One execution along the prefix that rsan_exploration asks for. Setup() and check() run as well;
// check() does not if the execution has no end or was given up. False: check() has failed.
bool RsanExecuteOnFibers(const RsanTest &test);

// In place of what a thread does: waits for its turn; leaves the execution, which has no end.
void RsanWaitOnFiber(RsanScheduled *me);
[[noreturn]] void RsanLeaveExecution();
// The exploration has given the execution up. Does it go on unexplored?
bool RsanGoesOnUnexplored() SANITIZER_REQUIRES(rsan_schedule_mutex);
// Nothing is noted of what it shows.
bool RsanIsUnexplored();

// rsan_assume(false).
void RsanAssumeOnFiber();

// The test does what it cannot do here: a line that says so, and the end of the process.
[[noreturn]] void RsanRefuseOnFiber(const char *what);
// The process ends by itself, or has been at an execution for too long: says which one, and ends.
[[noreturn]] void RsanEndsOnFiber(const char *how);
// The process ends by itself: with a status of its own, if tests whose violations do no harm are
// all that it has reported. (A user's exitcode= stays.)
void RsanSetStatusOfChecks();
// The option execution=, which repeats it.
void RsanAppendExecution(InternalScopedString *text);

} // namespace __tsan

#endif
