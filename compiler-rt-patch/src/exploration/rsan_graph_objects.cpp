// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_graph_objects.h"

#include "exploration/rsan_graphs.h"
#include "exploration/rsan_set_up.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static const u32 kTable = 1 << 13; // a power of two
static const u32 kMostObjects = kTable / 2;
static const u32 kMostAgain = 1 << 10;

static RsanGraphObject *table; // open addressing; addr 0: free
static u32 count;

void RsanForgetGraphObjects() {
  if (!table)
    table = reinterpret_cast<RsanGraphObject *>(
        MmapNoReserveOrDie(kTable * sizeof *table, "objects of execution graphs"));
  else if (count)
    internal_memset(table, 0, kTable * sizeof *table);
  count = 0;
}

static bool Overlaps(uptr addr, u32 size) {
  for (u32 i = 0; i < kTable; i++)
    if (table[i].addr && table[i].size && table[i].addr < addr + size &&
        addr < table[i].addr + table[i].size)
      return true;
  return false;
}

static RsanGraphObject *Find(uptr addr, u32 size, u64 part) {
  u32 at = static_cast<u32>(((addr ^ part) * 0x9e3779b97f4a7c15ull) >> 40) & (kTable - 1);
  for (; table[at].addr; at = (at + 1) & (kTable - 1))
    if (table[at].addr == addr && table[at].size == size && table[at].part == part)
      return &table[at];
  if (count == kMostObjects || (size && Overlaps(addr, size)))
    return nullptr;
  RsanGraphObject *object = &table[at];
  object->addr = addr;
  object->size = size;
  object->part = part;
  object->number = count++;
  RsanLogGraphObject(addr, size, part);
  return object;
}

void RsanGraphsMeet(uptr addr, u32 size, u64 part) {
  Find(addr, size, part);
}

static rsan_value LastValue(const rsan_graph *graph, const RsanGraphObject &object) {
  return object.last == RSAN_GRAPH_NONE ? object.initial : graph->event[object.last].written;
}

static void BeginObject(RsanGraphObject *object, rsan_value value) {
  object->last = RSAN_GRAPH_NONE;
  object->initial = value;
}

// Begins the object anew if the run has not met it, or if it has changed otherwise than by events.
static RsanGraphObject *Renew(const rsan_graph *graph, u64 run, RsanGraphObject *object,
                              rsan_value value, bool renews) {
  if (object->run != run) {
    object->run = run;
    object->again = 0;
  } else if (renews && !rsan_value_equal(value, LastValue(graph, *object))) {
    if (++object->again == kMostAgain)
      return nullptr;
  } else {
    return object;
  }
  BeginObject(object, value);
  return object;
}

RsanGraphObject *RsanGraphObjectAt(const rsan_graph *graph, u64 run, uptr addr, u32 size) {
  RsanGraphObject *object = Find(addr, size, 0);
  return object ? Renew(graph, run, object, RsanValueInMemory(addr, size), true) : nullptr;
}

RsanGraphObject *RsanGraphPartAt(const rsan_graph *graph, u64 run, uptr addr, u64 part,
                                 rsan_value value, bool renews) {
  RsanGraphObject *object = Find(addr, 0, part);
  return object ? Renew(graph, run, object, value, renews) : nullptr;
}

u32 RsanGraphObjectNumber(const RsanGraphObject *object) {
  return object->again * kMostObjects + object->number;
}

void RsanGraphObjectWritten(const rsan_graph *graph, RsanGraphObject *object, u32 event) {
  const rsan_graph_event &write = graph->event[event];
  if (object->last != RSAN_GRAPH_NONE && graph->event[object->last].place > write.place)
    return;
  object->last = event;
  if (object->size)
    internal_memcpy(reinterpret_cast<void *>(object->addr), &write.written, object->size);
}

} // namespace __tsan
