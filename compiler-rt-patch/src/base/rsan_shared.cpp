// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that other processes may have as well: what is mapped with MAP_SHARED or attached by
// shmat, and semaphores with names.
//
// Deviation: a range of which the program has unmapped a part, or which it has detached by shmdt,
// stays until a mapping takes all of its place. Values there count as unseen until then, which only
// hides violations.

#include "base/rsan_shim.h"
#include "port/rsan_tsan.h"

namespace __tsan {

struct Range {
  uptr begin, end;
};
static const u32 kRanges = 256;      // if there were more, all memory counts as shared
static StaticSpinMutex ranges_mutex; // not in the child of a fork of several threads
static Range ranges[kRanges];
static atomic_uint32_t ranges_count; // ranges in use are before it; kRanges + 1: there were more
// They span all ranges that there have been; if these were more than kRanges, all memory.
atomic_uintptr_t rsan_shared_begin, rsan_shared_end;
static atomic_uint32_t shares_memory;

static void DropWithin(Range range) {
  for (u32 i = 0; i < Min(atomic_load_relaxed(&ranges_count), kRanges); i++)
    if (range.begin <= ranges[i].begin && ranges[i].end <= range.end)
      ranges[i] = {0, 0};
}

static void AddRange(Range range) {
  u32 count = atomic_load_relaxed(&ranges_count);
  uptr begin = atomic_load_relaxed(&rsan_shared_begin), end = atomic_load_relaxed(&rsan_shared_end);
  atomic_store_relaxed(&rsan_shared_begin, count ? Min(begin, range.begin) : range.begin);
  atomic_store_relaxed(&rsan_shared_end, Max(end, range.end));
  DropWithin(range);
  for (u32 i = 0; i < Min(count, kRanges); i++)
    if (!ranges[i].end) {
      ranges[i] = range;
      return;
    }
  if (count < kRanges) {
    ranges[count] = range;
  } else {
    atomic_store_relaxed(&rsan_shared_begin, 0);
    atomic_store_relaxed(&rsan_shared_end, ~uptr(0));
  }
  atomic_store(&ranges_count, Min(count + 1, kRanges + 1), memory_order_release);
}

void RsanShared(uptr addr, uptr size) {
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&ranges_mutex);
  AddRange({addr, addr + size});
}

void RsanUnshare(uptr addr, uptr size) {
  if (!atomic_load_relaxed(&ranges_count) || ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&ranges_mutex);
  DropWithin({addr, addr + size});
}

void RsanShareMapping(uptr addr, uptr size) {
  atomic_store_relaxed(&shares_memory, 1);
  RsanShared(addr, size);
}

bool RsanSharesMemory() {
  return atomic_load_relaxed(&shares_memory);
}

bool RsanIsInSharedRange(uptr addr) {
  if (ctx->after_multithreaded_fork)
    return false;
  SpinMutexLock lock(&ranges_mutex);
  u32 count = atomic_load_relaxed(&ranges_count);
  bool found = count > kRanges;
  for (u32 i = 0; !found && i < count; i++)
    found = ranges[i].begin <= addr && addr < ranges[i].end;
  return found;
}

} // namespace __tsan
