// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the runs of an exploration are forked: what each of them would do first is done once.
// Mostly that is memory of which the first use touches much.

#include "exploration/rsan_exploration.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static void MakeSyncVar(ThreadState *thr) {
  u64 object = 0;
  const uptr addr = reinterpret_cast<uptr>(&object);
  SlotLocker locker(thr);
  ctx->metamap.GetSyncOrCreate(thr, 0, addr, false);
  ctx->metamap.FreeRange(thr->proc(), addr, sizeof object, true);
}

// The newest one that was stored before all runs, by number: they are in a row.
static u32 newest_stack;

static void SkipStacks() {
  while (StackDepotGet(newest_stack + 1).size)
    newest_stack++;
}

void RsanTellStacks(RsanExploration *shared) {
  for (u32 id = newest_stack + 1;; id++) {
    const StackTrace stack = StackDepotGet(id);
    const u32 at = shared->stack_words;
    if (!stack.size || at + 2 + stack.size > kRsanStackWords)
      return;
    shared->stacks[at] = stack.size;
    shared->stacks[at + 1] = stack.tag;
    internal_memcpy(&shared->stacks[at + 2], stack.trace, stack.size * sizeof *stack.trace);
    shared->stack_words = at + 2 + stack.size;
  }
}

void RsanLearnStacks(const RsanExploration &shared) {
  for (u32 at = 0; at < shared.stack_words; at += 2 + static_cast<u32>(shared.stacks[at]))
    StackDepotPut(StackTrace(&shared.stacks[at + 2], static_cast<u32>(shared.stacks[at]),
                             static_cast<u32>(shared.stacks[at + 1])));
  SkipStacks();
}

// Makes TSan's processors for the threads that a run creates, and fills their caches with free
// memory of the sizes that the runtime asks for most. Each run has a copy of them.
static void MakeProcessors(ThreadState *thr) {
  static const u32 kThreads = 4;
  static const uptr kLargest = 2048, kStep = 16;
  Processor *const own = thr->proc();
  Processor *made[kThreads];
  ProcUnwire(own, thr);
  for (Processor *&processor : made) {
    processor = ProcCreate();
    ProcWire(processor, thr);
    user_free(thr, 0, user_alloc(thr, 0, 1), false);
    for (uptr size = kStep; size <= kLargest; size += kStep)
      FreeImpl(Alloc(size));
    ProcUnwire(processor, thr);
  }
  RsanKeepProcessors();
  for (Processor *processor : made)
    ProcDestroy(processor);
  ProcWire(own, thr);
}

// fork does not copy the page tables of a file's mapping, such as code, unless the mapping has a
// private page. Without them a run has a page fault for each piece of code that it executes. So
// each mapping of code gets a private page here: its first byte is overwritten by itself. (If the
// kernel refuses that, runs are only slower.)
static void KeepPageTables() {
  const fd_t memory = OpenFile("/proc/self/mem", RdWr);
  if (memory == kInvalidFd)
    return;
  InternalMmapVector<char> path(kMaxPathLength);
  MemoryMappingLayout mappings(false);
  MemoryMappedSegment segment(path.data(), path.size());
  while (mappings.Next(&segment)) {
    if (path[0] != '/' || !segment.IsExecutable() || segment.IsWritable())
      continue;
    const auto *first = reinterpret_cast<const char *>(segment.start);
    if (!internal_iserror(internal_lseek(memory, static_cast<OFF_T>(segment.start), 0)))
      internal_write(memory, first, 1);
  }
  CloseFile(memory);
}

void RsanWarmUp(ThreadState *thr) {
  SkipStacks();
  MakeProcessors(thr);
  KeepPageTables();
  RsanPointOf(rsan_self, RsanCaller(thr));
  user_free(thr, 0, user_alloc(thr, 0, 1), false);
  MakeSyncVar(thr);
}

} // namespace __tsan
