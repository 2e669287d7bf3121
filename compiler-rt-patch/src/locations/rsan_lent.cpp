// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rule: from the moment that an object is lent, a function that is not instrumented may write to it
// whenever one runs, since it may have kept the address. So each call of such a function, when it
// begins and when it has returned, makes the histories of all lent objects end. The next access to
// such an object finds a value that was not seen to be written (rsan_unseen.cpp), and acquires
// everything that any thread has done so far. What the calling thread did before the call is part
// of that, and the caller itself acquires everything when the call returns (rsan_calls.cpp).
//
// A block of the heap has a bit in TSan's description of it, which is freed with it. Other memory
// is in a table of ranges.
//
// Deviation 1: only what an argument points to is lent, not what is reached from there through
// other pointers, and of memory outside the heap only as much as the compiler knows the size of.
// Deviation 2: a range stays lent when the memory gets another use, as a stack does. This can only
// hide violations. If the table is full, a range is extended instead, which hides as well.
// Deviation 3: what a function that is called back does is released when the call that calls back
// begins and ends, and where the function makes such calls itself, but not when it returns.

#include "locations/rsan_lent.h"

#include "base/rsan_unchecked.h"
#include "port/rsan_tsan.h"

namespace __tsan {

struct LentRange {
  uptr begin, end;
};

static const u16 kLentTag = 1 << 15; // above all tags that TSan gives to blocks
static const uptr kMostRanges = 1 << 14, kWord = 8;

static StaticSpinMutex lent_mutex; // nothing else is locked while it is held
static Vector<LentRange> *ranges SANITIZER_GUARDED_BY(lent_mutex); // ordered, no two overlap
// Lent objects with a history: addresses. `in_use` is their number, and is read without the lock.
static Vector<uptr> *objects SANITIZER_GUARDED_BY(lent_mutex);
static atomic_uint64_t in_use, any_lent;

// The ranges that were lent last, so that lending one again takes no lock. Words are hashes of
// begin and end.
static const uptr kRecent = 256;
static atomic_uint64_t recent[kRecent];

static u64 HashOf(LentRange range) {
  return range.begin * 0x9e3779b97f4a7c15ull ^ (range.end << 1 | 1);
}

MBlock *RsanBlockOf(uptr address, uptr *begin) {
  void *at = reinterpret_cast<void *>(address);
  if (!allocator()->PointerIsMine(at))
    return nullptr;
  *begin = reinterpret_cast<uptr>(allocator()->GetBlockBegin(at));
  return *begin ? ctx->metamap.GetBlock(*begin) : nullptr;
}

// The index of the first range that ends behind the address.
static uptr FirstBehind(uptr address) SANITIZER_REQUIRES(lent_mutex) {
  uptr low = 0, high = ranges->Size();
  while (low < high) {
    const uptr middle = (low + high) / 2;
    if ((*ranges)[middle].end > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void InsertAt(uptr index, LentRange range) SANITIZER_REQUIRES(lent_mutex) {
  ranges->PushBack(range);
  for (uptr i = ranges->Size() - 1; i > index; i--)
    (*ranges)[i] = (*ranges)[i - 1];
  (*ranges)[index] = range;
}

// Joins the range with all that it overlaps. Returns false if it was lent already.
static bool AddRange(LentRange range) SANITIZER_REQUIRES(lent_mutex) {
  if (!ranges)
    ranges = New<Vector<LentRange>>();
  const uptr first = FirstBehind(range.begin), size = ranges->Size();
  uptr last = first; // behind the ranges that it overlaps
  while (last < size && (*ranges)[last].begin < range.end)
    last++;
  if (first == last) {
    if (size < kMostRanges)
      InsertAt(first, range);
    else if (first)
      (*ranges)[first - 1].end = range.end;
    else
      (*ranges)[0].begin = range.begin;
    return true;
  }
  LentRange *into = &(*ranges)[first];
  if (into->begin <= range.begin && range.end <= into->end)
    return false;
  into->begin = Min(into->begin, range.begin);
  into->end = Max((*ranges)[last - 1].end, range.end);
  const uptr joined = last - first - 1;
  for (uptr i = first + 1; i + joined < size; i++)
    (*ranges)[i] = (*ranges)[i + joined];
  ranges->Resize(size - joined);
  return true;
}

static bool LendRange(LentRange range) {
  atomic_uint64_t *kept = &recent[(range.begin >> 3) % kRecent];
  const u64 hash = HashOf(range);
  if (atomic_load_relaxed(kept) == hash)
    return false;
  SpinMutexLock lock(&lent_mutex);
  const bool added = AddRange(range);
  atomic_store_relaxed(kept, hash);
  return added;
}

// A location that is made after the bit or the range is there finds it. One that was there before
// is found here.
void RsanLend(ThreadState *thr, uptr address, uptr size) {
  const uptr kSmallest = 1 << 12, kUserEnd = 1ull << 47; // no object lies elsewhere
  if (address < kSmallest || address >= kUserEnd || !RsanEngine())
    return;
  LentRange range = {address, address + (size ? size : kWord)};
  uptr begin;
  if (MBlock *block = RsanBlockOf(address, &begin)) {
    if (block->tag)
      return;
    block->tag = kLentTag;
    range = {begin, begin + block->siz};
  } else if (!LendRange(range)) {
    return;
  }
  atomic_store(&any_lent, 1, memory_order_seq_cst);
  RsanForgetValues(thr, range.begin, range.end - range.begin);
}

// The fence: an object that is not counted yet is accessed by a thread that acquires everything
// after that (rsan/engine/unseen.c), so also what this thread has done before the fence.
void RsanForgetLent(ThreadState *thr) {
  atomic_thread_fence(memory_order_seq_cst);
  if (!atomic_load_relaxed(&in_use))
    return;
  Vector<uptr> *forgotten;
  {
    SpinMutexLock lock(&lent_mutex);
    forgotten = objects;
    objects = nullptr;
    atomic_store_relaxed(&in_use, 0);
  }
  if (!forgotten)
    return;
  for (uptr i = 0; i < forgotten->Size(); i++) {
    RsanForgetValues(thr, (*forgotten)[i], 1);
    RsanCountUnchecked(kRsanUnchecked_LENT);
  }
  DestroyAndFree(forgotten);
}

static bool IsLent(uptr address) SANITIZER_REQUIRES(lent_mutex) {
  if (!ranges)
    return false;
  const uptr index = FirstBehind(address);
  return index < ranges->Size() && (*ranges)[index].begin <= address;
}

bool RsanFindsLent(uptr address) {
  if (!atomic_load(&any_lent, memory_order_seq_cst))
    return false;
  uptr begin;
  const MBlock *block = RsanBlockOf(address, &begin);
  SpinMutexLock lock(&lent_mutex);
  if (block ? block->tag != kLentTag : !IsLent(address))
    return false;
  if (!objects)
    objects = New<Vector<uptr>>();
  objects->PushBack(address);
  atomic_store_relaxed(&in_use, objects->Size());
  return true;
}

} // namespace __tsan
