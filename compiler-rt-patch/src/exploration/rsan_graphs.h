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
// Before a mutex is taken, tried or given back: `is_held` at all, or by this thread and so often.
// Returns whether it may be taken.
struct RsanGraphHeld {
  bool is_held;
  u32 times;
};
bool RsanGraphLock(ThreadState *thr, rsan_kind kind, uptr object, RsanGraphHeld held);
// A semaphore is posted, or waited for.
void RsanGraphSemaphore(ThreadState *thr, uptr semaphore, bool posts);
// An operation that is scheduled elsewhere. Most kinds have no graphs.
void RsanGraphPoint(ThreadState *thr, rsan_kind kind, uptr object);
// There are no graphs of a test whose threads do that.
[[noreturn]] void RsanGraphRefuse(const char *what);

// The thread makes no more events in this run: what it would do is seen in other graphs, or need
// not be seen. `turns`: since it reads the same again in a loop; else by rsan_assume.
[[noreturn]] void RsanGraphStop(bool turns);

bool RsanIsFollower(); // RsanFollowsGraph
// The thread's number in graphs, from 0 on.
u32 RsanGraphSelf();
// The thread waits, by an operation of that kind, for what does not come in this run.
[[noreturn]] void RsanGraphStayAway(rsan_kind kind, uptr object, uptr pc);
// The run is over.
[[noreturn]] void RsanGraphEndRun();

// -- for the fibers, and the threads of a program (rsan_graph_turns.cpp) --

// The thread that goes on; RSAN_NO_GRAPH_THREAD: the run is over.
u32 RsanGraphNext();
// Is it over by a deadlock?
bool RsanGraphIsDeadlock();
// Has the run made all events of the graph that it was to follow?
bool RsanGraphIsFollowed();
// Whether the thread can go on.
void RsanGraphLet(u32 thread, bool goes_on);
void RsanGraphThreadBegins(u32 thread);
void RsanGraphThreadEnds(); // this one
u32 RsanGraphNextFiber();   // 0: none
// The creation of a thread, with the value 1, and its end, with 2; and who knows of one of them.
void RsanGraphTells(ThreadState *thr, u32 thread, u64 value);
void RsanGraphLearns(ThreadState *thr, u32 thread);
// A thread of a program begins, ends, or joins the schedule's thread `other`.
void RsanGraphThreadPoint(ThreadState *thr, rsan_kind kind, u32 other);
// A thread of a program is about to create another one; ends the program.
void RsanGraphCreates(ThreadState *thr);
void RsanGraphExits();

// -- for the explorer --

// A program's run logs for its parent process (rsan_graph_log.h) each object that no run before has
// met, and each operation.
void RsanLogGraphObject(uptr addr, u32 size);
void RsanLogGraphStep(const rsan_graph_op &op);
// The parent notes the object in its own table.
void RsanGraphsMeet(uptr addr, u32 size);

// What a run has come to, beside its graph.
struct RsanGraphMade {
  u32 threads, ended;
  bool turned, assumed; // a thread was stopped
  bool endless;         // by turns, and no other thread ends the loop
  const char *unmade;   // as in RsanGraphCounts
};

struct RsanGraphCounts {
  u64 runs;
  u64 graphs;          // of complete executions
  u64 weak;            // of these: no interleavings
  u64 turned, assumed; // runs in which a thread was stopped so
  u64 endless;         // of those turned: no other thread ends the loop
  u64 failed;          // runs with a finding
  u64 cut, diverged;   // runs
  const char *unmade;  // what has no graphs here, if the threads have done that; else null
};

// Do options leave the program's accesses and its memory model as they are? Else there are no
// graphs.
bool RsanGraphsAreOfModel();
// Runs begin with so many threads. A thread makes so many turns of a loop that reads the same
// again.
void RsanGraphsBegin(u32 threads, u32 turns);
void RsanGraphsEnd();
// The next run's graph; false: there is none. Again: the same one.
bool RsanGraphsNext();
void RsanGraphsAgain();
// The run is over: what it was.
RsanGraphMade RsanGraphsMade();
rsan_graph_end RsanGraphsRunEnds(const RsanGraphMade &made);
// It has ended by a failure: counts its graph.
void RsanGraphsCountGraph();
// An operation that was made in another process, which had the same graph.
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
void RsanPrintGraphSoFar(); // in a report, with a line that says what it is

} // namespace __tsan

#endif
