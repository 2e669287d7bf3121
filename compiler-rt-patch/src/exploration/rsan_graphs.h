// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a test of rsan_check follow execution graphs (rsan/graph/explore.h): each atomic
// operation is the next event of its thread, and a read gets the value of the write that the graph
// has for it. So a test is explored for all that C++20 allows, and not only for interleavings.
//
// setup() and check() run alone, before and after all events. Their operations are no events: what
// setup() leaves in an object is the object's initial write, and check() finds the last write of
// modification order, which memory has.
//
// Memory that is not atomic is read and written in place. Threads run in an order in which each
// event comes behind what it reads, so in a program without data races memory has the right values;
// races are found by TSan's shadow memory, with clocks of the graph's happens-before.
//
// Limits: docs/internals/GRAPHS.md, section 'In the running program'.

#ifndef RSAN_GRAPHS_H
#define RSAN_GRAPHS_H

#include "exploration/rsan_fibers.h"
#include "schedule/rsan_schedule.h"

extern "C" {
#include "rsan/graph/explore.h"
}

namespace __tsan {

// -- what a thread does that follows a graph; no lock held --
//
// None of these returns in a thread that can do nothing more in this run: where it waits, where the
// run is over, and where the program does not do what its graph says.

// An atomic access to the object of `size` bytes at `addr`: waits for its turn, makes the event,
// and changes memory. `op` has all but the object and its initial value. Returns the value that it
// reads; `done` (may be null): the update was made.
rsan_value RsanGraphAccess(ThreadState *thr, uptr pc, uptr addr, u32 size, rsan_graph_op op,
                           bool *done);
void RsanGraphFence(ThreadState *thr, uptr pc, rsan_order order);
u32 RsanGraphChoose(ThreadState *thr, u32 count); // rsan_choose

// Waits for the turn to make the next event. The functions here do so by themselves.
void RsanGraphArrive();
// Before a lock is taken, tried or given back: who holds it.
struct RsanGraphHeld {
  u32 mine; // takings of this thread's, which has it alone
  u32 readers;
  bool is_held;
};
// Returns whether the lock may be taken. `tries`: the thread does not wait.
bool RsanGraphLock(ThreadState *thr, rsan_kind kind, uptr object, bool tries, RsanGraphHeld held);
// A semaphore is posted, waited for or tried. Returns whether it may be.
bool RsanGraphSemaphore(ThreadState *thr, uptr semaphore, rsan_kind kind, bool tries);
// A thread begins to wait at a condition variable, before it gives the mutex back; waits there.
void RsanGraphBeginWait(ThreadState *thr, uptr variable);
void RsanGraphAwaitWake(ThreadState *thr, uptr variable, rsan_kind kind);
// One of the threads that wait there goes on, or all. Returns how many.
u32 RsanGraphWake(ThreadState *thr, uptr variable, u32 most);
// The thread has arrived at a barrier for `count` threads. Returns whether it is the last one; the
// others wait for it.
bool RsanGraphPassBarrier(ThreadState *thr, uptr barrier, u32 count);
// FUTEX_WAIT and FUTEX_WAKE, without a time limit and for all waiters. The first one returns
// whether the thread has waited; if not, the word has another value. The second one returns how
// many it has woken.
bool RsanGraphFutexWait(ThreadState *thr, uptr pc, uptr word, u32 expected);
u32 RsanGraphFutexWake(ThreadState *thr, uptr pc, uptr word, u32 most);
// An operation that is scheduled elsewhere. Most kinds have no graphs.
void RsanGraphPoint(ThreadState *thr, rsan_kind kind, uptr object);
// There are no graphs of a test whose threads do that.
[[noreturn]] void RsanGraphRefuse(const char *what);

// The thread makes no more events in this run: what it would do is seen in other graphs, or need
// not be seen.
enum RsanGraphStopped {
  kRsanGraphTurns,   // it reads the same again in a loop
  kRsanGraphAssumed, // rsan_assume
  kRsanGraphDropped, // it has chosen what cannot be in this graph
};
[[noreturn]] void RsanGraphStop(RsanGraphStopped why);

bool RsanIsFollower(); // RsanFollowsGraph
// The thread's number in graphs, from 0 on.
u32 RsanGraphSelf();
// The thread waits at `pc`, by an operation of that kind, until the run ends.
[[noreturn]] void RsanGraphStayAway(rsan_kind kind, uptr object, uptr pc);
// The run is over.
[[noreturn]] void RsanGraphEndRun();

// -- between rsan_graph_run.cpp, which has the graph, and rsan_graph_turns.cpp, which has the
// threads --

// Returns the thread that makes the next event, or RSAN_NO_GRAPH_THREAD if the run is over.
u32 RsanGraphNext();
// Returns whether the run has ended in a deadlock.
bool RsanGraphIsDeadlock();
// Returns whether the run has made all events of its graph, in their order.
bool RsanGraphIsFollowed();
// Sets whether the thread can go on.
void RsanGraphLet(u32 thread, bool goes_on);
void RsanGraphThreadBegins(u32 thread);
void RsanGraphThreadEnds(); // the calling thread
u32 RsanGraphNextFiber();   // 0: none
// An event of an object that has no atomic access: a lock, a semaphore, a thread, ...
struct RsanGraphStep {
  uptr addr;
  u64 part;         // 0, or a number: an object of its own at the same address
  rsan_value value; // that the object has now
  bool renews;      // if events have left another value, it is another object from here on
  rsan_graph_op op; // all but the object and its initial value
  rsan_kind kind;   // of the wait, if the thread has to wait there
  const char *name; // in tables; empty: not shown
};
// TSan keeps the clocks of locks, semaphores and threads, as in any other run, because a graph has
// all operations of such an object in one order, in which they are made. The schedule is told the
// address, so that RsanNoteUnscheduledOrder finds no gap.
const rsan_graph_event &RsanGraphMakes(ThreadState *thr, const RsanGraphStep &step);
// The events that the run has made.
const rsan_graph_event *RsanGraphMade(u32 *count);
// Returns how many threads may wait for what the calling one does next. There may be more than have
// been created so far.
u32 RsanGraphWaiters();
// Makes the event that creates the thread (value 1) or ends it (2).
void RsanGraphTells(ThreadState *thr, u32 thread, u64 value);
// Makes the event by which a thread learns of the newest one of those: its start, or a join.
void RsanGraphLearns(ThreadState *thr, u32 thread);
// A thread of a program begins, ends, or joins `other`, which is its number in the schedule.
void RsanGraphThreadPoint(ThreadState *thr, rsan_kind kind, u32 other);
void RsanGraphCreates(ThreadState *thr); // before it creates another one
void RsanGraphExits();                   // before it ends the program

// -- for the explorer --

// A run of a program calls these for each object that no earlier run has met, and for each
// operation. They write to the log that the parent process reads (rsan_graph_log.h).
void RsanLogGraphObject(uptr addr, u32 size, u64 part);
void RsanLogGraphStep(const rsan_graph_op &op);
// Adds an object that a run has met to the table of the parent process.
void RsanGraphsMeet(uptr addr, u32 size, u64 part);

// The result of a run, without its graph.
struct RsanGraphOutcome {
  u32 threads, ended;
  bool turned, assumed, dropped; // a thread was stopped (RsanGraphStopped)
  bool wakes;                    // a thread was asked for RsanGraphWaiters
  bool endless;                  // turned, and no other thread ends the loop
  const char *unmade;            // as in RsanGraphCounts
};

// Returns whether a thread was stopped.
inline bool RsanGraphIsCut(const RsanGraphOutcome &made) {
  return made.turned || made.assumed || made.dropped;
}

struct RsanGraphCounts {
  u64 runs;
  u64 graphs;          // of complete executions
  u64 weak;            // of these: no interleavings
  u64 turned, assumed; // runs in which a thread was stopped so
  u64 endless;         // of those turned: no other thread ends the loop
  u64 failed;          // runs with a finding
  bool wakes;          // in some run
  bool outgrown;       // a run had more threads than RsanGraphWaiters knew of
  u64 cut, diverged;   // runs
  const char *unmade;  // what has no graphs here, if the threads have done that; else null
};

// Returns whether options leave the program's accesses and its memory model as they are. Only then
// graphs say what the program can do.
bool RsanGraphsAreOfModel();
// Sets the bound of turns of the next exploration, whose predecessor has counted `before`; 0: there
// is none before. The bound rises from 2 to explore_loop=, unless that changes nothing or takes
// long. If the counts are of no use, the bound is the same again.
bool RsanGraphsRaiseTurns(const RsanGraphCounts &before, u32 *turns);
// Runs begin with so many threads. A thread makes so many turns of a loop that reads the same
// again.
void RsanGraphsBegin(u32 threads, u32 turns);
void RsanGraphsEnd();
// The next run's graph; false: there is none. Again: the same one.
bool RsanGraphsNext();
void RsanGraphsAgain();
// The run is over: what it was.
RsanGraphOutcome RsanGraphsOutcome();
rsan_graph_end RsanGraphsRunEnds(const RsanGraphOutcome &made);
// Counts the graph of a run that has ended by a failure.
void RsanGraphsCountGraph();
// Repeats an operation of a run in another process, which followed the same graph.
void RsanGraphsStep(u32 thread, const rsan_graph_op &op);
RsanGraphCounts *RsanGraphsCount();
// The graph of the run before.
const rsan_graph *RsanGraphsGraph();
// When all is explored: the next run follows a copy of `graph`, and has the number `number`.
void RsanGraphsTake(const rsan_graph &graph, u64 number);
// Have all threads come to their ends?
bool RsanGraphsAllEnded();
// The run as a table: who did what, and what each read has read.
void RsanPrintGraph();
void RsanPrintGraphSoFar(); // for a report: a heading, and the events that were made

} // namespace __tsan

#endif
