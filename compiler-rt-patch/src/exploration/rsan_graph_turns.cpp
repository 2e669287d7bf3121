// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fibers of rsan_check(), and the threads of a program under `rsan check`, while they follow an
// execution graph. A fiber switches to the fiber that makes the next event. A thread hands its
// operation to the schedule, and the schedule asks Follow() for the next thread.
//
// In a program, the graph has an object for each thread. Its creator and its end write the object.
// A thread that begins, and a thread that joins it, read the last write, because no later write can
// come.

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graph_log.h"
#include "exploration/rsan_graphs.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

bool rsan_follows_graphs;

static RsanGraphLog *log;            // null while fibers run
static u32 joins[RSAN_DPOR_THREADS]; // the thread that each waits for, from 1 on; 0: none
static u64 has_ended;                // threads
static u32 exits = RSAN_NO_THREAD;   // the schedule's thread that ends the program

bool RsanIsFollower() {
  return RsanOnFibers() ? RsanCurrentFiber() != 0 : RsanIsScheduled(cur_thread());
}

static u32 NumberOf(u32 id) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  return rsan_schedule_state->schedule.explored->number[id];
}

u32 RsanGraphSelf() {
  return RsanOnFibers() ? RsanCurrentFiber() - 1 : NumberOf(rsan_self->id);
}

// -- turns --

u32 RsanGraphNextFiber() {
  const u32 thread = RsanGraphNext();
  return thread == RSAN_NO_GRAPH_THREAD ? 0 : thread + 1;
}

static void ArriveBy(rsan_kind kind, uptr object, rsan_until until, uptr pc = 0) {
  rsan_pending pending = {};
  pending.kind = kind;
  pending.object = object;
  pending.until = until;
  pending.point = pc ? RsanPointOf(rsan_self, pc) : 0;
  RsanArrive(rsan_self, pending, 0);
}

void RsanGraphArrive() {
  if (!RsanOnFibers())
    return ArriveBy(RSAN_KIND_LOAD, 0, RSAN_UNTIL_NOTHING);
  const u32 me = RsanCurrentFiber();
  for (u32 next; (next = RsanGraphNextFiber()) != me;)
    RsanSwitchToFiber(next);
}

void RsanGraphStayAway(rsan_kind kind, uptr object, uptr pc) {
  while (!RsanOnFibers()) // nobody wakes it; a signal handler may
    ArriveBy(kind, object, RSAN_UNTIL_WOKEN, pc);
  RsanSwitchToFiber(RsanGraphNextFiber());
  UNREACHABLE("a thread goes on that can make no event");
}

static void NoteEnd() {
  log->made = RsanGraphsOutcome();
  log->over = true;
  if (*rsan_flags()->explore_graph && !RsanGraphIsFollowed())
    Printf("WARNING: ThreadSanitizer: the run differs from the graph of %s (pid=%d)\n",
           Printable(rsan_flags()->explore_graph), static_cast<int>(internal_getpid()));
}

void RsanGraphEndRun() {
  if (RsanOnFibers())
    RsanSwitchToFiber(0);
  NoteEnd();
  RsanEndRun();
}

static u32 IdOf(u32 number) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const rsan_threads &threads = rsan_schedule_state->schedule.threads;
  for (u32 id = 0; id < threads.count; id++)
    if (NumberOf(id) == number && threads.thread[id].state == RSAN_THREAD_PENDING)
      return id;
  return RSAN_NO_THREAD;
}

// A thread ends the program only when no other thread can go on.
static u32 Follow(bool *is_deadlock) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const u32 number = RsanGraphNext();
  const u32 id = number == RSAN_NO_GRAPH_THREAD ? RSAN_NO_THREAD : IdOf(number);
  if (id != RSAN_NO_THREAD)
    return id;
  if (exits != RSAN_NO_THREAD)
    return exits;
  *is_deadlock = RsanGraphIsDeadlock();
  NoteEnd();
  return RSAN_NO_THREAD;
}

// -- threads --

void RsanGraphCreates(ThreadState *thr) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const u32 child =
      rsan_explored_next_number(rsan_schedule_state->schedule.explored, rsan_self->id);
  if (child >= RSAN_DPOR_THREADS)
    RsanGraphRefuse("creation of more than 63 threads");
  RsanGraphArrive();
  RsanGraphTells(thr, child, 1);
  RsanGraphThreadBegins(child);
}

static void Ends(ThreadState *thr) {
  const u32 self = RsanGraphSelf();
  RsanGraphTells(thr, self, 2);
  RsanGraphThreadEnds();
  has_ended |= 1ull << self;
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++)
    if (joins[i] == self + 1) {
      joins[i] = 0;
      RsanGraphLet(i, true);
    }
}

static void Joins(ThreadState *thr, u32 id) {
  const u32 self = RsanGraphSelf(), other = NumberOf(id);
  if (!(has_ended >> other & 1)) {
    joins[self] = other + 1;
    RsanGraphLet(self, false);
  }
  ArriveBy(RSAN_KIND_JOIN, id, RSAN_UNTIL_END);
  RsanGraphLearns(thr, other);
}

void RsanGraphThreadPoint(ThreadState *thr, rsan_kind kind, u32 other) {
  if (RsanOnFibers())
    RsanGraphRefuse(RsanKindText(static_cast<u8>(kind)));
  if (kind == RSAN_KIND_START)
    RsanGraphLearns(thr, RsanGraphSelf());
  else if (kind == RSAN_KIND_END)
    Ends(thr);
  else
    Joins(thr, other);
}

void RsanGraphExits() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  rsan_schedule *schedule = &rsan_schedule_state->schedule;
  RsanGraphThreadEnds();
  exits = rsan_self->id;
  ArriveBy(RSAN_KIND_EXIT, 0, RSAN_UNTIL_NOTHING);
  NoteEnd();
  const RsanGraphOutcome &made = log->made;
  if (made.ended < made.threads && !RsanGraphIsCut(made))
    log->made.unmade = "end of the program while other threads have not ended";
  RsanScheduleLock lock;
  rsan_follows_graphs = rsan_uses_test_heap = false;
  schedule->follow = nullptr;
  schedule->explored = nullptr;
}

// -- the log (rsan_graph_log.h) --

void RsanBeginGraphLog() {
  if (!log)
    log = static_cast<RsanGraphLog *>(RsanMapShared(sizeof *log));
  log->made = {};
  log->over = false;
  log->objects = log->steps = 0;
}

const RsanGraphLog *RsanGraphLogOf() {
  return log;
}

void RsanLogGraphObject(uptr addr, u32 size, u64 part) {
  if (log && log->objects < kRsanMostGraphObjects)
    log->object[log->objects++] = {addr, size, part};
}

void RsanLogGraphStep(const rsan_graph_op &op) {
  if (log && log->steps <= RSAN_GRAPH_MOST_EVENTS)
    log->step[log->steps++] = {op, RsanGraphSelf()};
}

void RsanFollowFromHere() {
  RsanScheduleLock lock;
  rsan_schedule *schedule = &rsan_schedule_state->schedule;
  schedule->follow = Follow;
  schedule->livelock.bound = 0;
  rsan_follows_graphs = rsan_uses_test_heap = true;
}

} // namespace __tsan
