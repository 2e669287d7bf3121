// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program points of schedules: the same number in each run of a binary, wherever it is loaded.

#include "places/rsan_modules.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static const u32 kOffsetBits = 48;
static atomic_uint32_t generation;

namespace {

struct Module {
  u16 key;
  uptr base;
};

} // namespace

// Modules of points that were met; more of them are not named.
static const uptr kModules = 64;
static StaticSpinMutex mutex;
static Module modules[kModules] SANITIZER_GUARDED_BY(mutex);
static uptr module_count SANITIZER_GUARDED_BY(mutex);

static u16 KeyOf(const char *module) {
  u64 hash = 0xcbf29ce484222325;
  for (const char *c = StripModuleName(module); *c; c++)
    hash = (hash ^ static_cast<u8>(*c)) * 0x100000001b3;
  return static_cast<u16>(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}

static void Remember(u16 key, uptr base) {
  SpinMutexLock lock(&mutex);
  for (uptr i = 0; i < module_count; i++)
    if (modules[i].key == key) {
      modules[i].base = base;
      return;
    }
  if (module_count < kModules)
    modules[module_count++] = {key, base};
}

static u64 FindPoint(uptr pc) {
  uptr offset, call = StackTrace::GetPreviousInstructionPc(pc);
  const char *module = pc ? RsanModuleAt(call, &offset) : nullptr;
  if (!module)
    return 0;
  u16 key = KeyOf(module);
  Remember(key, call - offset);
  return static_cast<u64>(key) << kOffsetBits | (offset & ((1ull << kOffsetBits) - 1));
}

u64 RsanPointOf(RsanScheduled *thread, uptr pc) {
  u32 now = atomic_load_relaxed(&generation);
  RsanPointCache *cache = &thread->points;
  if (UNLIKELY(cache->generation != now)) {
    internal_memset(cache, 0, sizeof *cache);
    cache->generation = now;
  }
  static_assert(RsanPointCache::kEntries == 64, "six bits choose one");
  RsanPointCache::Entry *entry = &cache->entries[(pc * 0x9e3779b97f4a7c15ull) >> 58];
  if (entry->pc != pc)
    *entry = {pc, FindPoint(pc)};
  return entry->point;
}

uptr RsanAddressOf(u64 point) {
  SpinMutexLock lock(&mutex);
  for (uptr i = 0; i < module_count; i++)
    if (point && modules[i].key == point >> kOffsetBits)
      return modules[i].base + (point & ((1ull << kOffsetBits) - 1));
  return 0;
}

void RsanScheduleForgetCode() {
  atomic_fetch_add(&generation, 1, memory_order_relaxed);
}

} // namespace __tsan
