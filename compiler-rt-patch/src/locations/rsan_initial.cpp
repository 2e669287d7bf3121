// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "locations/rsan_initial.h"

#include "base/rsan_state.h"

namespace __tsan {

// Threads write and read entries without a lock. The key is a hash of all that the entry says. An
// entry that two threads wrote at once, or that was read while it was written, does not have that
// key, and is ignored.
struct Entry {
  atomic_uint64_t key, value, who;
};

static const u32 kBucketBits = 15, kBuckets = 1 << kBucketBits;

// A hash table. A bucket is empty (0) or has the number of its entry, plus one. It gets an entry at
// the first write, and entries are given out in order, so that of their 768 KiB only the pages that
// are in use are in memory. If two threads write to an empty bucket at once, each takes an entry,
// and one of these is lost. Once all entries are given out, buckets share them.
static atomic_uint16_t buckets[kBuckets];
static Entry entries[kBuckets];
static atomic_uint32_t taken;

static atomic_uint16_t *BucketOf(uptr addr) {
  return &buckets[(addr * 0x9e3779b97f4a7c15) >> (64 - kBucketBits)];
}

// The entry of the object's bucket; null if the bucket is empty.
static Entry *FindEntry(uptr addr) {
  u32 number = atomic_load_relaxed(BucketOf(addr));
  return number ? &entries[number - 1] : nullptr;
}

static Entry *FindOrTakeEntry(uptr addr) {
  if (Entry *entry = FindEntry(addr))
    return entry;
  u32 number = atomic_fetch_add(&taken, 1, memory_order_relaxed) % kBuckets;
  atomic_store_relaxed(BucketOf(addr), static_cast<u16>(number + 1));
  return &entries[number];
}

static u64 KeyOf(uptr addr, u64 value, u64 who) {
  return addr ^ (value * 0x9e3779b97f4a7c15) ^ (who * 0xc2b2ae3d27d4eb4f);
}

static u64 Who(u32 size, Sid sid, Epoch epoch) {
  return u64{size} << 32 | static_cast<u64>(sid) << 16 | static_cast<u64>(epoch);
}

bool RsanFindInitial(uptr addr, u32 size, RsanInitial *initial) {
  Entry *entry = FindEntry(addr);
  if (!entry)
    return false;
  u64 value = atomic_load_relaxed(&entry->value), who = atomic_load_relaxed(&entry->who);
  if (atomic_load_relaxed(&entry->key) != KeyOf(addr, value, who) || who >> 32 != size)
    return false;
  *initial = {value, static_cast<Sid>(who >> 16 & 0xff), static_cast<Epoch>(who & 0xffff)};
  return true;
}

} // namespace __tsan

using namespace __tsan;

// Called by the compiler's pass after a plain store that initialises an atomic object.
extern "C" SANITIZER_INTERFACE_ATTRIBUTE void __rsan_initialised(uptr addr, u32 size, u64 value) {
  if (!RsanEngine())
    return;
  FastState state = cur_thread()->fast_state;
  u64 who = Who(size, state.sid(), state.epoch());
  Entry *entry = FindOrTakeEntry(addr);
  atomic_store_relaxed(&entry->value, value);
  atomic_store_relaxed(&entry->who, who);
  atomic_store_relaxed(&entry->key, KeyOf(addr, value, who));
}
