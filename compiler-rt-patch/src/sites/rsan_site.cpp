// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trie of sites: nodes in the order in which they were made, and a hash table of their numbers
// by parent and program point. Nodes are never removed or changed, so readers need no lock: they
// find a number in the table by an acquire load, and the node was written before.

#include "sites/rsan_site.h"

#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

struct Site {
  uptr pc;
  u32 parent;
};

// Numbers of nodes, by hash and linear probing; at most half of the entries are taken.
struct Table {
  u32 mask;
  atomic_uint32_t sites[1]; // `mask` + 1 of them
};

} // namespace

// 64 MiB of nodes and 32 MiB of the table. A site that finds the trie full becomes a child of the
// root: a report shows its program point without the calls. There are as many nodes again for
// these.
static const u32 kMost = 1 << 22, kMostWithoutCalls = 2 * kMost;
static const u32 kFirstTable = 1 << 10; // entries

static StaticSpinMutex mutex; // of what follows, except for reading
static TwoLevelMap<Site, 1 << 12, 1 << 11> nodes;
static_assert((1u << 12) * (1u << 11) >= kMostWithoutCalls, "each node has a place");
static u32 node_count = kRsanRootSite; // without number 0
static u64 cut_sites;
static atomic_uintptr_t current_table;

static Table *CurrentTable() {
  return reinterpret_cast<Table *>(atomic_load(&current_table, memory_order_acquire));
}

static u32 Hash(u32 parent, uptr pc) {
  return static_cast<u32>(((pc ^ ((uptr)parent << 40) ^ parent) * 0x9e3779b97f4a7c15ull) >> 32);
}

// Returns the entry of the child, or the free one where it would be.
static atomic_uint32_t *FindEntry(Table *table, u32 parent, uptr pc) {
  for (u32 i = Hash(parent, pc);; i++) {
    atomic_uint32_t *entry = &table->sites[i & table->mask];
    u32 site = atomic_load(entry, memory_order_acquire);
    if (!site || (nodes[site].pc == pc && nodes[site].parent == parent))
      return entry;
  }
}

// Readers may still be in the old table, so it stays. All old ones are as large as the new one.
static void GrowTable() SANITIZER_REQUIRES(mutex) {
  Table *old = CurrentTable();
  u32 size = old ? 2 * (old->mask + 1) : kFirstTable;
  Table *table = static_cast<Table *>(
      MmapOrDie(sizeof(Table) + size * sizeof(table->sites[0]), "table of sites"));
  table->mask = size - 1;
  for (u32 site = kRsanRootSite + 1; site <= node_count; site++)
    atomic_store_relaxed(FindEntry(table, nodes[site].parent, nodes[site].pc), site);
  atomic_store(&current_table, reinterpret_cast<uptr>(table), memory_order_release);
}

static u32 AddNode(u32 parent, uptr pc) SANITIZER_REQUIRES(mutex) {
  if (!CurrentTable() || 2 * node_count >= CurrentTable()->mask)
    GrowTable();
  atomic_uint32_t *entry = FindEntry(CurrentTable(), parent, pc);
  if (u32 site = atomic_load_relaxed(entry))
    return site;
  if (node_count >= (parent == kRsanRootSite ? kMostWithoutCalls - 1 : kMost))
    return kRsanNoSite;
  u32 site = ++node_count;
  nodes[site] = {pc, parent};
  atomic_store(entry, site, memory_order_release);
  return site;
}

u32 RsanAddSite(u32 parent, uptr pc) {
  if (Table *table = CurrentTable())
    if (u32 site = atomic_load(FindEntry(table, parent, pc), memory_order_acquire))
      return site;
  SpinMutexLock lock(&mutex);
  u32 site = AddNode(parent, pc);
  if (LIKELY(site))
    return site;
  cut_sites++;
  site = AddNode(kRsanRootSite, pc);
  return site ? site : kRsanRootSite;
}

uptr RsanSitePc(u32 site) {
  return site > kRsanRootSite ? nodes[site].pc : 0;
}

u32 RsanSiteParent(u32 site) {
  return site > kRsanRootSite ? nodes[site].parent : site;
}

StackID RsanDepotSite(u32 site) {
  uptr frames[kStackTraceMax];
  uptr first = kStackTraceMax;
  for (; site > kRsanRootSite && first > 0; site = nodes[site].parent)
    frames[--first] = nodes[site].pc;
  return StackDepotPut(StackTrace(frames + first, kStackTraceMax - first));
}

StackTrace RsanSiteStack(u32 site) {
  return StackDepotGet(RsanDepotSite(site));
}

u64 RsanNumberOfStacks(StackTrace first, StackTrace second) {
  const StackTrace stacks[] = {first, second};
  u64 number = 0xcbf29ce484222325;
  for (const StackTrace &stack : stacks) {
    for (u32 i = 0; i < stack.size; i++)
      number = (number ^ stack.trace[i]) * 0x100000001b3;
    number ^= stack.size;
  }
  return number;
}

u64 RsanCutSites() {
  SpinMutexLock lock(&mutex);
  return cut_sites;
}

void RsanLockSites() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  mutex.Lock();
}

void RsanUnlockSites() SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  mutex.Unlock();
}

u32 RsanCacheSite(RsanSiteCache::Entry *entry, u32 parent, uptr pc) {
  u32 site = RsanAddSite(parent, pc);
  *entry = {pc, parent, site};
  return site;
}

// From the innermost frame whose site is known, to the top. The word below the first frame has the
// root's.
u32 RsanFindCalls(ThreadState *thr) {
  uptr *const top = thr->shadow_stack_pos;
  uptr *frame = top;
  while (!*RsanCallsOf(frame - 1))
    frame--;
  u32 site = static_cast<u32>(*RsanCallsOf(frame - 1));
  for (; frame < top; frame++) {
    site = RsanFindSite(thr, site, *frame);
    *RsanCallsOf(frame) = site;
  }
  return site;
}

void RsanCheckCalls(ThreadState *thr, u32 calls) {
  if (cut_sites)
    return;
  for (uptr *frame = thr->shadow_stack_pos; frame > thr->shadow_stack; calls = nodes[calls].parent)
    CHECK_EQ(nodes[calls].pc, *--frame);
  CHECK_EQ(calls, kRsanRootSite);
}

void RsanStartShadowStack(uptr *bottom) {
  *RsanCallsOf(bottom - 1) = kRsanRootSite;
}

} // namespace __tsan
