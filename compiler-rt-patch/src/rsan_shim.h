// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patched files of TSan's runtime call, and nothing else: the patches are calls of these
// functions. Locks that each one needs are named; "slot" is TSan's per-thread slot lock, under
// which fork cannot happen, so that no lock of the core is ever held across a fork.

#ifndef RSAN_SHIM_H
#define RSAN_SHIM_H

#include "sanitizer_common/sanitizer_internal_defs.h"
#include "tsan_defs.h"
#include "tsan_vector_clock.h"

struct rsan_thread;

namespace __sanitizer {
class FlagParser;
}

namespace __tsan {

class ReportDesc;
struct Flags;
struct SyncVar;
struct ThreadState;

// What hangs off a SyncVar: the analysis of an atomic location, and the clocks of a mutex or other
// object that synchronises. Opaque here; dies with the SyncVar's Reset.
struct RsanSyncState;

// Part of ThreadState: RC20's clocks beside ThreadState::clock (rsan_race.h).
struct RsanThreadRaceClocks {
  VectorClock acquire, release;
  bool has_acquire, has_release; // else the clock is empty
};

// All epochs have been reset: of a thread that takes a new slot; of an object, all slots held.
void RsanResetThreadClocks(ThreadState *thr);
void RsanResetClocks(SyncVar *s);

// Start of the process, once, before the first thread. RSan's flags are registered with TSan's
// parser, which reads RSAN_OPTIONS after TSAN_OPTIONS.
void RsanSetFlagDefaults(Flags *flags);
void RsanRegisterFlags(__sanitizer::FlagParser *parser);
void RsanFlagsParsed();
bool RsanIgnoresPlainAccesses(); // races=0: every thread starts with them ignored
void RsanInitialize();
void RsanFinalize();

// Threads. Create: by the creator (null for the main thread), no lock held. Start, with the
// thread's stack and TLS known: no lock. Created, Finish, Free: in the thread registry's callbacks.
rsan_thread *RsanThreadCreate(ThreadState *creator);
rsan_thread *RsanThreadCreated(rsan_thread *thread, u64 unique_id); // returns `thread`
void RsanThreadStart(ThreadState *thr, bool has_fresh_stack);
void RsanThreadStopping(ThreadState *thr); // its stack is not used by the program any more; no lock
void RsanThreadFinish(rsan_thread *thread);
void RsanThreadJoin(ThreadState *thr, rsan_thread *joined); // takes over `joined`
void RsanThreadFree(rsan_thread *thread);

// Mutexes: under slot and the SyncVar's lock (a read lock of it is enough for RsanReadLock).
void RsanLock(ThreadState *thr, SyncVar *s);
void RsanUnlock(ThreadState *thr, SyncVar *s);
void RsanReadLock(ThreadState *thr, SyncVar *s);
void RsanReadUnlock(ThreadState *thr, SyncVar *s);

// Everything else that TSan takes for acquire and release; the same locks.
void RsanAcquire(ThreadState *thr, SyncVar *s);
void RsanRelease(ThreadState *thr, SyncVar *s, bool replace);

// The SyncVar's memory has got another owner.
void RsanReset(SyncVar *s);

// The memory has got another owner, which TSan's own events do not tell; no lock held.
void RsanForgetRange(ThreadState *thr, uptr addr, uptr size);

// After dlopen and dlclose; no lock held.
void RsanLibrariesChanged(ThreadState *thr);

// Report layer. Before each report, says so once if no symbolizer was found. The two accesses of a
// robustness violation, in place of TSan's list of accesses.
void RsanWarnOfMissingSymbolizer();
void RsanPrintAccesses(const ReportDesc *report);

} // namespace __tsan

#endif
