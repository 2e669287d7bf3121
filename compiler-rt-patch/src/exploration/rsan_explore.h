// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All schedules of a program: explore=FILE, which `rsan check` sets. Before the program creates its
// first thread the process becomes the explorer (rsan_explorer.cpp): for each execution it forks a
// child, which goes on from there along the prefix that it is asked for (rsan/schedule/explored.h).
// Parent and child share the memory in which the child notes its steps and what it finds.
//
// What is found is noted by a number, and printed by nobody. When the explorer meets a new number
// it makes the same execution once more, and that one reports and is recorded.

#ifndef RSAN_EXPLORE_H
#define RSAN_EXPLORE_H

#include "base/rsan_exploring.h"
#include "base/rsan_state.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

// -- findings, in a run; no lock of the schedule held --

// (Reports are neither made nor symbolized if RsanFindsQuietly: what is found is noted.)

// What is found: counts for nothing; is a finding; or, where departures are explored, now or by
// the exploration that follows (explore_until_violation=, or the graphs of rsan_check), is a
// violation that says no more than that an access may depart.
enum RsanFound : u8 { kRsanSuppressed, kRsanFinding, kRsanViolation };

// Is what has this number known, so that there is no more to do? It is noted.
bool RsanFindsAgain(u64 number);
// A new one.
void RsanFinds(u64 number, RsanFound what);
void RsanFindsViolation(u64 number);

// A report of TSan's, symbolized and not suppressed. True: it is noted, and not to be printed.
bool RsanFindsReport(const ReportDesc *report);

// -- the schedule of a run --

// The operation can proceed once the object is free.
void RsanExploreLock(rsan_kind kind, const volatile void *object);
// The thread tries to take the lock, by that kind. RsanExploreMayTake says whether it may.
void RsanExploreTryLock(rsan_kind kind, const volatile void *object);
void RsanExploreSemaphore(void *semaphore);
// Asks the C library. With the schedule's lock, so that the question is no step.
u64 RsanSemaphoreValue(void *semaphore);
// May the thread that runs have the lock? (Fibers are one thread for the C library.)
bool RsanExploreMayTake(const volatile void *object, bool writes);
// The thread has taken it, which `give` undoes, or given it back.
void RsanExploreTaken(rsan_kind kind, const volatile void *object, int (*give)(void *));
void RsanExploreGiven(const volatile void *object);

// The accesses that are kept of eight bytes, with the index `i` from 0 on. False: there are no
// more.
bool RsanKeptAccess(RawShadow *shadow, uptr i, Shadow *access);
// All of them from now on, for good, of an object that was written atomically.
void RsanListAccesses(uptr addr, uptr size);
// At the end of an exploration: its lists are of no use any more.
void RsanDropLists();

// A weak compare-exchange finds what it expects: does it fail all the same?
bool RsanFailsSpuriously(ThreadState *thr);
void RsanForgetFailed();         // one that is made without that question
void RsanTellFailed(bool fails); // the newest one

// Makes the process the explorer, which forks the runs, unless it is a run already. The calling
// thread has to be the only one. Returns in runs, with true, and where nothing is explored.
bool RsanBeginExploring();
// The program ends, whatever other threads would have done.
void RsanExploreEnd(ThreadState *thr);

// Before the analysis of a wait.
void RsanMeetsWait(ThreadState *thr, const SyncVar *s, const rsan_access &access);

} // namespace __tsan

#endif
