// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A processor of TSan's holds a thread's caches of free memory. The memory of a destroyed processor
// is used for the next one: otherwise each thread would map and unmap 100 KiB.
//
// The memory need not be zeroed again. A destroyed processor's caches are empty, and what they know
// of the classes of sizes is the same for all processors.
//
// The runs of an exploration do not destroy processors at all. They are short and many, and to
// empty the caches of one thread and fill those of the next touches more memory than the thread
// itself.

#include "base/rsan_shim.h"
#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

struct FreeProcessor {
  FreeProcessor *next;
};
static_assert(__builtin_offsetof(Processor, thr) == 0, "the link is where ProcCreate writes");

// It has no lock, which a fork might find held by a thread that the child does not have. A thread
// that needs a processor takes the whole list by an exchange and puts the rest back. That is one
// compare-exchange as long as no other thread has added to the list in between.
class FreeList {
public:
  void Put(void *memory) {
    auto *processor = static_cast<FreeProcessor *>(memory);
    PutBack(processor, processor);
  }

  // Null: there is none.
  void *Take() {
    auto *first =
        reinterpret_cast<FreeProcessor *>(atomic_exchange(&head_, 0, memory_order_acquire));
    if (!first)
      return nullptr;
    FreeProcessor *rest = first->next, *last = rest;
    uptr none = 0;
    if (!rest || atomic_compare_exchange_strong(&head_, &none, reinterpret_cast<uptr>(rest),
                                                memory_order_release))
      return first;
    while (last->next)
      last = last->next;
    PutBack(rest, last);
    return first;
  }

private:
  void PutBack(FreeProcessor *first, FreeProcessor *last) {
    uptr head = atomic_load_relaxed(&head_);
    do
      last->next = reinterpret_cast<FreeProcessor *>(head);
    while (!atomic_compare_exchange_weak(&head_, &head, reinterpret_cast<uptr>(first),
                                         memory_order_release));
  }

  atomic_uintptr_t head_; // a FreeProcessor
};

} // namespace

static FreeList destroyed, kept;
static bool keeps;

void *RsanProcessorMemory() {
  void *memory = destroyed.Take();
  return memory ? memory : MmapOrDie(sizeof(Processor), "processor");
}

void RsanProcessorIsFree(void *memory) {
  destroyed.Put(memory);
}

void RsanKeepProcessors() {
  keeps = true;
}

Processor *RsanKeptProcessor() {
  auto *processor = static_cast<Processor *>(keeps ? kept.Take() : nullptr);
  if (processor)
    processor->thr = nullptr;
  return processor;
}

bool RsanKeepProcessor(Processor *processor) {
  if (keeps)
    kept.Put(processor);
  return keeps;
}

} // namespace __tsan
