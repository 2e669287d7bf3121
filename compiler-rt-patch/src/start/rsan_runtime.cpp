// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of the process and of its threads. This folder is the highest layer: it calls all
// others.

#include "base/rsan_checked.h"
#include "base/rsan_own_code.h"
#include "base/rsan_refusal.h"
#include "base/rsan_system.h"
#include "base/rsan_unchecked.h"
#include "base/rsan_unseen_code.h"
#include "departures/rsan_departures.h"
#include "exploration/rsan_exploration.h"
#include "exploration/rsan_fibers.h"
#include "failures/rsan_failure.h"
#include "failures/rsan_time_limit.h"
#include "interceptors/rsan_adopt.h"
#include "interceptors/rsan_models.h"
#include "interceptors/rsan_scheduled.h"
#include "locations/rsan_image.h"
#include "places/rsan_place.h"
#include "port/rsan_tsan.h"
#include "reports/rsan_same.h"
#include "reports/rsan_test.h"
#include "schedule/rsan_patience.h"
#include "schedule/rsan_schedule.h"
#include "simulation/rsan_simulate.h"
#include "sites/rsan_site.h"
#include "sync/rsan_membarrier.h"
#include "sync/rsan_sync.h"

namespace __tsan {

rsan_engine *rsan_the_engine;

void RsanFlagsParsed() {
  RsanRaiseLimits();
  RsanReadOptions();
  RsanCheckSchedule();
  RsanCheckDepartures();
  RsanChooseFormat();
  RsanChooseSymbolizer();
}

void RsanInitialize() {
  RsanInitializeNobody();
  RsanInitializeOwnCode();
  rsan_options options = RsanReadOptions();
  RsanInitializeChecked();
  if (rsan_flags()->robustness) {
    rsan_the_engine = rsan_engine_new(&options);
    RsanReadImages();
  }
  RsanInitializeSimulation();
  RsanInitializeSchedule();
  RsanInitializeDepartures();
  RsanInitializeWrappers();
  if (rsan_flags()->mapping_fences)
    RsanFenceMappings();
  RsanInitializeFailures();
  RsanInitializeModels();
  RsanEndStart();
}

static atomic_uint64_t local_fences;

static void PrintStatistics() {
  if (!RsanEngine() || !rsan_flags()->stats || ctx->after_multithreaded_fork)
    return;
  Printf("RSan statistics (pid=%d):\n", (int)internal_getpid());
#define RSAN_PRINT(name, text)                                                                     \
  Printf("  %-16s %12llu  %s\n", #name,                                                            \
         (unsigned long long)rsan_engine_stat(RsanEngine(), RSAN_STAT_##name), text);
  RSAN_STATS(RSAN_PRINT)
#undef RSAN_PRINT
  RsanPrintUnits();
  RsanPrintUnseenCode();
  Printf("  %-16s %12llu  violations inside the standard library, not shown\n", "system_headers",
         RsanUnreportedCount());
  Printf("  %-16s %12llu  fences that are read-modify-writes of local objects, as on x86-64\n",
         "local_fences", (unsigned long long)atomic_load_relaxed(&local_fences));
  Printf("  %-16s %12llu  reports without functions and lines: to find those had taken too long\n",
         "unsymbolized", RsanUnsymbolizedReports());
  Printf("  %-16s %12llu  sites of writes without their calls: there are too many stacks\n",
         "cut_sites", RsanCutSites());
  Printf("  %-16s %12llu  times a thread that waited in vain let others run\n", "gave_way",
         RsanTimesGivenWay());
  RsanPrintTestCount();
}

void RsanFinalize() {
  RsanExploreEnd(cur_thread());
  PrintStatistics();
  RsanFinalizeDepartures();
  RsanPrintFurther();
  RsanPrintUnsymbolized();
  RsanPrintUnseenOrder();
  RsanPrintForeignUnits();
  RsanPrintUnchecked();
  RsanFinalizeSimulation();
  RsanFinalizeSchedule();
  RsanSetStatusOfChecks();
}

// The registry's lock serialises the table of thread indices with the registry's own callbacks, and
// is one of those that fork waits for.
rsan_thread *RsanThreadCreate(ThreadState *creator) {
  if (creator)
    RsanWarmUnwinder();
  if (!RsanEngine() || ctx->after_multithreaded_fork)
    return nullptr;
  RsanEndSole(creator);
  if (creator && RsanIsFenceDue(creator->rsan_own))
    RsanPassFence(creator);
  ThreadRegistryLock lock(&ctx->thread_registry);
  if (creator)
    RsanNotePoint(creator, 0);
  return rsan_thread_create(RsanEngine(), creator ? creator->rsan : nullptr, ~0u);
}

rsan_thread *RsanThreadCreated(rsan_thread *thread, const ThreadContext *context) {
  RsanScheduleCreated(context);
  if (thread)
    rsan_thread_set_owner(thread, static_cast<u32>(context->unique_id));
  return thread;
}

// A thread's stack and TLS block are often another thread's old ones, which TSan leaves as they
// were: locations there would go on with the old history. At the end as well, for the C library
// may then unmap the stack by a call that no interceptor sees.
static void ForgetStack(ThreadState *thr) {
  if (!thr->rsan || ctx->after_multithreaded_fork)
    return;
  RsanForgetRange(thr, thr->stk_addr, thr->stk_size);
  RsanForgetRange(thr, thr->tls_addr, thr->tls_size);
}

void RsanThreadStart(ThreadState *thr, bool has_fresh_stack) {
  RsanNoteProgress(thr);
  if (thr->rsan) {
    thr->rsan_own.moves = rsan_thread_changes(thr->rsan);
    RsanTlsBegins();
  }
  thr->rsan_own.keeps_sites = thr->rsan && (flags()->report_bugs || RsanIsWeak());
  RsanStartFenced(thr);
  if (RsanIgnoresPlainAccesses()) {
    thr->ignore_reads_and_writes++;
    thr->fast_state.SetIgnoreBit();
  }
  if (has_fresh_stack)
    ForgetStack(thr);
  if (RsanStartsBehindSole(thr))
    RsanAcquireEverything(thr, true);
  if (thr->tid == kMainTid)
    RsanBeginSole(thr);
}

// Releases the mutexes that the ending thread still holds. If one is robust, its next owner gets
// EOWNERDEAD and acquires what this thread has done; no thread can ever lock one that is not.
static void ReleaseHeldMutexes(ThreadState *thr) {
  if (ctx->after_multithreaded_fork)
    return;
  for (uptr i = 0; i < thr->mset.Size(); i++)
    Release(thr, 0, thr->mset.Get(i).addr);
}

void RsanThreadStopping(ThreadState *thr) {
  RsanStopReminding(thr);
  ReleaseHeldMutexes(thr);
  ForgetStack(thr);
  if (thr->rsan)
    RsanTlsEnds();
}

void RsanThreadGone() {
  RsanThreadCannotFail();
  RsanScheduleEnds();
}

void RsanAfterForkInChild() {
  RsanBeginTimeLimit();
  RsanScheduleInChild();
}

void RsanThreadFinish(rsan_thread *thread) {
  if (thread && !ctx->after_multithreaded_fork)
    rsan_thread_finish(thread);
}

void RsanThreadJoin(ThreadState *thr, rsan_thread *joined) {
  if (ctx->after_multithreaded_fork)
    return;
  RsanNotePoint(thr, 0);
  if (thr->rsan && joined)
    rsan_thread_join(thr->rsan, joined);
  rsan_thread_free(joined);
  RsanBeginSole(thr);
}

void RsanThreadFree(rsan_thread *thread) {
  if (!ctx->after_multithreaded_fork)
    rsan_thread_free(thread);
}

} // namespace __tsan

using namespace __tsan;

extern "C" {
SANITIZER_INTERFACE_ATTRIBUTE unsigned long __rsan_violation_count() {
  return RsanEngine() ? rsan_engine_stat(RsanEngine(), RSAN_STAT_violations) : 0;
}

// Called by the compiler's pass: entry to and exit from a function that RSan ignores.
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_ignore_begin() {
  if (RsanExplores())
    RsanNoteGap(kRsanGap_SUPPRESSED);
  cur_thread()->rsan_own.ignored++;
  if (RsanExplores())
    RsanNoteGap(kRsanGap_SUPPRESSED);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_ignore_end() {
  cur_thread()->rsan_own.ignored--;
}

// Called by the compiler's pass around an access of a primitive. Where all executions are explored
// each access is judged, for a proof covers the primitives as well.
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_primitive_begin() {
  if (!RsanExplores() && !rsan_flags()->system_headers)
    cur_thread()->rsan_own.ignored |= kRsanPrimitive;
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_primitive_end() {
  cur_thread()->rsan_own.ignored &= ~kRsanPrimitive;
}

// Called by the compiler's pass where a seq_cst read-modify-write of an object that no other thread
// can see is taken for the fence that it is on x86-64. The fence follows.
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_local_fence() {
  atomic_fetch_add(&local_fences, 1, memory_order_relaxed);
  if (RsanExplores())
    RsanNoteGap(kRsanGap_LOCAL_FENCE);
}
}
