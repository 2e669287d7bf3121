// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_fibers.h"

#include "base/rsan_upcalls.h"

#include "exploration/rsan_exploration.h"
#include "exploration/rsan_graphs.h"
#include "exploration/rsan_set_up.h"
#include "port/rsan_errno.h"
#include "port/rsan_tsan.h"
#include "races/rsan_race.h"
#include "rsan/processor/processor.h"
#include "schedule/rsan_patience.h"

namespace __tsan {

namespace {

// Reports are made on these stacks, too.
const uptr kStackSize = 1 << 20, kGuardSize = 1 << 16;

struct Fiber {
  ThreadState *thr;
  uptr stack; // its lowest address, behind the guard
  uptr sp;    // where it has stopped
};

// What passes from setup() to the threads, and from the threads to check().
struct Edge {
  VectorClock *clock;
  uptr epoch; // of all: the clock is of no use after the next reset
  rsan_sync *sync;
};

} // namespace

static Fiber fibers[RSAN_DPOR_THREADS]; // by number in the schedule; 0: who explores
static u32 fiber_count;                 // without it
u32 rsan_current_fiber;
static Edge begins, ends;
static const RsanTest *test;
static bool unexplored;
static rsan_mark leave_call; // where setup() and check() are left by rsan_assume

// -- switching --

extern "C" void __rsan_switch_stack(uptr *from, uptr to);
__asm__(RSAN_STACK_FUNCTIONS);

static void ForgetAccesses(RawShadow *shadow) {
  for (uptr i = 0; i < kShadowCnt; i++)
    StoreShadow(&shadow[i], Shadow::kEmpty);
}

// There is one errno for all of them.
static void ForgetErrno() {
  ForgetAccesses(MemToShadow(RoundDown(reinterpret_cast<uptr>(&errno), kShadowCell)));
}

void RsanSwitchToFiber(u32 id) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  Fiber *from = &fibers[rsan_current_fiber], *to = &fibers[id];
  const int saved_errno = errno;
  ForgetErrno();
  rsan_current_fiber = id;
  FiberSwitch(cur_thread(), 0, to->thr, FiberSwitchFlagNoSync);
  rsan_self = id ? rsan_schedule_state->threads[id] : nullptr;
  __rsan_switch_stack(&from->sp, to->sp);
  errno = saved_errno;
}

// The chosen thread; 0: no thread is alive.
static u32 Chosen() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const RsanScheduleState *state = rsan_schedule_state;
  if (state->running != RSAN_NO_THREAD)
    return state->running;
  if (state->schedule.threads.alive)
    RsanLeaveExecution(); // a signal handler could go on
  return 0;
}

void RsanWaitOnFiber(RsanScheduled *me) {
  while (atomic_load_relaxed(&me->chosen) != kRsanChosen)
    RsanSwitchToFiber(Chosen());
  me->waits_at = 0;
}

void RsanLeaveExecution() {
  if (!rsan_current_fiber)
    RSAN_LEAVE_TO(&leave_call);
  RsanSwitchToFiber(0);
  UNREACHABLE("a fiber goes on that was left");
}

bool RsanGoesOnUnexplored() {
  if (!RsanOnFibers() || rsan_exploration->run.given_up == RSAN_GIVEN_UP_ASSUMED)
    return false;
  static const u32 kWaits = 10000; // none gets any further
  unexplored = true;
  rsan_schedule_state->schedule.explored = nullptr;
  rsan_schedule_state->schedule.livelock.bound = kWaits;
  return true;
}

bool RsanIsUnexplored() {
  return unexplored;
}

void RsanAssumeOnFiber() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (RsanFollowsGraph())
    RsanGraphStop(kRsanGraphAssumed);
  if (unexplored)
    RsanLeaveExecution();
  rsan_schedule_assumes(&rsan_schedule_state->schedule);
  if (rsan_current_fiber)
    return; // it waits as a thread does
  rsan_exploration->run.given_up = RSAN_GIVEN_UP_ASSUMED;
  RsanLeaveExecution();
}

// -- a fiber --

// A frame of reports, by whose name they leave it out.
extern "C" NOINLINE void __rsan_test_thread(void (*function)(void *), void *argument) {
  function(argument);
  __asm__ volatile(""); // no tail call
}

// The thread has ended. Who goes on?
static u32 EndOfFiber() {
  if (RsanFollowsGraph()) {
    RsanGraphThreadEnds();
    return RsanGraphNextFiber();
  }
  rsan_upcalls.thread_gone();
  return Chosen();
}

static NOINLINE void RunFiber() {
  for (;;) {
    void (*function)(void *) = test->threads[rsan_current_fiber - 1];
    rsan_upcalls.thread_runs(cur_thread(), reinterpret_cast<uptr>(function));
    __rsan_test_thread(function, test->argument);
    if (!RsanOnFibers())
      internal__exit(0); // the child of a fork has come to its thread's end
    RsanSwitchToFiber(EndOfFiber());
  }
}

static void BeginStack(Fiber *fiber) {
  fiber->sp = rsan_begin_stack(fiber->stack + kStackSize, reinterpret_cast<uptr>(&RunFiber));
}

static void MakeFiber(Fiber *fiber, uptr pc) {
  if (!fiber->stack) {
    fiber->stack = reinterpret_cast<uptr>(
        MmapNoReserveOrDie(kGuardSize + kStackSize, "stack of a test's thread"));
    MprotectNoAccess(fiber->stack, kGuardSize);
    fiber->stack += kGuardSize;
  }
  BeginStack(fiber);
  fiber->thr = FiberCreate(cur_thread(), pc, 0);
}

bool RsanHasOtherThreads() {
  uptr running;
  ctx->thread_registry.GetNumberOfThreads(nullptr, &running, nullptr);
  return running != 1 + fiber_count;
}

void RsanResizeFibers(const RsanTest &asked) {
  fibers[0].thr = cur_thread();
  for (; fiber_count > asked.count; fiber_count--)
    FiberDestroy(cur_thread(), asked.pc, fibers[fiber_count].thr);
  for (; fiber_count < asked.count; fiber_count++)
    MakeFiber(&fibers[fiber_count + 1], asked.pc);
}

// What a thread remembers of its accesses decides when it gives way (rsan_patience.h), which is a
// step. So each execution begins with threads that remember nothing, as threads that were created
// do: else the same prefix would not lead to the same steps again.
static void ForgetOperations(ThreadState *thr) {
  RsanThreadState *own = &thr->rsan_own;
  RsanNoteProgress(thr);
  internal_memset(&own->reads, 0, sizeof own->reads);
  own->blocked.addr = own->waits_for = 0;
  own->declined = 0;
  own->unseen = false;
}

// A fiber that was left in the midst of what it did.
static void Restart(Fiber *fiber) {
  ThreadState *thr = fiber->thr;
  const ThreadState *sane = fibers[0].thr;
  thr->shadow_stack_pos = thr->shadow_stack;
  thr->ignore_interceptors = sane->ignore_interceptors;
  thr->ignore_sync = sane->ignore_sync;
  thr->suppress_reports = sane->suppress_reports;
  while (thr->ignore_reads_and_writes > sane->ignore_reads_and_writes)
    ThreadIgnoreEnd(thr);
  atomic_store_relaxed(&thr->in_blocking_func, 0);
  thr->in_ignored_lib = false;
  thr->mset = MutexSet();
  thr->rsan_own.calls.innermost = nullptr;
  thr->rsan_own.calls.count = thr->rsan_own.ignored = 0;
  BeginStack(fiber);
}

// -- happens-before --

static void Release(ThreadState *thr, Edge *edge) {
  SlotLocker locker(thr);
  thr->clock.ReleaseStore(&edge->clock);
  edge->epoch = ctx->global_epoch;
  if (thr->rsan) {
    if (!edge->sync)
      edge->sync = rsan_sync_new(RsanEngine());
    rsan_release(thr->rsan, edge->sync, RSAN_CERTAIN);
  }
  IncrementEpoch(thr);
}

static void Acquire(ThreadState *thr, Edge *edge) {
  SlotLocker locker(thr);
  if (edge->epoch == ctx->global_epoch) {
    thr->clock.Acquire(edge->clock);
    RsanRaceStir(thr);
  }
  if (thr->rsan && edge->sync)
    rsan_acquire(thr->rsan, edge->sync, RSAN_CERTAIN);
}

// Runs `act` as the fiber's thread.
template <typename Act> static void As(const Fiber &fiber, const Act &act) {
  FiberSwitch(fibers[0].thr, 0, fiber.thr, FiberSwitchFlagNoSync);
  act(fiber.thr);
  FiberSwitch(fiber.thr, 0, fibers[0].thr, FiberSwitchFlagNoSync);
}

static void BeginThreads() {
  Release(fibers[0].thr, &begins);
  for (u32 i = 1; i <= test->count; i++)
    As(fibers[i], [](ThreadState *thr) {
      ForgetOperations(thr);
      Acquire(thr, &begins);
    });
}

static void EndThreads() {
  for (u32 i = 1; i <= test->count; i++) {
    As(fibers[i], [](ThreadState *thr) { Release(thr, &ends); });
    Acquire(fibers[0].thr, &ends);
  }
}

// -- an execution --

// Where there were races in the last one.
static Vector<RawShadow *> *racy;

void RsanNoteRaceAt(RawShadow *shadow) {
  if (!RsanOnFibers())
    return;
  if (!racy)
    racy = New<Vector<RawShadow *>>();
  racy->PushBack(shadow);
}

static void ForgetRaces() {
  if (!racy)
    return;
  for (uptr i = 0; i < racy->Size(); i++)
    ForgetAccesses((*racy)[i]);
  racy->Resize(0);
}

// The schedule has who explores as its first thread, which creates the others, and ends.
static void BeginSchedule() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  RsanScheduleState *state = rsan_schedule_state;
  rsan_policy_options options = {};
  RsanReadPolicy(&options);
  options.livelock = 0;
  rsan_schedule_clear(&state->schedule);
  rsan_schedule_init(&state->schedule, &options);
  state->schedule.may_be_woken = RsanMayBeWoken;
  state->awaits_since = 0;
  state->deadlocked = state->livelocked = false;
  unexplored = false;
  rsan_self = nullptr;
  RsanAddScheduled()->thr = fibers[0].thr;
  RsanChooseNext();
  state->woken = nullptr;
  state->schedule.explored = &rsan_exploration->run;
}

static void AddThreads() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  RsanScheduleState *state = rsan_schedule_state;
  rsan_self = state->threads[0];
  for (u32 i = 1; i <= test->count; i++) {
    RsanScheduled *thread = RsanAddScheduled();
    thread->thr = fibers[i].thr;
    thread->os_id = GetTid();
  }
  rsan_self = nullptr;
  state->threads[0]->dead = true;
  rsan_schedule_end(&state->schedule, 0);
}

// Did all of them come to their ends?
static bool RunThreads() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  if (rsan_follows_graphs) {
    if (const u32 first = RsanGraphNextFiber())
      RsanSwitchToFiber(first);
    return RsanGraphsAllEnded();
  }
  bool none;
  {
    RsanScheduleLock lock;
    none = RsanChooseNext();
  }
  if (!none)
    RsanSwitchToFiber(rsan_schedule_state->running);
  return !rsan_schedule_state->schedule.threads.alive;
}

static void GiveLocksBack() {
  RsanExploreGiveBack([](const RsanHeld &lock) {
    As(fibers[lock.thread], [&](ThreadState *thr) {
      MutexReadOrWriteUnlock(thr, 0, lock.object);
      lock.give(reinterpret_cast<void *>(lock.object));
    });
  });
}

// Calls `function`; false: rsan_assume has left it.
template <typename Call> static NOINLINE bool CallUnlessLeft(const Call &call) {
  ThreadState *thr = fibers[0].thr;
  uptr *const pos = thr->shadow_stack_pos;
  if (RSAN_MARK(&leave_call)) {
    fibers[0].thr->shadow_stack_pos = pos;
    return false;
  }
  call();
  return true;
}

bool RsanExecuteOnFibers(const RsanTest &asked) {
  bool passes = true;
  test = &asked;
  rsan_current_fiber = 0;
  ForgetRaces();
  BeginSchedule();
  if (!CallUnlessLeft([] { test->setup(test->argument); }))
    return true;
  BeginThreads();
  AddThreads();
  RsanSetUpEnds();
  const bool ended = RunThreads();
  RsanThreadsEnd();
  GiveLocksBack();
  for (u32 i = 1; !ended && i <= test->count; i++)
    Restart(&fibers[i]); // (the last one to end has found that nobody can go on)
  EndThreads();
  if (ended && !unexplored)
    CallUnlessLeft([&] { passes = test->check(test->argument); });
  return passes;
}

} // namespace __tsan
