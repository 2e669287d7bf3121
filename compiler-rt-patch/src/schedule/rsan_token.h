// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this folder share: the schedule, its lock, and who has the token.

#ifndef RSAN_TOKEN_H
#define RSAN_TOKEN_H

#include "port/rsan_tsan.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

// A thread's cache of the program points (RsanPointOf) of the return addresses that it met last.
struct RsanPointCache {
  static const uptr kEntries = 64;
  struct Entry {
    uptr pc;
    u64 point;
  } entries[kEntries];
  u32 generation; // of the modules
};

struct RsanOccasion;

// Taken: it was chosen, and did not come, as a signal handler that has interrupted it waits for
// something else. It asks again when the handler is over.
enum RsanTurn : u32 { kRsanWaits, kRsanSleeps, kRsanChosen, kRsanTaken };

struct RsanScheduled {
  atomic_uint32_t chosen; // what it sleeps on: RsanTurn
  u32 id;                 // in the schedule
  bool expired;           // it was chosen as its time is over
  bool detached, dead;
  bool outside;         // in a call that may block
  bool cancelled;       // pthread_cancel was called for it
  bool cancellable;     // that ends its wait
  atomic_uint32_t busy; // not 0: as RsanBusy says, or a thread that it created has not come yet
  RsanScheduled *creator;
  u32 inside;    // it holds the schedule's lock
  uptr waits_at; // address of the frame in which it waits to be chosen, or is outside; 0: neither
  u64 deadline;  // RsanScheduleWait
  u64 unique_id; // ThreadContextBase's
  uptr handle;   // its pthread_t; 0: it is the first thread
  ThreadState *thr; // null: the thread has not come yet
  int os_id;        // 0: the same; it is known after `thr`
  RsanPointCache points;
  RsanOccasion *occasion; // null, or room for one (departures/rsan_departures.h)
};

// What the schedule alone does not say of a run's end.
enum RsanEnd : u8 { kRsanEndsItself, kRsanEndsInLivelock, kRsanEndsByTime };

struct RsanScheduleState {
  rsan_schedule schedule;
  u32 running;                     // who has the token; RSAN_NO_THREAD: nobody
  RsanScheduled *woken;            // the thread to wake when the lock is given back
  Vector<RsanScheduled *> threads; // by id
  u64 arrivals;                    // operations handed in: the run gets on
  u64 taken, outside;              // tokens that were taken; returns from outside
  u64 awaits_since;                // nobody can proceed, and RsanMayBeWoken has said yes; 0: no
  u32 looks;                       // of the watchdog since then
  u64 awakened;                    // times that a thread went on after that, the last one aside
  bool differs;                    // print the first difference from the replay
  bool deadlocked;                 // or livelocked: the run ends with a report
  bool livelocked;
};

extern StaticSpinMutex rsan_schedule_mutex;
extern RsanScheduleState *rsan_schedule_state SANITIZER_GUARDED_BY(rsan_schedule_mutex);

// A signal handler that interrupts who has the lock is not scheduled, so it does not wait for it.
class SANITIZER_SCOPED_LOCK RsanScheduleLock {
public:
  RsanScheduleLock() SANITIZER_ACQUIRE(rsan_schedule_mutex);
  ~RsanScheduleLock() SANITIZER_RELEASE();

private:
  RsanScheduled *thread_;
};

// The thread of the operating system, whatever fiber it runs; null: it is not scheduled.
extern __attribute__((visibility("hidden"),
                      tls_model("initial-exec"))) __thread RsanScheduled *rsan_self;

extern atomic_uint8_t rsan_lost_wake; // somebody was to be woken, and may not have been

RsanScheduled *RsanAddScheduled() SANITIZER_REQUIRES(rsan_schedule_mutex);

// The thread asks to do `pending` next. Returns when the schedule has chosen it. False: the time
// limit of its wait is over.
bool RsanArrive(RsanScheduled *me, const rsan_pending &pending, u64 deadline);
// The second half of that. Also reports, once, where the run differs from the run to repeat.
void RsanWaitForToken(RsanScheduled *me);

// Gives the token to the next thread, unless a thread has it. Returns true if the run ends here:
// by a deadlock, by a livelock, or because the exploration gives the run up.
bool RsanChooseNext() SANITIZER_REQUIRES(rsan_schedule_mutex);

// Times that a thread went on after RsanMayBeWoken had said yes. (A yes that still stands counts,
// as the caller has gone on.)
u64 RsanCountAwakened() SANITIZER_REQUIRES(rsan_schedule_mutex);
// No thread can proceed. May a signal or a thread that is not scheduled wake one
// (rsan_progress.cpp)?
bool RsanMayBeWoken();
// Ends the wait if the thread is cancelled where that ends it.
void RsanEndCancelledWait(RsanScheduled *thread) SANITIZER_REQUIRES(rsan_schedule_mutex);
void RsanNoteFirstThread();
// Has this thread cancellation enabled, and does it end waits of that kind?
bool RsanIsCancellable(u8 kind);

// A point of the run in 64 bits that are the same in each run: 16 of its module's name, 48 of its
// offset there. 0: it is in no module.
u64 RsanPointOf(RsanScheduled *thread, uptr pc);
// The address of such a point in this run; 0: its module is not known.
uptr RsanAddressOf(u64 point);

// The kernel sends the process that signal then, SIGKILL, in ns of the monotonic clock.
void RsanEndRunAt(u64 time, int signal = 9);
void RsanStartWatch(); // with the second thread; in an exploration when it is needed
// Waits until the word has another value, or it is woken, for yield_ms. False: that is over.
bool RsanSleepShortly(atomic_uint32_t *word, u32 value);
void RsanWatchAfterFork(); // the watchdog stays in the parent

// Records and replays (rsan_schedule_file.cpp).
// A hash of the program's code as it is mapped, which has no relocations: another build has another
// one.
u64 RsanHashOfCode();
void RsanOpenFiles(rsan_schedule *schedule);
void RsanCloseRecord(rsan_schedule *schedule, bool is_end);
// The same in place of schedule_file=, by the first thread, which is alone.
void RsanRecordTo(rsan_schedule *schedule, const char *path, RsanEnd end);
void RsanPrintDifference(const rsan_difference &difference);
u64 RsanDelays();             // pauses so far (rsan_delay.cpp)
const char *RsanRecordPath(); // null: there is no record
bool RsanIsReplay();
bool RsanRepeatedLivelock(const rsan_schedule &schedule); // the record's last step is made
const char *RsanKindText(u8 kind);                        // rsan_kind, for messages

void RsanPrintCommand(); // the line that repeats the execution, of a finding of rsan_check

// The policy (rsan_policy.cpp).
bool RsanReadPolicy(rsan_policy_options *options); // false: the run is not scheduled

} // namespace __tsan

#endif
