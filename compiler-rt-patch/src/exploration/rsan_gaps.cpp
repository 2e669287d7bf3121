// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What keeps a run from being part of a proof. What the first thread does before it creates others
// counts for all runs.

#include "base/rsan_unchecked.h"
#include "base/rsan_unseen_code.h"
#include "departures/rsan_departures.h"
#include "exploration/rsan_exploration.h"
#include "exploration/rsan_set_up.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

// What one thread did before all others is before all that they do.
static u64 unseen_before, dropped_before, apart_before, unchecked_before;
static uptr epochs_before;

void RsanMeetsGuard() {
  if (cur_thread()->ignore_interceptors)
    return; // the runtime's own, as of the unwinder
  RsanNoteGapOfMany(kRsanGap_ONCE);
}

// Annotations that say nothing about who comes before whom, nor that something is no race.
void RsanMeetsAnnotation(const char *name) {
  static const char *const harmless[] = {"AnnotateThreadName",        "AnnotateFlushState",
                                         "__tsan_mutex_create",       "__tsan_mutex_destroy",
                                         "AnnotateRWLockCreate",      "AnnotateRWLockDestroy",
                                         "AnnotateRWLockCreateStatic"};
  for (const char *one : harmless)
    if (!internal_strcmp(one, name))
      return;
  RsanNoteGap(kRsanGap_SYNCHRONISED);
}

void RsanMeetsWait(ThreadState *thr, const SyncVar *s, const rsan_access &access) {
  // (With weak= what an older value does is explored.)
  if (rsan_exploration && !RsanIsWeak() && RsanWatches(thr) && !thr->rsan_own.ignored &&
      rsan_wait_has_older(thr->rsan, s->rsan.location, &access))
    RsanNoteGap(kRsanGap_OLDER);
}

void RsanMeetsBenignRace() {
  RsanNoteGap(kRsanGap_SYNCHRONISED);
}

void RsanLosesRace() {
  if (RsanExplores())
    RsanNoteGap(kRsanGap_RACES);
}

// Unmapping counts as a write: a concurrent access of the memory races with it.
void RsanUnmaps(ThreadState *thr, uptr pc, uptr addr, uptr size) {
  static const uptr kMost = 64 << 20;
  if (!size || !IsAppMem(addr) || !IsAppMem(addr + size - 1))
    return;
  if (size > kMost)
    RsanNoteGapOfMany(kRsanGap_RACES);
  else
    MemoryAccessRange(thr, pc, addr, size, true);
}

template <uptr count> static u64 Sum(const rsan_stat (&stats)[count]) {
  u64 sum = 0;
  for (rsan_stat stat : stats)
    sum += rsan_engine_stat(RsanEngine(), stat);
  return sum;
}

static u64 CountUnseen() {
  static const rsan_stat unseen[] = {RSAN_STAT_foreign_writes, RSAN_STAT_unseen_writes,
                                     RSAN_STAT_unseen_answers, RSAN_STAT_unseen_calls};
  return Sum(unseen);
}

void RsanExcuseUnseen(u64 count) {
  unseen_before += count;
}

static u64 CountDropped() {
  static const rsan_stat dropped[] = {RSAN_STAT_merged_records, RSAN_STAT_dropped_versions,
                                      RSAN_STAT_forced_reuse};
  return Sum(dropped);
}

void RsanForgetReset() {
  epochs_before = ctx->global_epoch;
}

void RsanForgetGaps() {
  RsanForgetReset();
  if (!RsanEngine())
    return;
  unseen_before = CountUnseen();
  dropped_before = CountDropped();
  apart_before = rsan_engine_apart(RsanEngine());
  unchecked_before = RsanUncheckedCount();
}

bool RsanOptionsHideFailures() {
  return !rsan_flags()->races || !flags()->report_bugs || !flags()->report_atomic_races ||
         *flags()->suppressions;
}

static void NoteGapsOfOptions() {
  if (!rsan_flags()->robustness || RsanOptionsHideFailures())
    RsanNoteGap(kRsanGap_SUPPRESSED);
  // These fences are no steps, and their order decides what is found.
  if (rsan_fences_before || *rsan_flags()->simulate)
    RsanNoteGap(kRsanGap_FENCES);
}

void RsanNoteGaps() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  for (u32 i = 0; i < kRsanGapCount; i++)
    if (RsanInheritsGap(static_cast<RsanGap>(i)))
      RsanNoteGap(static_cast<RsanGap>(i));
  NoteGapsOfOptions();
  if (rsan_schedule_state->taken)
    RsanNoteGap(kRsanGap_TAKEN);
  if (RsanHandlesSignals(true))
    RsanNoteGap(kRsanGap_SIGNALS);
  if (rsan_exploration->run.expired)
    RsanNoteGap(kRsanGap_TIMED);
  if (RsanHasUnseenCode())
    RsanNoteGap(kRsanGap_CODE);
  if (ctx->global_epoch != epochs_before)
    RsanNoteGap(kRsanGap_RACES);
  if (!RsanEngine())
    return;
  if (CountUnseen() != unseen_before)
    RsanNoteGap(kRsanGap_UNSEEN);
  if (CountDropped() != dropped_before)
    RsanNoteGap(kRsanGap_HISTORY);
  if (rsan_engine_apart(RsanEngine()) != apart_before)
    RsanNoteGap(kRsanGap_CXX20);
  if (RsanUncheckedCount() != unchecked_before)
    RsanNoteGap(kRsanGap_UNCHECKED);
}

} // namespace __tsan
