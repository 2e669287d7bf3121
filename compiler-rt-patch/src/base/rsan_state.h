// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the shim's own files share: the engine, the flags, and the bridge from an atomic access to
// the core.

#ifndef RSAN_STATE_H
#define RSAN_STATE_H

#include "base/rsan_shim.h"
#include "port/rsan_tsan.h"

extern "C" {
#include "rsan/engine.h"
#include "rsan/machines/names.h"
}

namespace __tsan {

// TSan's, which no header of its own declares: "main thread" or "thread T1", in 128 bytes.
const char *thread_name(char *buf, Tid tid);

struct RsanVersionClocks;

struct RsanSyncState {
  rsan_sync *write_lock;       // released by unlock of a mutex
  rsan_sync *read_lock;        // released by unlock of a read lock
  rsan_sync *other;            // released by everything whose pairing is not certain
  RsanVersionClocks *versions; // with weak= (departures/)
};

struct RsanFlags {
#define RSAN_FLAG(Type, Name, DefaultValue, Description) Type Name;
#include "base/rsan_flags.inc"
#undef RSAN_FLAG
};

extern RsanFlags rsan_flags_storage;
extern int rsan_switch_flag; // switch=, a word of C++'s
ALWAYS_INLINE RsanFlags *rsan_flags() {
  return &rsan_flags_storage;
}
rsan_options RsanReadOptions();
// Once, when the options have been read (RsanFlagsParsed).
void RsanChooseFormat();
void RsanChooseSymbolizer();

// seq_cst=fence: does a seq_cst access act as if an SC fence stood right before it?
extern bool rsan_fences_before;
ALWAYS_INLINE bool RsanFencesBefore() {
  return rsan_fences_before;
}

bool RsanHasSymbolizer(); // for code
extern rsan_engine *rsan_the_engine;
ALWAYS_INLINE rsan_engine *RsanEngine() { // null when robustness=0
  return rsan_the_engine;
}

// What a violation's report needs of the access that was flagged.
struct RsanFlagged {
  uptr addr, size, pc;
  rsan_access access;
  rsan_violation violation;
  const rsan_explanation *explanation; // null: none; while it is reported only
  u64 token, token_v1;                 // while it is reported only
};

// The frame above the access or call that the thread is at; 0: none.
ALWAYS_INLINE uptr RsanCaller(const ThreadState *thr) {
  return thr->shadow_stack_pos > thr->shadow_stack ? thr->shadow_stack_pos[-1] : 0;
}

void RsanReport(ThreadState *thr, const RsanFlagged &flagged);
// Adds an atomic access to a report.
void RsanAddAtomic(ScopedReport *report, uptr addr, uptr size, Tid tid, StackTrace stack,
                   const MutexSet *mutexes, bool write);

// Is it one that is counted in place of being reported (rsan_unreported.cpp)? By the stacks of the
// access and of the missed write; no lock.
bool RsanIsUnreported(const RsanFlagged &flagged, StackTrace access, StackTrace missed);
u64 RsanUnreportedCount();
// Whose code a program point is in, by its frames: a number for rsan_unreported.cpp.
u8 RsanWhose(const SymbolizedStack *frames);
void RsanForgetPlaces();  // code has been unloaded
void RsanForgetSymbols(); // the same
u64 RsanUnsymbolizedReports();
void RsanPrintUnsymbolized(); // at the end
void RsanForgetCode();        // the same (rsan_calls.cpp); no lock

// Why it is a violation, at once; and the end of its explanation.
void RsanExplain(ThreadState *thr, RsanFlagged *flagged);
void RsanForgetExplanation(RsanFlagged *flagged);
// What a report prints of it, after the values.
void RsanPrintCycle(const RsanFlagged &flagged);
// Appends what memory at an address is called; false: nothing is known of it.
void RsanRenderThread(InternalScopedString *text, Tid tid);
bool RsanRenderName(InternalScopedString *text, uptr address);

const char *RsanOrderName(rsan_order order);
const char *RsanKindName(const rsan_access &access); // "atomic read"
// Is it a wait for a value (no compare-exchange)? What it, or a compare-exchange, asks of the
// value.
bool RsanWaits(const rsan_access &access);
void RsanRenderCondition(InternalScopedString *text, const rsan_access &access);
// The thread of that unique id, with the registry's lock held; null: its context is gone.
ThreadContext *RsanThreadOf(u32 owner);
Tid RsanTidOf(u32 owner); // without the lock; kInvalidTid

ALWAYS_INLINE bool RsanWatches(ThreadState *thr) {
  return thr->rsan != nullptr;
}

} // namespace __tsan

#endif
