// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the threads that a report names, and adds accesses to it.

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static bool HasUniqueId(ThreadContextBase *context, void *unique_id) {
  return context->status != ThreadStatusInvalid && context->unique_id == (uptr)unique_id;
}

ThreadContext *RsanThreadOf(u32 owner) {
  return static_cast<ThreadContext *>(
      ctx->thread_registry.FindThreadContextLocked(HasUniqueId, (void *)(uptr)owner));
}

Tid RsanTidOf(u32 owner) {
  ThreadRegistryLock lock(&ctx->thread_registry);
  const ThreadContext *thread = RsanThreadOf(owner);
  return thread ? thread->tid : kInvalidTid;
}

void RsanAddAtomic(ScopedReport *report, uptr addr, uptr size, Tid tid, StackTrace stack,
                   const MutexSet *mutexes, bool write) {
  report->AddMemoryAccess(addr, kExternalTagNone, Shadow(Shadow::kEmpty), tid, stack, mutexes);
  const auto &accesses = report->GetReport()->mops;
  ReportMop *mop = accesses[accesses.Size() - 1];
  mop->addr = addr;
  mop->size = static_cast<int>(size);
  mop->write = write;
  mop->atomic = true;
}

bool RsanWaits(const rsan_access &access) {
  return !access.compares && (access.check == RSAN_CHECK_WAIT || access.check == RSAN_CHECK_BCAS);
}

} // namespace __tsan
