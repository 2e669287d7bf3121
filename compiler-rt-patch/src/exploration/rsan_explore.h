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

#include "base/rsan_state.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

// Is it the explorer, a run of it, or a program that will become one? (rsan_explores: rsan_shim.h)
ALWAYS_INLINE bool RsanExplores() {
  return UNLIKELY(rsan_explores);
}

// -- findings, in a run; no lock of the schedule held --

// (Reports are neither made nor symbolized if RsanFindsQuietly: what is found is noted.)

// What is found: counts for nothing; is a finding; or, where departures are explored, is a
// violation that says no more than that an access may depart.
enum RsanFound : u8 { kRsanSuppressed, kRsanFinding, kRsanViolation };

// Is what has this number known, so that there is no more to do? It is noted.
bool RsanFindsAgain(u64 number);
// A new one.
void RsanFinds(u64 number, RsanFound what);
void RsanFindsViolation(u64 number);

// A report of TSan's, symbolized and not suppressed. True: it is noted, and not to be printed.
bool RsanFindsReport(const ReportDesc *report);

// A number for a pair of stacks.
u64 RsanFindingNumber(StackTrace first, StackTrace second);

// -- the schedule of a run --

// The operation can proceed once the object is free.
void RsanExploreLock(rsan_kind kind, const volatile void *object);
void RsanExploreSemaphore(void *semaphore);
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

// A weak compare-exchange finds what it expects: does it fail all the same?
bool RsanFailsSpuriously(ThreadState *thr);
void RsanForgetFailed(); // one that is made without that question

// The thread takes what others have done before they released there.
void RsanExploreAcquire(const ThreadState *thr, const SyncVar *s);

// The program ends, whatever other threads would have done.
void RsanExploreEnd(ThreadState *thr);

// What keeps an exploration from being a proof, by name. Each is counted in executions.
#define RSAN_GAPS(X)                                                                               \
  X(TAKEN, "a thread slept or ran where the schedule does not see it")                             \
  X(CALLS, "a call that may block, whose time is not explored")                                    \
  X(TIMED, "a wait with a time limit, which ended only when nobody else could go on")              \
  X(SIGNALS, "signal handlers, whose time is not explored")                                        \
  X(CHILDREN, "a child process, which is not explored")                                            \
  X(ONCE, "an initialisation by the first of several threads; which one is not explored")          \
  X(UNSEEN, "code that is not instrumented may have synchronised, or written atomic objects")      \
  X(HISTORY, "the analysis has dropped what an access might have missed")                          \
  X(OLDER, "a wait might have been ended by an older value, with which less is acquired")          \
  X(RACES, "a data race may have been missed: the race detector has begun anew, or lost a stack")  \
  X(SYNCHRONISED, "an order by what is no step")                                                   \
  X(WOKEN, "nobody could go on, but a signal, or a thread that is not scheduled, might have come") \
  X(CANCELLED, "pthread_cancel, or a question whether a thread has ended; when it comes is open")  \
  X(SUPPRESSED, "a finding that is suppressed, or in the standard library")                        \
  X(CODE, "code of the program that is not seen: assembly, or functions that are left out")        \
  X(FENCES, "fences of seq_cst=fence or simulate=, whose order is not explored")                   \
  X(CXX20, "C++20's fences, which are weaker than RC20's, allow more than was executed")           \
  X(MEMBARRIER, "a membarrier whose fences in other threads are not explored in every order")      \
  X(TURNS, "a thread would turn once more in a loop that reads the same again")                    \
  X(UNROLL, "a thread would write once more at the same place")                                    \
  X(SPURIOUS, "a weak compare-exchange might have failed although it found what it expected")      \
  X(WIDE, "an object of more than eight bytes is never given an older value")                      \
  X(VERSIONS, "an object had more versions than are kept for accesses that depart")                \
  X(DEPARTURES, "one more access might have departed")                                             \
  X(UNINITIALISED, "memory from before the first thread was read, and may not be initialised")     \
  X(UNFILLED, "reads of a large block are not known to be of what was initialised")                \
  X(UNCHECKED, "accesses were not checked: objects with several sizes, or globals or code whose "  \
               "beginning could not be read")                                                      \
  X(SILENT, "the program has ended without the runtime's knowledge")

enum RsanGap {
#define RSAN_GAP_ENUM(name, text) kRsanGap_##name,
  RSAN_GAPS(RSAN_GAP_ENUM)
#undef RSAN_GAP_ENUM
      kRsanGapCount
};

// The bounds explore_loop=, explore_unroll=, explore_spurious= and weak_departures= are no gaps,
// nor is that the proof is one for RC20's fences alone: the verdict names them.

void RsanNoteGap(RsanGap gap);
// Before the analysis of a wait.
void RsanMeetsWait(ThreadState *thr, const SyncVar *s, const rsan_access &access);
void RsanNoteGapOfMany(RsanGap gap); // if there are several threads

} // namespace __tsan

#endif
