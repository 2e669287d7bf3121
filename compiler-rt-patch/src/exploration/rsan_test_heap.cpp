// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_test_heap.h"

#include "base/rsan_exploring.h"
#include "exploration/rsan_graphs.h"
#include "port/rsan_tsan.h"

extern "C" {
#include "rsan/schedule/dpor.h"
}

namespace __tsan {

bool rsan_uses_test_heap, rsan_has_test_heap;

static const uptr kRoom = kRsanTestHeap / RSAN_DPOR_THREADS; // of a thread

// All of them: those whose last run has left blocks are no longer used.
static Vector<uptr> *heaps;
static uptr heap; // the newest one; 0: none is in use
static uptr used[RSAN_DPOR_THREADS];

static bool has_freed;

// 0: setup() and check()
static u32 Self() {
  return RsanOnFibers() ? RsanCurrentFiber() : RsanFollowsGraph() ? RsanGraphSelf() : 0;
}

static void MakeHeap() {
  heap = reinterpret_cast<uptr>(MmapNoReserveOrDie(kRsanTestHeap, "heap of a test"));
  if (!heaps)
    heaps = New<Vector<uptr>>();
  heaps->PushBack(heap);
  rsan_has_test_heap = true;
}

bool RsanIsInTestHeap(const void *block) {
  has_freed |= Self() != 0;
  for (uptr i = 0; i < heaps->Size(); i++)
    if (reinterpret_cast<uptr>(block) - (*heaps)[i] < kRsanTestHeap)
      return true;
  return false;
}

void RsanResetTestHeap() {
  if (!heap)
    MakeHeap();
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++) {
    if (used[i])
      ctx->metamap.FreeRange(cur_thread()->proc(), heap + i * kRoom, used[i], true);
    used[i] = 0;
  }
}

void RsanLeaveTestHeap() {
  bool any = false;
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++) {
    any |= used[i] != 0;
    used[i] = 0;
  }
  if (any)
    heap = 0;
}

bool RsanHasFreed() {
  return has_freed;
}

void RsanForgetFreed() {
  has_freed = false;
}

void *RsanAllocateInTestHeap(uptr size, uptr align) {
  const u32 thread = Self();
  const uptr begin = RoundUp(used[thread], Max<uptr>(align, 16));
  const uptr end = RoundUp(begin + Max<uptr>(size, 1), 16);
  if (size > kRoom || end > kRoom)
    return nullptr;
  used[thread] = end;
  void *block = reinterpret_cast<void *>(heap + thread * kRoom + begin);
  internal_memset(block, kRsanTestHeapFill, size);
  return block;
}

} // namespace __tsan
