// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the runs of an exploration are forked: what each of them would do first is done once.
// Mostly that is memory of which the first use touches much, and reading the list of modules.

#include "exploration/rsan_exploration.h"
#include "schedule/rsan_token.h"
#include "tsan_mman.h"
#include "tsan_rtl.h"

namespace __tsan {

static void MakeSyncVar(ThreadState *thr) {
  u64 object = 0;
  const uptr addr = reinterpret_cast<uptr>(&object);
  SlotLocker locker(thr);
  ctx->metamap.GetSyncOrCreate(thr, 0, addr, false);
  ctx->metamap.FreeRange(thr->proc(), addr, sizeof object, true);
}

void RsanWarmUp(ThreadState *thr) {
  RsanPointOf(rsan_self, RsanCaller(thr));
  user_free(thr, 0, user_alloc(thr, 0, 1), false);
  MakeSyncVar(thr);
}

} // namespace __tsan
