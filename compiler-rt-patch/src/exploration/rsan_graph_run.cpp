// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run along an execution graph: whose turn it is, the events, and the clocks of race detection.
//
// The clocks are those of C++20, as the graph's rows are (rsan/graph/graph.c): each write has the
// clock that a read acquires from it, with those of its release sequence.

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graph_objects.h"
#include "exploration/rsan_graph_picture.h"
#include "exploration/rsan_graph_words.h"
#include "exploration/rsan_graphs.h"
#include "exploration/rsan_test_heap.h"
#include "exploration/rsan_uninitialised.h"
#include "port/rsan_tsan.h"
#include "races/rsan_race.h"

extern "C" {
#include "rsan/graph/consistent.h"
}

namespace __tsan {

namespace {

// A read that a loop may repeat. `times` counts the repetitions that read the same write.
struct Turn {
  uptr pc;
  u32 object, reads, times;
};
const u32 kTurns = 64;

// A thread of the test: its clocks for fences, which TSan has none of, and the turns of its loop.
struct Follower {
  VectorClock acquirable, released; // by an acquire fence; at the last release fence
  bool has_acquirable, has_released;
  u32 spurious; // failures so far
  bool stopped; // in a loop
  u32 turns;
  Turn turn[kTurns];
};

// The clock that reads acquire from a write.
struct Released {
  VectorClock clock;
  bool any;
};

} // namespace

static rsan_explore explorer;
static RsanGraphCounts counts;
static Follower *followers; // of RSAN_DPOR_THREADS
static Released *released;  // by event
static u64 can_go_on; // threads that have not ended, were not stopped, and do not wait in a join
static RsanGraphOutcome made;
static u64 run;          // a number for each
static u32 most_threads; // of any run: so many, but for one, may wait for the same

// -- whose turn it is --

u32 RsanGraphNext() {
  const u32 thread = rsan_explore_thread(&explorer, can_go_on);
  if (thread == RSAN_NO_GRAPH_THREAD || can_go_on >> thread & 1)
    return thread;
  explorer.diverged = true; // the graph has an event of it, which never comes
  return RSAN_NO_GRAPH_THREAD;
}

bool RsanGraphIsDeadlock() {
  return rsan_explore_end_of(&explorer) == RSAN_EXPLORE_DEADLOCK && !RsanGraphIsCut(made);
}

bool RsanGraphIsFollowed() {
  return !explorer.diverged && explorer.cursor >= explorer.graph.count;
}

static Follower *Me() {
  return &followers[RsanGraphSelf()];
}

void RsanGraphLet(u32 thread, bool goes_on) {
  const u64 bit = 1ull << thread;
  can_go_on = goes_on ? can_go_on | bit : can_go_on & ~bit;
}

void RsanGraphThreadBegins(u32 thread) {
  RsanGraphLet(thread, true);
  made.threads++;
}

void RsanGraphThreadEnds() {
  RsanGraphLet(RsanGraphSelf(), false);
  made.ended++;
}

void RsanGraphStop(RsanGraphStopped why) {
  RsanGraphLet(RsanGraphSelf(), false);
  Me()->stopped = why == kRsanGraphTurns;
  made.turned |= why == kRsanGraphTurns;
  made.assumed |= why == kRsanGraphAssumed;
  made.dropped |= why == kRsanGraphDropped;
  RsanGraphStayAway(RSAN_KIND_SPIN, 0, 0);
}

void RsanGraphRefuse(const char *what) {
  made.unmade = what;
  RsanGraphEndRun();
}

// -- events --

static rsan_graph_event *Event(u32 e) {
  return &explorer.graph.event[e];
}

// Makes the thread's next event. If the thread has to wait there, `kind` is the kind of the wait.
// `name` is for tables; null: that of an atomic operation.
static u32 Step(ThreadState *thr, uptr pc, uptr addr, const rsan_graph_op &op,
                rsan_kind kind = RSAN_KIND_SPIN, const char *name = nullptr) {
  const u32 e = rsan_explore_step(&explorer, RsanGraphSelf(), &op);
  RsanLogGraphStep(op);
  if (e == RSAN_GRAPH_NONE)
    RsanGraphEndRun();
  RsanNoteGraphEvent(thr, {pc, addr, name}, e);
  if (Event(e)->outcome == RSAN_GRAPH_BLOCKED)
    RsanGraphStayAway(kind, addr, pc);
  return e;
}

// A loop that reads the same at the same places, and writes nothing in between, waits for others.
// It turns `most_turns` times.
static u32 most_turns;

static void NoteProgress(Follower *me) {
  me->turns = 0;
}

static void NoteRead(Follower *me, uptr pc, const rsan_graph_event &event) {
  for (u32 i = 0; i < me->turns; i++) {
    Turn *turn = &me->turn[i];
    if (turn->pc != pc || turn->object != event.op.object)
      continue;
    if (turn->reads != event.reads) {
      NoteProgress(me);
      break;
    }
    if (turn->times++ == most_turns)
      RsanGraphStop(kRsanGraphTurns);
    return;
  }
  if (me->turns < kTurns)
    me->turn[me->turns++] = {pc, event.op.object, event.reads, 0};
}

// -- clocks; the thread has its slot --

static void AcquireFrom(ThreadState *thr, const rsan_graph_event &event) {
  if (event.reads >= RSAN_GRAPH_NONE || !released[event.reads].any)
    return;
  const VectorClock *clock = &released[event.reads].clock;
  if (rsan_order_acquires(rsan_graph_order(&event))) {
    thr->clock.Acquire(clock);
    RsanRaceStir(thr);
    return;
  }
  Follower *me = Me();
  if (!me->has_acquirable)
    me->acquirable.Reset();
  me->has_acquirable = true;
  me->acquirable.Acquire(clock);
}

static void ReleaseTo(ThreadState *thr, u32 e) {
  const rsan_graph_event &event = *Event(e);
  const Follower *me = Me();
  Released *to = &released[e];
  const bool releases = rsan_order_releases(static_cast<rsan_order>(event.op.order));
  to->any = releases || me->has_released;
  if (to->any)
    to->clock = releases ? thr->clock : me->released;
  if (event.reads < RSAN_GRAPH_NONE && released[event.reads].any) {
    if (!to->any)
      to->clock.Reset();
    to->any = true;
    to->clock.Acquire(&released[event.reads].clock);
  }
  if (releases)
    IncrementEpoch(thr);
}

static void Synchronise(ThreadState *thr, u32 e) {
  SlotLocker locker(thr);
  AcquireFrom(thr, *Event(e));
  if (rsan_graph_writes(Event(e)))
    ReleaseTo(thr, e);
}

void RsanGraphFence(ThreadState *thr, uptr pc, rsan_order order) {
  RsanGraphArrive();
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_FENCE;
  op.order = static_cast<u8>(order);
  Step(thr, pc, 0, op);
  Follower *me = Me();
  SlotLocker locker(thr);
  if (rsan_order_acquires(order) && me->has_acquirable) {
    thr->clock.Acquire(&me->acquirable);
    RsanRaceStir(thr);
  }
  if (!rsan_order_releases(order))
    return;
  me->released = thr->clock;
  me->has_released = true;
  IncrementEpoch(thr);
}

// -- operations --

static void SetObject(const RsanGraphObject *object, rsan_graph_op *op) {
  if (!object)
    RsanGraphRefuse(
        "access to an object that has other sizes as well, or to one of more than 4096 objects");
  op->object = RsanGraphObjectNumber(object);
  op->initial = object->initial;
}

rsan_value RsanGraphAccess(ThreadState *thr, uptr pc, uptr addr, u32 size, rsan_graph_op op,
                           bool *done) {
  RsanGraphArrive();
  Follower *me = Me();
  RsanGraphObject *object = RsanGraphObjectAt(&explorer.graph, run, addr, size);
  SetObject(object, &op);
  const bool is_weak = op.spurious;
  op.size = static_cast<u8>(Min(size, 8u));
  op.spurious &= me->spurious < static_cast<u32>(rsan_flags()->explore_spurious);
  const u32 e = Step(thr, pc, addr, op);
  const rsan_graph_event &event = *Event(e);
  const bool writes = rsan_graph_writes(&event);
  if (is_weak && !op.spurious && writes)
    RsanNoteGap(kRsanGap_SPURIOUS);
  if (is_weak)
    RsanTellFailed(event.outcome == RSAN_GRAPH_FAILED_ANYHOW);
  me->spurious += event.outcome == RSAN_GRAPH_FAILED_ANYHOW;
  Synchronise(thr, e);
  if (event.reads == RSAN_GRAPH_INITIAL)
    RsanLooksAtInitialValue(addr, size, event.read);
  if (writes) {
    RsanGraphObjectWritten(&explorer.graph, object, e);
    NoteProgress(me);
  } else {
    NoteRead(me, pc, event);
  }
  if (done)
    *done = writes;
  return event.read;
}

u32 RsanGraphChoose(ThreadState *thr, u32 count) {
  RsanGraphArrive();
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_CHOICE;
  op.operand.low = count;
  const u32 e = Step(thr, RsanCaller(thr), 0, op);
  NoteProgress(Me());
  return static_cast<u32>(Event(e)->read.low);
}

const rsan_graph_event &
RsanGraphMakes(ThreadState *thr, const RsanGraphStep &step) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  rsan_graph_op op = step.op;
  const uptr pc = RsanCaller(thr);
  rsan_schedule_state->schedule.threads.thread[rsan_self->id].pending.object = step.addr;
  RsanGraphObject *object =
      RsanGraphPartAt(&explorer.graph, run, step.addr, step.part, step.value, step.renews);
  SetObject(object, &op);
  const u32 e = Step(thr, pc, step.addr, op, step.kind, step.name);
  const rsan_graph_event &event = *Event(e);
  if (rsan_graph_writes(&event)) {
    RsanGraphObjectWritten(&explorer.graph, object, e);
    NoteProgress(Me());
  } else {
    NoteRead(Me(), pc, event);
  }
  return event;
}

const rsan_graph_event *RsanGraphMade(u32 *count) {
  *count = explorer.cursor;
  return explorer.graph.event;
}

u32 RsanGraphWaiters() {
  if (explorer.cursor == explorer.graph.count) {
    made.wakes = true;
    return Max(most_threads, 2u) - 1;
  }
  const rsan_graph_event &next = *Event(explorer.cursor);
  return next.op.kind == RSAN_GRAPH_CHOICE ? static_cast<u32>(next.op.operand.low) : 1;
}

// -- runs --

bool RsanGraphsAreOfModel() {
  const RsanFlags *flags = rsan_flags();
  return !*flags->simulate && !internal_strcmp(flags->target, "c11") &&
         !internal_strcmp(flags->seq_cst, "exact");
}

// Did threads choose among too few others that may wait?
static bool MustBeginAnew(const RsanGraphCounts &so_far) {
  return so_far.wakes && so_far.outgrown;
}

bool RsanGraphsRaiseTurns(const RsanGraphCounts &before, u32 *turns) {
  if (MustBeginAnew(before))
    return true;
  static const u32 kFirstTurns = 2;
  static const u64 kFewRuns = 2000;
  const u32 asked = static_cast<u32>(rsan_flags()->explore_loop);
  if (*turns && (before.failed || !before.turned || *turns == asked || before.runs > kFewRuns))
    return false;
  *turns = Min(*turns ? *turns * 4 : kFirstTurns, asked);
  return true;
}

static u32 first_threads; // at the beginning of a run

void RsanGraphsBegin(u32 count, u32 turns) {
  if (!followers) {
    followers = reinterpret_cast<Follower *>(
        MmapNoReserveOrDie(RSAN_DPOR_THREADS * sizeof *followers, "followers of graphs"));
    released = reinterpret_cast<Released *>(
        MmapNoReserveOrDie(RSAN_GRAPH_MOST_EVENTS * sizeof *released, "clocks of graphs"));
  }
  internal_memset(&counts, 0, sizeof counts);
  first_threads = count;
  most_threads = Max(most_threads, count);
  most_turns = turns;
  RsanForgetGraphObjects();
  rsan_explore_init(&explorer, RSAN_GRAPH_CXX20);
}

void RsanGraphsEnd() {
  RsanLeaveTestHeap();
  rsan_explore_clear(&explorer);
}

static void BeginRun() {
  RsanResetTestHeap();
  can_go_on = (1ull << first_threads) - 1;
  made = {};
  made.threads = first_threads;
  run++;
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++) {
    Follower *follower = &followers[i];
    follower->has_acquirable = follower->has_released = follower->stopped = false;
    follower->spurious = follower->turns = 0;
  }
}

bool RsanGraphsNext() {
  if (counts.unmade || MustBeginAnew(counts) || !rsan_explore_next(&explorer))
    return false;
  counts.runs++;
  BeginRun();
  return true;
}

void RsanGraphsAgain() {
  rsan_explore_again(&explorer);
  BeginRun();
}

const rsan_graph *RsanGraphsGraph() {
  return &explorer.graph;
}

void RsanGraphsTake(const rsan_graph &graph, u64 number) {
  counts.runs = number;
  rsan_graph_clear(&explorer.graph);
  rsan_graph_copy(&explorer.graph, &graph);
  RsanGraphsAgain();
}

// Returns whether every read that the thread repeats has read the newest write.
static bool ReadsNewest(const Follower &follower) {
  for (u32 i = 0; i < follower.turns; i++) {
    const Turn &turn = follower.turn[i];
    const u32 count = rsan_graph_write_count(&explorer.graph, turn.object);
    if (turn.times && turn.reads != rsan_graph_write_at(&explorer.graph, turn.object, count))
      return false;
  }
  return true;
}

// Returns whether threads were stopped in loops that no other thread will end, because all others
// have ended or wait for ever. That is a livelock, unless the loops have a bound.
static bool TurnsForEver() {
  if (!made.turned || made.assumed || made.dropped)
    return false;
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++)
    if (followers[i].stopped && !ReadsNewest(followers[i]))
      return false;
  return true;
}

RsanGraphOutcome RsanGraphsOutcome() {
  made.endless = TurnsForEver();
  return made;
}

void RsanGraphsCountGraph() {
  counts.graphs++;
  counts.weak += !rsan_graph_is_interleaving(&explorer.graph);
}

rsan_graph_end RsanGraphsRunEnds(const RsanGraphOutcome &run_made) {
  const rsan_graph_end end = rsan_explore_end(&explorer);
  if (!counts.unmade)
    counts.unmade = run_made.unmade;
  counts.cut += end == RSAN_EXPLORE_CUT;
  counts.diverged += end == RSAN_EXPLORE_DIVERGED && !counts.unmade;
  counts.wakes |= run_made.wakes;
  if (run_made.threads > most_threads) {
    counts.outgrown = true;
    most_threads = run_made.threads;
  }
  counts.turned += run_made.turned;
  counts.assumed += run_made.assumed;
  if (end != RSAN_EXPLORE_COMPLETE && end != RSAN_EXPLORE_DEADLOCK)
    return end;
  const bool all_ended = run_made.ended == run_made.threads;
  counts.endless += run_made.endless;
  if (!all_ended && RsanGraphIsCut(run_made))
    return RSAN_EXPLORE_WAITS;
  if (!all_ended && end == RSAN_EXPLORE_COMPLETE) {
    counts.unmade = counts.unmade ? counts.unmade : "rsan_assume in setup()";
    return RSAN_EXPLORE_DIVERGED;
  }
  RsanGraphsCountGraph();
  return end;
}

bool RsanGraphsAllEnded() {
  return made.ended == made.threads;
}

void RsanGraphsStep(u32 thread, const rsan_graph_op &op) {
  rsan_explore_step(&explorer, thread, &op);
}

RsanGraphCounts *RsanGraphsCount() {
  return &counts;
}

void RsanPrintGraph() {
  RsanPrintGraphOf(explorer.graph, explorer.cursor);
  if (*rsan_flags()->graph_picture)
    RsanDrawGraph(explorer.graph, explorer.cursor, rsan_flags()->graph_picture);
}

void RsanPrintGraphSoFar() {
  Printf("  The execution graph so far, which C++20 allows:\n");
  RsanPrintGraph();
}

} // namespace __tsan
