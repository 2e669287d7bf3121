// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal allocator keeps free blocks in a list for each size class. Here pages go back to the
// system in which all blocks have been free for a while (kSpan). Without that each class would hold
// as much memory as it has ever used. That is much for a program whose threads come and go: the
// core's clocks grow with the number of threads, through a dozen size classes, and some MiB would
// stay unused in each class that they have left behind.

#ifndef RSAN_FREE_BLOCKS_H
#define RSAN_FREE_BLOCKS_H

#include "port/rsan_common.h"

namespace __sanitizer {

// The list of a class's free blocks is last in, first out: so the blocks at its end have been idle
// since there were the fewest. Counts the blocks, as batches of them are taken and given.
class RsanIdleBlocks {
public:
  void Taken(uptr blocks) {
    count_ -= blocks;
    fewest_ = Min(fewest_, count_);
  }

  // True: it is time to ask how many are idle.
  bool Given(uptr blocks, uptr size) {
    count_ += blocks;
    given_ += blocks;
    return given_ * size >= kLeast;
  }

  // The number of blocks that have been idle for kSpan or longer, as far as it is known; 0: too few
  // to care about. They leave the list.
  uptr Leave(uptr size) {
    const u64 now = MonotonicNanoTime();
    if (now - since_ < kSpan)
      return 0;
    const uptr idle = fewest_ * size >= kLeast ? fewest_ : 0;
    count_ -= idle;
    fewest_ = count_;
    given_ = 0;
    since_ = now;
    return idle;
  }

  void Return(uptr blocks) { count_ += blocks; }
  uptr count() const { return count_; }

private:
  static const uptr kLeast = 128 << 10;
  static const u64 kSpan = 100 * 1000 * 1000; // ns

  uptr count_, fewest_, given_; // the latter two since the last question
  u64 since_;
};

// For each block of a batch but that in which the batch lies itself.
template <typename Batch, typename Visit> void RsanForEachOther(const Batch *batch, Visit visit) {
  void *blocks[Batch::kMaxNumCached];
  batch->CopyToArray(blocks);
  for (uptr i = 0; i < batch->Count(); i++)
    if (blocks[i] != batch)
      visit(reinterpret_cast<uptr>(blocks[i]));
}

// For each page in which a part of the block lies: with the number of bytes.
template <typename Visit> void RsanForEachPage(uptr begin, uptr size, Visit visit) {
  const uptr page_size = 4096, end = begin + size;
  for (uptr next; begin < end; begin = next) {
    const uptr page = RoundDownTo(begin, page_size);
    next = Min(end, page + page_size);
    visit(page, next - begin, page_size);
  }
}

// Adds the blocks of a batch to the idle ones. `idle_bytes` has for each page the number of its
// bytes that are in idle blocks; a page of which all are is given back to the system.
template <typename Batch, typename Bytes>
void RsanRetire(const Batch *batch, uptr size, Bytes *idle_bytes) {
  RsanForEachOther(batch, [=](uptr block) {
    RsanForEachPage(block, size, [=](uptr page, uptr bytes, uptr page_size) {
      u16 &idle = (*idle_bytes)[page / page_size];
      idle += bytes;
      if (idle == page_size)
        ReleaseMemoryPagesToOS(page, page + page_size);
    });
  });
}

// The blocks of the batch are used again.
template <typename Batch, typename Bytes>
void RsanRecall(const Batch *batch, uptr size, Bytes *idle_bytes) {
  RsanForEachOther(batch, [=](uptr block) {
    RsanForEachPage(block, size, [=](uptr page, uptr bytes, uptr page_size) {
      (*idle_bytes)[page / page_size] -= bytes;
    });
  });
}

} // namespace __sanitizer

#endif
