// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A processor of TSan's holds a thread's caches of free memory. The memory of a destroyed processor
// is used for the next one: otherwise each thread would map and unmap 100 KiB.
//
// The memory need not be zeroed again. A destroyed processor's caches are empty, and what they know
// of the classes of sizes is the same for all processors.
//
// The free list has no lock, which a fork might find held by a thread that the child does not have.
// A thread that needs a processor takes the whole list by an exchange and puts the rest back. That
// is one compare-exchange as long as no other thread has added to the list in between.

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
