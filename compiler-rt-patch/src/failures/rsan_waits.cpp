// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds for each thread of a scheduled run what it waits for.

#include "common/rsan_source_name.h"
#include "failures/rsan_failure.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static bool IsAccess(u8 kind) {
  return kind == RSAN_KIND_LOAD || kind == RSAN_KIND_STORE || kind == RSAN_KIND_RMW ||
         kind == RSAN_KIND_SPIN || kind == RSAN_KIND_FENCE;
}

static bool IsLock(u8 kind) {
  return kind == RSAN_KIND_LOCK || kind == RSAN_KIND_READ_LOCK || kind == RSAN_KIND_TRY_LOCK;
}

// (The owner may unlock the mutex meanwhile, unless nobody runs.)
Tid RsanOwnerOf(uptr mutex) {
  const SyncVar *s = IsAppMem(mutex) ? ctx->metamap.GetSyncIfExists(mutex) : nullptr;
  return s ? s->owner_tid : kInvalidTid;
}

static u64 HashOfStack(u64 hash, StackTrace stack, uptr left_out) {
  for (uptr i = 0; i + left_out < stack.size; i++)
    hash = (hash ^ stack.trace[i]) * 0x100000001b3;
  return hash;
}

// A loop that waits is found at one of its operations, any: its function's caller stands for it.
static u64 KeyOf(const rsan_pending &pending, ThreadState *thr) {
  const bool waits = pending.until != RSAN_UNTIL_NOTHING && !IsAccess(pending.kind);
  const u64 hash = RSAN_HASH_START ^ (waits ? pending.kind : 0xff);
  const StackID stack = CurrentStackId(thr, 0);
  return HashOfStack(hash, StackDepotGet(stack), !waits && !IsAccess(pending.kind));
}

static RsanWait WaitOf(u32 id) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const RsanScheduleState *state = rsan_schedule_state;
  const rsan_pending &pending = state->schedule.threads.thread[id].pending;
  ThreadState *thr = state->threads[id]->thr;
  RsanWait wait = {};
  wait.tid = thr->tid;
  wait.kind = RsanKindText(pending.kind);
  wait.other = kInvalidTid;
  if (pending.until == RSAN_UNTIL_END) {
    wait.other = state->threads[pending.object]->thr->tid;
    wait.derived = true;
  } else {
    wait.object = static_cast<uptr>(pending.object);
    if (IsLock(pending.kind))
      wait.other = RsanOwnerOf(wait.object);
  }
  wait.stack = CurrentStackId(thr, IsAccess(pending.kind) ? RsanAddressOf(pending.point) : 0);
  wait.key = KeyOf(pending, thr);
  return wait;
}

bool RsanDescribeScheduled(ThreadState *thr, RsanWait *wait) {
  if (!rsan_schedules)
    return false;
  RsanScheduleLock lock;
  const rsan_threads &threads = rsan_schedule_state->schedule.threads;
  for (u32 id = 0; id < threads.count; id++) {
    const RsanScheduled *scheduled = rsan_schedule_state->threads[id];
    const bool pends = threads.thread[id].state == RSAN_THREAD_PENDING && scheduled->thr == thr;
    if (pends)
      *wait = WaitOf(id);
    if ((pends && threads.thread[id].pending.until == RSAN_UNTIL_NOTHING) ||
        wait->object == reinterpret_cast<uptr>(&scheduled->chosen)) {
      wait->kind = "wait for its turn in the schedule";
      wait->object = 0;
      wait->derived = true;
    }
    if (pends)
      return true;
  }
  return false;
}

void RsanCollectWaits(Vector<RsanWait> *waits) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const rsan_threads &threads = rsan_schedule_state->schedule.threads;
  bool all_join = true;
  for (u32 id = 0; id < threads.count; id++) {
    if (threads.thread[id].state != RSAN_THREAD_PENDING)
      continue;
    waits->PushBack(WaitOf(id));
    all_join &= (*waits)[waits->Size() - 1].derived;
  }
  for (uptr i = 0; all_join && i < waits->Size(); i++)
    (*waits)[i].derived = false;
}

u64 RsanNumberOfWaits(const Vector<RsanWait> &waits, u64 number) {
  u64 sum = 0; // of threads, in any order
  for (uptr i = 0; i < waits.Size(); i++)
    if (!waits[i].derived)
      sum += waits[i].key * 0x9e3779b97f4a7c15;
  return (RSAN_HASH_START ^ number ^ sum) * 0x100000001b3;
}

} // namespace __tsan
