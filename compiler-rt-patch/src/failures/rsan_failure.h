// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of what ends a program: signals of failures (abort, assertions, exceptions that nobody
// catches, accesses to memory that is not there), deadlocks, livelocks, and time limits.
//
// Failures by signals are reported so if report_failures=1, which `rsan' sets: the process then
// dies by the signal, as it does without RSan. Else they are TSan's.

#ifndef RSAN_FAILURE_H
#define RSAN_FAILURE_H

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// What a thread does when it is found that none gets any further, or that the time is up.
struct RsanWait {
  Tid tid;
  const char *kind; // "lock", "join of a thread", ...; "running"
  uptr object;      // 0: none
  Tid other;        // who holds the lock, or is joined; kInvalidTid: nobody
  bool derived;     // it waits only because another thread of the list does not end
  u64 key;          // in an execution that only notes what it finds: of its place
  StackID stack;
};

struct RsanFailure {
  const char *type;    // "assertion failed", "SEGV", "deadlock"
  const char *end;     // "signal", "deadlock", "livelock", "timeout", "test"
  const char *message; // null: there is none
  bool message_tells;  // one failure from another: it has no values of this run
  const char *heading; // of the waits; null: there are none
  int signal;          // 0: none
  uptr address;        // of the access that failed
  bool has_address;
  Tid tid; // that has failed
  StackID stack;
  const Vector<RsanWait> *waits; // null: there are none
  u64 key;                       // tells it from others of its type that have no stack; 0: nothing
};

// Prints it, as text or as a record. Returns its token.
u64 RsanPrintFailure(const RsanFailure &failure);

// -- signals (rsan_signals.cpp) --

void RsanInitializeFailures();
void RsanWarmUnwinder(); // a thread is about to be created
// A thread is about to run, or has run: its stack may overflow.
void RsanThreadCanFail();
void RsanThreadCannotFail();

// The program sets the signal's action, a struct sigaction: ours takes the default one's place. Is
// a handler that one? (Declared by the patched TSan itself.)
void RsanKeepFailureHandler(int signal, void *action);
bool RsanIsFailureHandler(const void *handler);

// Nobody can go on, or the run is given up: says so, and ends the process, or the execution of
// rsan_check. No lock held.
void RsanReportDeadlock();

// -- what the program says of itself (rsan_failure_words.cpp) --

void RsanFindAbortMessage();    // once, at the start
const char *RsanAbortMessage(); // of the C library; null: there is none
// Names the exception that is being handled, as "std::logic_error: text"; null: there is none.
const char *RsanExceptionText(char *text, uptr room);

// -- who waits for what (rsan_waits.cpp) --

// Collects the waits of the schedule's threads. Nobody has the token, so nothing changes meanwhile.
void RsanCollectWaits(Vector<RsanWait> *waits);
// The same in each execution in which it is the same threads' waits that nobody ends.
u64 RsanNumberOfWaits(const Vector<RsanWait> &waits, u64 number);
// One that is scheduled, and waits to be chosen; false: it is none.
bool RsanDescribeScheduled(ThreadState *thr, RsanWait *wait);
Tid RsanOwnerOf(uptr mutex); // kInvalidTid: nobody, or it is not known

} // namespace __tsan

#endif
