// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the threads that a report names, adds accesses to it, and names objects.

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

const char *RsanOrderName(rsan_order order) {
  static const char *const names[] = {"memory_order_relaxed", "memory_order_consume",
                                      "memory_order_acquire", "memory_order_release",
                                      "memory_order_acq_rel", "memory_order_seq_cst"};
  return names[order];
}

void RsanRenderThread(InternalScopedString *text, Tid tid) {
  if (tid == kInvalidTid)
    text->Append("a finished thread");
  else if (tid == kMainTid)
    text->Append("main");
  else
    text->AppendF("T%d", tid);
}

static Tid FindThreadOfMemory(uptr address, bool *is_stack) {
  ThreadRegistryLock lock(&ctx->thread_registry);
  const ThreadContext *thread = IsThreadStackOrTls(address, is_stack);
  return thread ? thread->tid : kInvalidTid;
}

// "flag0", "flags+4", "0x7ffe2a0c (stack of main)"; false: nothing is known of the address.
bool RsanRenderName(InternalScopedString *text, uptr address) {
  DataInfo info;
  bool is_stack = false, known = true;
  Tid tid;
  if (RsanSymbolizeData(address, &info) && info.name && internal_strcmp(info.name, "<null>") != 0) {
    text->Append(info.name);
    if (info.start && address != info.start)
      text->AppendF("+%zu", address - info.start);
  } else if ((tid = FindThreadOfMemory(address, &is_stack)) != kInvalidTid) {
    text->AppendF("%p (%s of ", (void *)address, is_stack ? "stack" : "TLS");
    RsanRenderThread(text, tid);
    text->Append(")");
  } else {
    known = false;
  }
  info.Clear();
  return known;
}

} // namespace __tsan
