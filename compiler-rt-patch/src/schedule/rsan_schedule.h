// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduled runs (docs/guide/SCHEDULES.md): one thread of the program runs at a time, and before
// each visible operation a policy chooses which (rsan/schedule/). The running thread has the
// *token*.
//
// A thread that makes a call that may block gives the token away until it is back. One that sleeps
// where nobody can see why loses it to a watchdog (rsan_watch.cpp). So a program does not hang that
// would not hang alone; the price is that the next run may differ, which is counted.
//
// Threads that signal handlers interrupt while they wait to be chosen run those handlers at once,
// and unscheduled.

#ifndef RSAN_SCHEDULE_H
#define RSAN_SCHEDULE_H

#include "base/rsan_exploring.h"
#include "base/rsan_state.h"
#include "port/rsan_signal_handlers.h"

extern "C" {
#include "rsan/schedule/schedule.h"
}

namespace __tsan {

class RsanJson;

// Is the run scheduled? False in a process that was forked from one with several threads.
extern __attribute__((visibility("hidden"))) bool rsan_schedules;
ALWAYS_INLINE bool RsanSchedules() {
  return UNLIKELY(rsan_schedules);
}

// Does this thread take part now? Not before its function begins nor after it has ended, not in a
// signal handler that has interrupted its wait for the token, and not in the runtime's own work.
bool RsanIsScheduled(ThreadState *thr);

// A visible operation comes, which can proceed. Returns when the thread has been chosen; at once
// if it is not scheduled. `pc`: the return address of the call of it. No lock held, as in the rest.
// `also`: a second object, which it reads.
void RsanSchedulePoint(ThreadState *thr, uptr pc, rsan_kind kind, uptr object, bool writes,
                       uptr also = 0);

// A visible operation comes that cannot proceed before `pending` says so; its point is filled in
// here. False: its time is over. `deadline`: when that may be at the latest, in ns of the monotonic
// clock, if `pending` is timed; 0: nobody knows.
bool RsanScheduleWait(ThreadState *thr, uptr pc, rsan_pending pending, u64 deadline);

// The thread waits in vain for others.
void RsanScheduleYield();

// Lets one, or all, of the threads that wait to be woken on the object proceed. How many.
u32 RsanScheduleWake(uptr object, bool all);
// One of them whose mask has one of these bits.
u32 RsanScheduleWakeMasked(uptr object, u32 mask);
// Lets one of the threads that wait to be woken on `from` wait on `to`. How many: 1 or 0.
u32 RsanScheduleMove(uptr from, uptr to);
// Lets all of them proceed, for a call that is not scheduled, in a signal handler. The watchdog
// wakes a thread that has tried the object in vain but does not wait on it yet.
void RsanScheduleWakeUnseen(uptr object);

// The call between the two may block.
void RsanScheduleLeave(ThreadState *thr);
void RsanScheduleReturn(ThreadState *thr);
// A gap that matters only if it is seen by several threads.
void RsanNoteGapOfMany(RsanGap gap);
// The thread takes what others have done before they released there: a gap if that is no step.
void RsanNoteUnscheduledOrder(const ThreadState *thr, const SyncVar *s);
// Does no other thread live?
bool RsanIsAlone();
// Are there threads in such calls?
bool RsanIsAnyOutside();

// Threads. Created: in the thread registry's callback, by the creator. Starts: in the new thread;
// returns when it was chosen. Ends: the last that it does in the runtime.
void RsanScheduleCreated(const ThreadContext *context);
void RsanScheduleStarts(ThreadState *thr);
void RsanScheduleEnds();
// The thread was created unseen, and takes part from now on, which RsanScheduleStarts begins.
void RsanScheduleAdopted(const ThreadState *thr);
// Waits for the end of the thread with that handle. False: its time is over.
bool RsanScheduleJoin(ThreadState *thr, uptr pc, uptr handle, bool timed, u64 deadline);
bool RsanHasEnded(uptr handle);
void RsanScheduleReleased(uptr handle); // joined or detached
void RsanScheduleCancelled(uptr handle);

// With schedule=delay: pauses now and then, at an atomic access of that order; before a call that
// locks, waits, or has to do with threads.
void RsanDelay(ThreadState *thr, rsan_order order);
void RsanDelayCall();
// 32 bits from the thread's own generator, which the seed begins. Its upper bits are the good ones.
u32 RsanDraw(ThreadState *thr);

// With per_test=1: the calling thread begins a test. What is chosen from here on follows from the
// seed and the test's name.
void RsanScheduleTest(ThreadState *thr, const char *name);
u64 RsanSeed(); // seed=, or the seed of the test that runs

// Ends the process if an option of schedules is wrong.
void RsanCheckSchedule();
// The program and its options are known, and its first thread is about to run.
void RsanInitializeSchedule();
void RsanFinalizeSchedule();   // the end of the record, and statistics
void RsanScheduleForgetCode(); // code was unloaded
void RsanScheduleInChild();    // of a fork

// The runtime's own work, which may take long: the thread keeps the token.
class RsanBusy {
public:
  RsanBusy();
  ~RsanBusy();
};

// What a report says of its schedule: the line that repeats the run, such as
// "RSAN_OPTIONS=schedule=pct:seed=3 ./a.out". Nothing if the run is not scheduled.
void RsanPrintRepeat();
void RsanPutSchedule(RsanJson *json);

// The program's arguments as they were at its start, or when this was first called.
void RsanKeepArguments();
const Vector<const char *> &RsanArguments();
// The user's options and the command, for a shell.
void RsanRenderCommand(InternalScopedString *text, const Vector<const char *> &command);

// The options that choose the schedule, and stale values.
static const uptr kRsanPolicyText = 192;
const char *RsanPolicyText(char *text, uptr room);

} // namespace __tsan

#endif
