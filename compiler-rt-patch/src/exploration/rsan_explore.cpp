// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_explore.h"

#include "base/rsan_upcalls.h"
#include "departures/rsan_departures.h"
#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graphs.h"
#include "interception/interception.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"
#include "sites/rsan_site.h"

DECLARE_REAL(int, sem_getvalue, void *, int *)

namespace __tsan {

RsanExploration *rsan_exploration;
bool rsan_exploration_reports;
Vector<RsanKnownFinding> *rsan_known_findings;
static rsan_holders holders;   // the token covers it
static Vector<RsanHeld> *held; // the same; null: not on fibers
static bool may_take;          // in a graph: the lock that was tried last

bool RsanFindsQuietly() {
  return RsanExplores() && rsan_exploration && !rsan_exploration_reports;
}

static void Note(u64 number, RsanFound what) {
  if (RsanIsUnexplored())
    return;
  const u32 at = rsan_exploration->found_count;
  for (u32 i = 0; i < at; i++)
    if (rsan_exploration->found[i] == number)
      return;
  if (at == kRsanMostFindings)
    return;
  if (what == kRsanSuppressed)
    RsanNoteGap(kRsanGap_SUPPRESSED);
  rsan_exploration->found[at] = number;
  rsan_exploration->what[at] = what;
  rsan_exploration->found_count = at + 1;
}

bool RsanFindsAgain(u64 number) {
  for (uptr i = 0; i < rsan_known_findings->Size(); i++) {
    const RsanKnownFinding &known = (*rsan_known_findings)[i];
    if (known.number != number)
      continue;
    Note(number, known.what);
    return true;
  }
  return false;
}

void RsanNoteFailure(u64 number, int signal) {
  if (RsanIsUnexplored())
    return;
  rsan_exploration->failure = number;
  rsan_exploration->signal = signal;
}

void RsanFinds(u64 number, RsanFound what) {
  Note(number, what);
}

void RsanFindsViolation(u64 number) {
  const bool is_finding =
      !RsanOnFibers() && !RsanExploresDepartures() && !rsan_flags()->explore_until_violation;
  Note(number, is_finding ? kRsanFinding : kRsanViolation);
}

// What comes after a departure is another finding than the same without one, unless that is known.
static bool FindsAgain(u64 *number) {
  static const u64 kDeparted = 0x9e3779b97f4a7c15;
  if (RsanFindsAgain(*number))
    return true;
  if (!RsanDepartureCount())
    return false;
  *number ^= kDeparted;
  return RsanFindsAgain(*number);
}

// The number of the race that is being reported; 0: none.
static u64 race;

bool RsanFindsRace(StackTrace first, StackTrace second) {
  if (!RsanFindsQuietly())
    return rsan_upcalls.is_race_again(first, second);
  race = RsanNumberOfStacks(first, second);
  return FindsAgain(&race);
}

bool RsanFindsReport(const ReportDesc *report) {
  if (!RsanFindsQuietly())
    return false;
  u64 number = race ? race : 0xcbf29ce484222325 ^ static_cast<u64>(report->typ);
  // (Addresses of code are the same in all runs.)
  for (uptr i = 0; !race && i < report->stacks.Size(); i++)
    for (const SymbolizedStack *frame = report->stacks[i]->frames; frame; frame = frame->next)
      number = (number ^ frame->info.address) * 0x100000001b3;
  const bool is_race = race != 0;
  if (!is_race)
    FindsAgain(&number);
  race = 0;
  // The process that will print it is the same one. Other reports than races do not come again.
  const bool prints = RsanOnFibers() && !is_race && !RsanIsUnexplored() && !RsanFindsAgain(number);
  if (RsanOnFibers() && !prints)
    ctx->nreported--;
  RsanFinds(number, kRsanFinding);
  return !prints;
}

namespace {

// A lock that a thread wants. On its stack while it waits.
struct Wanted {
  uptr object;
  u32 thread;
  bool writes;
};

} // namespace

static bool IsFree(void *argument) {
  const auto *wanted = static_cast<const Wanted *>(argument);
  return rsan_holders_may_take(&holders, wanted->object, wanted->thread, wanted->writes);
}

// The value of a lock: 0 free, 1 held for writing, 2 held for reading. The holder may take it again
// at any time.
static void DescribeLock(void *argument, rsan_op *op) {
  const auto *wanted = static_cast<const Wanted *>(argument);
  const rsan_holder *holder = rsan_holders_find(&holders, op->object);
  op->before = {holder ? holder->writes ? 1u : 2u : 0u, 0};
  op->until = rsan_equals({0, 0});
  if (op->kind == RSAN_KIND_READ_LOCK) {
    op->until = rsan_equals({1, 0});
    op->until.relation = RSAN_NOT_EQUAL;
  }
  const bool has_other = holder && holder->writes && holder->owner != wanted->thread;
  if (holder && holder->writes && !has_other)
    op->blocks = false;
  // It fails. (What others read-lock may be free in another order of theirs.)
  if (op->kind == RSAN_KIND_TRY_LOCK && has_other)
    op->writes = false;
}

// (A thread that is alone makes no steps, and finds by trying that it would wait for ever.)
// In place of the rest of it, in a thread that follows a graph.
static bool LockInGraph(rsan_kind kind, uptr object, bool tries) {
  if (!RsanFollowsGraph())
    return false;
  RsanGraphArrive();
  const rsan_holder *holder = rsan_holders_find(&holders, object);
  RsanGraphHeld held = {0, 0, holder != nullptr};
  if (holder && !holder->writes)
    held.readers = holder->count;
  else if (holder && holder->owner == rsan_self->id)
    held.mine = holder->count;
  may_take = RsanGraphLock(cur_thread(), kind, object, tries, held);
  return true;
}

void RsanExploreTryLock(rsan_kind kind, const volatile void *object) {
  if (!LockInGraph(kind, reinterpret_cast<uptr>(object), true))
    RsanExploreLock(RSAN_KIND_TRY_LOCK, object);
}

void RsanExploreLock(rsan_kind kind, const volatile void *object) {
  ThreadState *thr = cur_thread();
  if (LockInGraph(kind, reinterpret_cast<uptr>(object), false))
    return;
  if (RsanIsAlone())
    return;
  Wanted wanted = {reinterpret_cast<uptr>(object), rsan_self->id, kind != RSAN_KIND_READ_LOCK};
  rsan_pending pending = {};
  pending.object = wanted.object;
  pending.kind = kind;
  pending.writes = kind != RSAN_KIND_READ_LOCK; // readers do not wait for each other
  pending.describe = DescribeLock;
  pending.described = &wanted;
  if (kind == RSAN_KIND_LOCK || kind == RSAN_KIND_READ_LOCK) {
    pending.until = RSAN_UNTIL_HOLDS;
    pending.holds = IsFree;
    pending.argument = &wanted;
  }
  RsanScheduleWait(thr, RsanCaller(thr), pending, 0);
}

// (The interceptor would acquire what others have released.)
u64 RsanSemaphoreValue(void *semaphore) {
  int value = 0;
  REAL(sem_getvalue)(semaphore, &value);
  return value > 0 ? static_cast<u64>(value) : 0;
}

static bool IsPosted(void *semaphore) {
  return RsanSemaphoreValue(semaphore) != 0;
}

static void DescribeSemaphore(void *semaphore, rsan_op *op) {
  op->before = {RsanSemaphoreValue(semaphore), 0};
  op->until = rsan_equals({0, 0});
  op->until.relation = RSAN_NOT_EQUAL;
}

void RsanExploreSemaphore(void *semaphore) {
  ThreadState *thr = cur_thread();
  if (RsanFollowsGraph()) {
    RsanGraphSemaphore(thr, reinterpret_cast<uptr>(semaphore), RSAN_KIND_SEM_WAIT, false);
    return;
  }
  if (RsanIsAlone())
    return;
  rsan_pending pending = {};
  pending.object = reinterpret_cast<uptr>(semaphore);
  pending.kind = RSAN_KIND_SEM_WAIT;
  pending.writes = true;
  pending.until = RSAN_UNTIL_HOLDS;
  pending.holds = IsPosted;
  pending.argument = pending.described = semaphore;
  pending.describe = DescribeSemaphore;
  RsanScheduleWait(thr, RsanCaller(thr), pending, 0);
}

bool RsanExploreMayTake(const volatile void *object, bool writes) {
  if (RsanFollowsGraph())
    return may_take;
  return !rsan_self ||
         rsan_holders_may_take(&holders, reinterpret_cast<uptr>(object), rsan_self->id, writes);
}

void RsanExploreTaken(rsan_kind kind, const volatile void *object, int (*give)(void *)) {
  if (RsanOnFibers() && !held)
    held = New<Vector<RsanHeld>>();
  if (RsanOnFibers())
    held->PushBack({reinterpret_cast<uptr>(object), rsan_self ? rsan_self->id : 0, give});
  rsan_holders_take(&holders, reinterpret_cast<uptr>(object), rsan_self ? rsan_self->id : 0,
                    kind != RSAN_KIND_READ_LOCK);
}

void RsanExploreGiven(const volatile void *object) {
  for (uptr i = held ? held->Size() : 0; i-- > 0;)
    if ((*held)[i].object == reinterpret_cast<uptr>(object)) {
      (*held)[i] = (*held)[held->Size() - 1];
      held->PopBack();
      break;
    }
  rsan_holders_give(&holders, reinterpret_cast<uptr>(object));
}

// Notes what the ending thread has left locked as given back, so that a thread that wants such a
// lock tries it: it gets the lock if that is a robust one.
void RsanExploreThreadEnds() SANITIZER_REQUIRES(rsan_schedule_mutex) {
  for (u32 i = holders.count; i-- > 0;) {
    const rsan_holder holder = holders.holder[i];
    if (!holder.writes || holder.owner != rsan_self->id)
      continue;
    for (u32 n = 0; n < holder.count; n++)
      rsan_holders_give(&holders, holder.object);
    rsan_threads_touch(&rsan_schedule_state->schedule.threads, holder.object);
    RsanNoteGap(kRsanGap_SYNCHRONISED);
  }
}

void RsanExploreGiveBack(void (*give)(const RsanHeld &lock)) {
  while (held && held->Size()) {
    const RsanHeld lock = (*held)[held->Size() - 1];
    give(lock);
    RsanExploreGiven(reinterpret_cast<const void *>(lock.object));
  }
}

void RsanExploreEnd(ThreadState *thr) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (!rsan_exploration)
    return;
  if (RsanOnFibers())
    RsanEndsOnFiber("it has called exit()");
  if (!rsan_schedule_state->schedule.explored)
    return;
  if (RsanFollowsGraph()) {
    RsanGraphExits();
  } else if (RsanIsScheduled(thr) && !RsanIsAlone()) {
    rsan_pending pending = {};
    pending.kind = RSAN_KIND_EXIT;
    pending.ends = true;
    RsanScheduleWait(thr, 0, pending, 0);
  }
  RsanNoteGaps();
  RsanTellStacks(rsan_exploration);
  rsan_exploration->run.finished = true;
}

void RsanEndRun() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (RsanOnFibers())
    RsanLeaveExecution();
  RsanNoteGaps();
  RsanTellStacks(rsan_exploration);
  internal__exit(0);
}

} // namespace __tsan
