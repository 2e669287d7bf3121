// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TSan's processors, which hold a thread's caches of free memory: the memory of one that has been
// destroyed is the next one's. To map and unmap 100 KiB for each thread costs more than its
// creation.
//
// A processor that was drained is as good as one in zeroed memory: its caches are empty, and what
// they know of their classes of sizes is the same for all. There is no lock that a fork could find
// taken: whoever wants a processor takes the whole list, and puts the rest back, as a rule where
// nothing has come meanwhile.

#include "rsan_shim.h"
#include "tsan_rtl.h"

namespace __tsan {

struct FreeProcessor {
  FreeProcessor *next;
};
static_assert(__builtin_offsetof(Processor, thr) == 0, "the link is where ProcCreate writes");
static atomic_uintptr_t free_processors; // a FreeProcessor

static void PutBack(FreeProcessor *first, FreeProcessor *last) {
  uptr head = atomic_load_relaxed(&free_processors);
  do
    last->next = reinterpret_cast<FreeProcessor *>(head);
  while (!atomic_compare_exchange_weak(&free_processors, &head, reinterpret_cast<uptr>(first),
                                       memory_order_release));
}

void *RsanProcessorMemory() {
  auto *first =
      reinterpret_cast<FreeProcessor *>(atomic_exchange(&free_processors, 0, memory_order_acquire));
  if (!first)
    return MmapOrDie(sizeof(Processor), "processor");
  FreeProcessor *rest = first->next, *last = rest;
  uptr none = 0;
  if (!rest || atomic_compare_exchange_strong(&free_processors, &none, reinterpret_cast<uptr>(rest),
                                              memory_order_release))
    return first;
  while (last->next)
    last = last->next;
  PutBack(rest, last);
  return first;
}

void RsanProcessorIsFree(void *memory) {
  auto *processor = static_cast<FreeProcessor *>(memory);
  PutBack(processor, processor);
}

} // namespace __tsan
