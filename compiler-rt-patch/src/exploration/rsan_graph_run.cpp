// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run along an execution graph: whose turn it is, the events, and the clocks of race detection.
//
// The clocks are those of C++20, as the graph's rows are (rsan/graph/graph.c): each write has the
// clock that a read acquires from it, with those of its release sequence.

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graph_objects.h"
#include "exploration/rsan_graph_words.h"
#include "exploration/rsan_graphs.h"
#include "exploration/rsan_test_heap.h"
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
static RsanGraphMade made;
static u64 run; // a number for each

// -- whose turn it is --

u32 RsanGraphNext() {
  const u32 thread = rsan_explore_thread(&explorer, can_go_on);
  if (thread == RSAN_NO_GRAPH_THREAD || can_go_on >> thread & 1)
    return thread;
  explorer.diverged = true; // the graph has an event of it, which never comes
  return RSAN_NO_GRAPH_THREAD;
}

bool RsanGraphIsDeadlock() {
  return rsan_explore_end_of(&explorer) == RSAN_EXPLORE_DEADLOCK && !made.turned && !made.assumed;
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

void RsanGraphStop(bool turns) {
  RsanGraphLet(RsanGraphSelf(), false);
  Me()->stopped = turns;
  made.turned |= turns;
  made.assumed |= !turns;
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
static u32 Step(ThreadState *thr, uptr pc, uptr addr, const rsan_graph_op &op,
                rsan_kind kind = RSAN_KIND_SPIN) {
  const u32 e = rsan_explore_step(&explorer, RsanGraphSelf(), &op);
  RsanLogGraphStep(op);
  if (e == RSAN_GRAPH_NONE)
    RsanGraphEndRun();
  RsanNoteGraphEvent(thr, pc, addr, e);
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
      RsanGraphStop(true);
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

static RsanGraphObject *FindObject(uptr addr, u32 size, rsan_value value, rsan_graph_op *op) {
  RsanGraphObject *object = RsanGraphObjectAt(&explorer.graph, run, addr, size, value);
  if (!object)
    RsanGraphRefuse(
        "access to an object that has other sizes as well, or to one of more than 4096 objects");
  op->object = RsanGraphObjectNumber(object);
  op->initial = object->initial;
  return object;
}

rsan_value RsanGraphAccess(ThreadState *thr, uptr pc, uptr addr, u32 size, rsan_graph_op op,
                           bool *done) {
  RsanGraphArrive();
  Follower *me = Me();
  RsanGraphObject *object = FindObject(addr, size, {}, &op);
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

// Makes an operation of a lock or a semaphore. TSan keeps their clocks, as in any other run,
// because a graph has all operations of such an object in one order, in which they are made. The
// schedule is told the object, so that RsanNoteUnscheduledOrder finds no gap.
static bool Update(ThreadState *thr, uptr object, rsan_value value, rsan_graph_op op,
                   rsan_kind kind) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  rsan_schedule_state->schedule.threads.thread[rsan_self->id].pending.object = object;
  RsanGraphObject *found = FindObject(object, 0, value, &op);
  const u32 e = Step(thr, RsanCaller(thr), object, op, kind);
  if (!rsan_graph_writes(Event(e)))
    return false;
  RsanGraphObjectWritten(&explorer.graph, found, e);
  NoteProgress(Me());
  return true;
}

static rsan_graph_op AcquiringUpdate(bool blocks) {
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_UPDATE;
  op.order = RSAN_ACQUIRE;
  op.conditional = true;
  op.blocks = blocks;
  op.condition = rsan_equals({0, 0});
  return op;
}

bool RsanGraphLock(ThreadState *thr, rsan_kind kind, uptr object, RsanGraphHeld held) {
  if (kind == RSAN_KIND_READ_LOCK)
    RsanGraphRefuse(RsanKindText(RSAN_KIND_READ_LOCK));
  if (held.times > (kind == RSAN_KIND_UNLOCK))
    return true; // a recursive one, which stays its own
  rsan_graph_op op = {};
  if (kind == RSAN_KIND_UNLOCK) {
    op.kind = RSAN_GRAPH_WRITE;
    op.order = RSAN_RELEASE;
  } else {
    op = AcquiringUpdate(kind == RSAN_KIND_LOCK);
    op.operand.low = 1;
  }
  return Update(thr, object, {held.is_held, 0}, op, RSAN_KIND_LOCK);
}

static u64 SemaphoreValue(uptr semaphore) {
  RsanScheduleLock lock;
  return RsanSemaphoreValue(reinterpret_cast<void *>(semaphore));
}

void RsanGraphSemaphore(ThreadState *thr, uptr semaphore, bool posts) {
  RsanGraphArrive();
  rsan_graph_op op = AcquiringUpdate(true);
  op.condition.relation = RSAN_NOT_EQUAL;
  op.function = RSAN_GRAPH_SUB;
  if (posts) {
    op = {};
    op.kind = RSAN_GRAPH_UPDATE;
    op.order = RSAN_RELEASE;
    op.function = RSAN_GRAPH_ADD;
  }
  op.operand.low = 1;
  Update(thr, semaphore, {SemaphoreValue(semaphore), 0}, op, RSAN_KIND_SEM_WAIT);
}

// -- threads --

// Makes an event of the object that stands for the thread. The creator and the ending thread write
// it. TSan keeps the clocks of creation and join.
static void ThreadStep(ThreadState *thr, u32 thread, rsan_graph_op op) {
  const uptr object = 1 + thread;
  RsanGraphObject *found = FindObject(object, 0, {}, &op);
  const u32 e = Step(thr, RsanCaller(thr), object, op);
  if (rsan_graph_writes(Event(e)))
    RsanGraphObjectWritten(&explorer.graph, found, e);
  NoteProgress(Me());
}

void RsanGraphTells(ThreadState *thr, u32 thread, u64 value) {
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_WRITE;
  op.order = RSAN_RELEASE;
  op.operand.low = value;
  ThreadStep(thr, thread, op);
}

void RsanGraphLearns(ThreadState *thr, u32 thread) {
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_READ;
  op.order = op.failure = RSAN_ACQUIRE;
  op.certain = true;
  ThreadStep(thr, thread, op);
}

// (The atomic operations that are scheduled are those of calls: of futexes and sem_getvalue.)
void RsanGraphPoint(ThreadState *thr, rsan_kind kind, uptr object) {
  if (kind >= RSAN_KIND_LOAD && kind <= RSAN_KIND_FENCE)
    RsanGraphRefuse("call that reads or changes memory atomically");
  if (kind == RSAN_KIND_START || kind == RSAN_KIND_END || kind == RSAN_KIND_JOIN)
    RsanGraphThreadPoint(thr, kind, static_cast<u32>(object));
  else if (kind == RSAN_KIND_SEM_POST)
    RsanGraphSemaphore(thr, object, true);
  else if (kind != RSAN_KIND_YIELD && kind != RSAN_KIND_SLEEP)
    RsanGraphRefuse(RsanKindText(static_cast<u8>(kind)));
}

// -- runs --

bool RsanGraphsAreOfModel() {
  const RsanFlags *flags = rsan_flags();
  return !*flags->simulate && !internal_strcmp(flags->target, "c11") &&
         !internal_strcmp(flags->seq_cst, "exact");
}

bool RsanGraphsRaiseTurns(const RsanGraphCounts &before, u32 *turns) {
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
  made = {first_threads, 0, false, false, false, nullptr};
  run++;
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++) {
    Follower *follower = &followers[i];
    follower->has_acquirable = follower->has_released = follower->stopped = false;
    follower->spurious = follower->turns = 0;
  }
}

bool RsanGraphsNext() {
  if (counts.unmade || !rsan_explore_next(&explorer))
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
  if (!made.turned || made.assumed)
    return false;
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++)
    if (followers[i].stopped && !ReadsNewest(followers[i]))
      return false;
  return true;
}

RsanGraphMade RsanGraphsMade() {
  made.endless = TurnsForEver();
  return made;
}

void RsanGraphsCountGraph() {
  counts.graphs++;
  counts.weak += !rsan_graph_is_interleaving(&explorer.graph);
}

rsan_graph_end RsanGraphsRunEnds(const RsanGraphMade &run_made) {
  const rsan_graph_end end = rsan_explore_end(&explorer);
  if (!counts.unmade)
    counts.unmade = run_made.unmade;
  counts.cut += end == RSAN_EXPLORE_CUT;
  counts.diverged += end == RSAN_EXPLORE_DIVERGED && !counts.unmade;
  counts.turned += run_made.turned;
  counts.assumed += run_made.assumed;
  if (end != RSAN_EXPLORE_COMPLETE && end != RSAN_EXPLORE_DEADLOCK)
    return end;
  const bool all_ended = run_made.ended == run_made.threads;
  counts.endless += run_made.endless;
  if (!all_ended && (run_made.turned || run_made.assumed))
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
}

void RsanPrintGraphSoFar() {
  Printf("  The execution graph so far, which C++20 allows:\n");
  RsanPrintGraph();
}

} // namespace __tsan
