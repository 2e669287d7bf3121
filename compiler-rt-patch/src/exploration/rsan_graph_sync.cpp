// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What blocks, as events of an execution graph: locks, semaphores, condition variables, futexes,
// barriers, threads. docs/internals/GRAPHS.md, section 'What blocks', says which events stand for
// which call, and why no execution is missing and none is added.
//
//   mutex          0, or 1 if it is held
//   lock of readers and writers
//                  0, 1 if a writer has it, or 2 for each reader. A reader's unlock happens before
//                  later writers' locks, but not before readers' locks: so it releases to an object
//                  of its own thread, which writers acquire from.
//   semaphore      its count
//   queue          of a condition variable or a futex: the set of threads that wait, as bits
//   wake           of each wait: 2 when it has ended
//   barrier        the number of arrivals; for each use of the barrier an object that is 2 when all
//                  have arrived

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graphs.h"
#include "port/rsan_tsan.h"
#include "sync/rsan_barriers.h"

namespace __tsan {

// Parts at one address: what they are is in the highest byte.
static const u64 kReader = 1ull << 56; // and the thread
static const u64 kQueue = 2ull << 56;
static const u64 kWaited = 3ull << 56; // and the thread, and which of its waits
static const u64 kOpened = 4ull << 56; // and the barrier's object, and which of its uses
static const u64 kDone = 2;            // the value of what has been woken, opened, or given back

static const char kHidden[] = "";

static rsan_graph_op WriteOf(u64 value, rsan_order order) {
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_WRITE;
  op.order = static_cast<u8>(order);
  op.operand.low = value;
  return op;
}

static rsan_graph_op UpdateBy(rsan_graph_function function, u64 operand, rsan_order order) {
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_UPDATE;
  op.function = static_cast<u8>(function);
  op.order = static_cast<u8>(order);
  op.operand.low = operand;
  return op;
}

static rsan_graph_op ReadOf(rsan_order order) {
  rsan_graph_op op = {};
  op.kind = RSAN_GRAPH_READ;
  op.order = op.failure = static_cast<u8>(order);
  return op;
}

// The operation is made if the value is, or is not, `value`; else it fails, or waits.
static rsan_graph_op If(rsan_graph_op op, rsan_relation relation, u64 value, bool waits) {
  op.conditional = true;
  op.blocks = waits;
  op.condition = rsan_equals({value, 0});
  op.condition.relation = static_cast<u8>(relation);
  return op;
}

static const rsan_graph_event &Make(ThreadState *thr, uptr addr, u64 part, const rsan_graph_op &op,
                                    const char *name, rsan_kind kind = RSAN_KIND_SPIN,
                                    u64 value = 0, bool renews = false) {
  return RsanGraphMakes(thr, {addr, part, {value, 0}, renews, op, kind, name});
}

// Calls `visit` for the events so far of the object by updates with that function.
template <typename Visit>
static void ForUpdates(u32 object, rsan_graph_function function, const Visit &visit) {
  u32 count;
  const rsan_graph_event *events = RsanGraphMade(&count);
  for (u32 e = 0; e < count; e++)
    if (events[e].op.object == object && events[e].op.kind == RSAN_GRAPH_UPDATE &&
        events[e].op.function == function && rsan_graph_writes(&events[e]))
      visit(events[e]);
}

// -- locks --

static void UnlockReader(ThreadState *thr, uptr lock) {
  Make(thr, lock, kReader | RsanGraphSelf(), WriteOf(kDone, RSAN_RELEASE), kHidden);
  RsanGraphArrive();
  Make(thr, lock, 0, UpdateBy(RSAN_GRAPH_SUB, 2, RSAN_RELAXED), "unlock");
}

// All readers that had the lock before come before this in the graph: the value 0 that the writer
// has read comes from them. So the last unlock of each is known, and is read for certain.
static void AcquireFromReaders(ThreadState *thr, uptr lock, u32 object) {
  u64 readers = 0;
  ForUpdates(object, RSAN_GRAPH_SUB,
             [&](const rsan_graph_event &unlock) { readers |= 1ull << unlock.thread; });
  for (; readers; readers &= readers - 1) {
    rsan_graph_op op = ReadOf(RSAN_ACQUIRE);
    op.certain = true;
    RsanGraphArrive();
    Make(thr, lock, kReader | static_cast<u64>(__builtin_ctzll(readers)), op, kHidden);
  }
}

static bool LockReader(ThreadState *thr, uptr lock, bool tries, u64 value) {
  const rsan_graph_op add = UpdateBy(RSAN_GRAPH_ADD, 2, RSAN_ACQUIRE);
  const rsan_graph_event &event =
      Make(thr, lock, 0, If(add, RSAN_NOT_EQUAL, 1, !tries), tries ? "try to read" : "read lock",
           RSAN_KIND_READ_LOCK, value);
  return rsan_graph_writes(&event);
}

static bool LockWriter(ThreadState *thr, uptr lock, bool tries, u64 value) {
  const rsan_graph_op set = UpdateBy(RSAN_GRAPH_SET, 1, RSAN_ACQUIRE);
  const rsan_graph_event event = Make(thr, lock, 0, If(set, RSAN_EQUAL, 0, !tries),
                                      tries ? "try to lock" : "lock", RSAN_KIND_LOCK, value);
  if (!rsan_graph_writes(&event))
    return false;
  AcquireFromReaders(thr, lock, event.op.object);
  return true;
}

bool RsanGraphLock(ThreadState *thr, rsan_kind kind, uptr lock, bool tries, RsanGraphHeld held) {
  if (held.mine > (kind == RSAN_KIND_UNLOCK))
    return true; // a recursive one, which stays its own
  const u64 value = held.readers ? 2 * held.readers : held.is_held;
  if (kind == RSAN_KIND_READ_LOCK)
    return LockReader(thr, lock, tries, value);
  if (kind == RSAN_KIND_LOCK)
    return LockWriter(thr, lock, tries, value);
  if (held.readers)
    UnlockReader(thr, lock);
  else
    Make(thr, lock, 0, WriteOf(0, RSAN_RELEASE), "unlock", RSAN_KIND_UNLOCK, value);
  return true;
}

// -- semaphores --

static u64 SemaphoreValue(uptr semaphore) {
  RsanScheduleLock lock;
  return RsanSemaphoreValue(reinterpret_cast<void *>(semaphore));
}

bool RsanGraphSemaphore(ThreadState *thr, uptr semaphore, rsan_kind kind, bool tries) {
  RsanGraphArrive();
  const bool posts = kind == RSAN_KIND_SEM_POST;
  const rsan_graph_op take = UpdateBy(RSAN_GRAPH_SUB, 1, RSAN_ACQUIRE);
  const rsan_graph_op op =
      posts ? UpdateBy(RSAN_GRAPH_ADD, 1, RSAN_RELEASE) : If(take, RSAN_NOT_EQUAL, 0, !tries);
  const char *name = posts ? "post" : tries ? "try to wait" : "wait";
  return rsan_graph_writes(
      &Make(thr, semaphore, 0, op, name, kind, SemaphoreValue(semaphore), true));
}

// -- queues --

static uptr CountWaits(u32 queue, u32 thread) {
  uptr count = 0;
  ForUpdates(queue, RSAN_GRAPH_OR,
             [&](const rsan_graph_event &wait) { count += wait.thread == thread; });
  return count;
}

static u64 PartOfWait(u32 queue, u32 thread) {
  return kWaited | static_cast<u64>(thread) << 32 | CountWaits(queue, thread);
}

// Returns the queue's object. The order of the operations on a queue is none of happens-before.
static u32 Enqueue(ThreadState *thr, uptr addr) {
  RsanGraphArrive();
  return Make(thr, addr, kQueue, UpdateBy(RSAN_GRAPH_OR, 1ull << RsanGraphSelf(), RSAN_RELAXED),
              "begin to wait")
      .op.object;
}

static void AwaitWake(ThreadState *thr, uptr addr, u32 queue, rsan_kind kind) {
  RsanGraphArrive();
  Make(thr, addr, PartOfWait(queue, RsanGraphSelf()),
       If(ReadOf(RSAN_RELAXED), RSAN_NOT_EQUAL, 0, true), "wait", kind);
}

static void EndWait(ThreadState *thr, uptr addr, u32 queue, u32 thread) {
  RsanGraphArrive();
  Make(thr, addr, PartOfWait(queue, thread), WriteOf(kDone, RSAN_RELAXED), "wake");
}

// Each of those who wait may be the one. The choice comes first: a thread that has chosen more than
// there are is dropped.
static bool WakeOne(ThreadState *thr, uptr addr) {
  RsanGraphArrive();
  const u32 most = RsanGraphWaiters();
  const u32 nth = most > 1 ? RsanGraphChoose(thr, most) : 0;
  RsanGraphArrive();
  const rsan_graph_op clear = UpdateBy(RSAN_GRAPH_CLEAR, nth, RSAN_RELAXED);
  const rsan_graph_event event =
      Make(thr, addr, kQueue, If(clear, RSAN_NOT_EQUAL, 0, false), "wake one");
  const u64 woken = event.read.low & ~event.written.low;
  if (!rsan_graph_writes(&event) && !nth)
    return false;
  if (!rsan_graph_writes(&event) || !woken)
    RsanGraphStop(kRsanGraphDropped);
  EndWait(thr, addr, event.op.object, static_cast<u32>(__builtin_ctzll(woken)));
  return true;
}

static u32 WakeAll(ThreadState *thr, uptr addr) {
  RsanGraphArrive();
  const rsan_graph_op clear = UpdateBy(RSAN_GRAPH_SET, 0, RSAN_RELAXED);
  const rsan_graph_event event =
      Make(thr, addr, kQueue, If(clear, RSAN_NOT_EQUAL, 0, false), "wake all");
  for (u64 left = event.read.low; left; left &= left - 1)
    EndWait(thr, addr, event.op.object, static_cast<u32>(__builtin_ctzll(left)));
  return static_cast<u32>(__builtin_popcountll(event.read.low));
}

u32 RsanGraphWake(ThreadState *thr, uptr addr, u32 most) {
  if (most >= RSAN_DPOR_THREADS)
    return WakeAll(thr, addr);
  u32 count = 0;
  while (count < most && WakeOne(thr, addr))
    count++;
  return count;
}

void RsanGraphBeginWait(ThreadState *thr, uptr variable) {
  Enqueue(thr, variable);
}

// The thread's newest update of the queue is the one by which it has begun to wait.
void RsanGraphAwaitWake(ThreadState *thr, uptr variable, rsan_kind kind) {
  u32 count;
  const rsan_graph_event *events = RsanGraphMade(&count);
  while (count-- > 0)
    if (events[count].thread == RsanGraphSelf() && events[count].op.function == RSAN_GRAPH_OR &&
        !events[count].op.size)
      return AwaitWake(thr, variable, events[count].op.object, kind);
}

// -- futexes --

static rsan_value ReadWord(ThreadState *thr, uptr pc, uptr word, const rsan_graph_op &op) {
  return RsanGraphAccess(thr, pc, word, sizeof(u32), op, nullptr);
}

// The kernel compares and queues in one step. So the thread queues first and then compares: a wake
// comes before both of them, or finds the thread. If the comparison fails then, this is no
// execution of its own: in the same execution the first comparison fails.
bool RsanGraphFutexWait(ThreadState *thr, uptr pc, uptr word, u32 expected) {
  RsanGraphFence(thr, pc, RSAN_SEQ_CST);
  if (ReadWord(thr, pc, word, ReadOf(RSAN_RELAXED)).low != expected)
    return false;
  const u32 queue = Enqueue(thr, word);
  RsanGraphFence(thr, pc, RSAN_SEQ_CST);
  if (ReadWord(thr, pc, word, ReadOf(RSAN_RELAXED)).low != expected)
    RsanGraphStop(kRsanGraphDropped);
  AwaitWake(thr, word, queue, RSAN_KIND_FUTEX);
  return true;
}

u32 RsanGraphFutexWake(ThreadState *thr, uptr pc, uptr word, u32 most) {
  RsanGraphFence(thr, pc, RSAN_SEQ_CST);
  return RsanGraphWake(thr, word, most);
}

// -- barriers --

static void ArriveAtBarrier(ThreadState *thr, uptr barrier) {
  Make(thr, barrier, 0, UpdateBy(RSAN_GRAPH_ADD, 1, RSAN_ACQ_REL), "arrive", RSAN_KIND_BARRIER, 0,
       !RsanBarrierAt(barrier).arrived);
}

bool RsanGraphPassBarrier(ThreadState *thr, uptr barrier, u32 count) {
  u32 made;
  const rsan_graph_event *events = RsanGraphMade(&made);
  const rsan_graph_event arrival = events[made - 1];
  const u64 use = arrival.read.low / count;
  const u64 part = kOpened | static_cast<u64>(arrival.op.object) << 24 | use;
  const bool is_last = arrival.written.low % count == 0;
  RsanGraphArrive();
  if (is_last)
    Make(thr, barrier, part, WriteOf(kDone, RSAN_RELEASE), "open");
  else
    Make(thr, barrier, part, If(ReadOf(RSAN_ACQUIRE), RSAN_NOT_EQUAL, 0, true), "leave",
         RSAN_KIND_BARRIER);
  return is_last;
}

// -- threads --

// Objects that stand for threads have the numbers of the threads, from 1 on, for addresses. The
// creator and the ending thread write them.
void RsanGraphTells(ThreadState *thr, u32 thread, u64 value) {
  Make(thr, 1 + thread, 0, WriteOf(value, RSAN_RELEASE), value == 1 ? "create" : "end");
}

void RsanGraphLearns(ThreadState *thr, u32 thread) {
  rsan_graph_op op = ReadOf(RSAN_ACQUIRE);
  op.certain = true;
  Make(thr, 1 + thread, 0, op, thread == RsanGraphSelf() ? "start" : "join");
}

// (The atomic operations that are scheduled are those of calls: of futexes and sem_getvalue.)
void RsanGraphPoint(ThreadState *thr, rsan_kind kind, uptr object) {
  if (kind >= RSAN_KIND_LOAD && kind <= RSAN_KIND_FENCE)
    RsanGraphRefuse("call that reads or changes memory atomically");
  switch (kind) {
  case RSAN_KIND_START:
  case RSAN_KIND_END:
  case RSAN_KIND_JOIN:
    return RsanGraphThreadPoint(thr, kind, static_cast<u32>(object));
  case RSAN_KIND_SEM_POST:
    RsanGraphSemaphore(thr, object, kind, false);
    return;
  case RSAN_KIND_COND_SIGNAL:
    RsanGraphWake(thr, object, 1);
    return;
  case RSAN_KIND_COND_BROADCAST:
    RsanGraphWake(thr, object, ~0u);
    return;
  case RSAN_KIND_COND_WAIT:
    return RsanGraphAwaitWake(thr, object, kind);
  case RSAN_KIND_BARRIER:
    RsanGraphArrive();
    return ArriveAtBarrier(thr, object);
  case RSAN_KIND_YIELD:
  case RSAN_KIND_SLEEP:
    return;
  default:
    RsanGraphRefuse(RsanKindText(static_cast<u8>(kind)));
  }
}

} // namespace __tsan
