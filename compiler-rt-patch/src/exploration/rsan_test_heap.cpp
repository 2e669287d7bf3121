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

// In front of a block.
struct Head {
  uptr size;  // rounded
  Head *next; // of those that the thread has freed
};
static_assert(sizeof(Head) == 16, "blocks are aligned to 16 bytes");
static Head *freed[RSAN_DPOR_THREADS];

// The thread frees the block. In an interleaving it gets it again.
static void Free(const void *block) {
  const u32 thread = Self();
  has_freed |= thread != 0;
  if (!RsanOnFibers() || rsan_follows_graphs)
    return;
  Head *head = static_cast<Head *>(const_cast<void *>(block)) - 1;
  head->next = freed[thread];
  freed[thread] = head;
}

// Returns the block of that size that the thread has freed last; null: there is none.
static Head *TakeFreed(u32 thread, uptr size, uptr align) {
  for (Head **at = &freed[thread]; *at; at = &(*at)->next)
    if ((*at)->size == size && IsAligned(reinterpret_cast<uptr>(*at + 1), align)) {
      Head *head = *at;
      *at = head->next;
      return head;
    }
  return nullptr;
}

bool RsanIsInTestHeap(const void *block) {
  for (uptr i = 0; i < heaps->Size(); i++)
    if (reinterpret_cast<uptr>(block) - (*heaps)[i] < kRsanTestHeap) {
      if ((*heaps)[i] == heap)
        Free(block);
      return true;
    }
  return false;
}

void RsanResetTestHeap() {
  if (!heap)
    MakeHeap();
  for (u32 i = 0; i < RSAN_DPOR_THREADS; i++) {
    if (used[i])
      ctx->metamap.FreeRange(cur_thread()->proc(), heap + i * kRoom, used[i], true);
    used[i] = 0;
    freed[i] = nullptr;
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
  const uptr rounded = RoundUp(Max<uptr>(size, 1), 16);
  Head *head = TakeFreed(thread, rounded, align);
  if (!head) {
    const uptr begin = RoundUp(used[thread] + sizeof(Head), Max<uptr>(align, 16));
    if (size > kRoom || begin + rounded > kRoom)
      return nullptr;
    used[thread] = begin + rounded;
    head = reinterpret_cast<Head *>(heap + thread * kRoom + begin) - 1;
    head->size = rounded;
  }
  void *block = head + 1;
  internal_memset(block, kRsanTestHeapFill, size);
  return block;
}

} // namespace __tsan
