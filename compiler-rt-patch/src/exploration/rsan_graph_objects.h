// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects of execution graphs, by address. An object's number is the same in all runs.
//
// Where memory has another value than the last write of the object has left, the memory was written
// otherwise in between: by a constructor, or as a local variable of a call that came later. Then
// the address has a new object from there on. That is right if the program has no data race: such a
// write happens after all accesses of the old object and before all of the new one. (A write of
// that kind that leaves the same value needs no new object: all that can still be read of the old
// one is its last write, whose value is the same, and which happens before the accesses.)

#ifndef RSAN_GRAPH_OBJECTS_H
#define RSAN_GRAPH_OBJECTS_H

#include "base/rsan_state.h"

extern "C" {
#include "rsan/graph/graph.h"
}

namespace __tsan {

struct RsanGraphObject {
  uptr addr;
  u32 size; // bytes; 0: the object has no atomic access, and its value is not in memory
  u64 part; // of those: several at one address
  u32 number;
  // In the present run:
  u64 run;
  u32 again; // objects at this address before this one
  u32 last;  // event that wrote last in modification order so far, or RSAN_GRAPH_NONE
  rsan_value initial;
};

// Forgets all objects, and their numbers.
void RsanForgetGraphObjects();

// The object at the address, as it is in this run. Null: there are too many, or accesses of other
// sizes overlap it.
RsanGraphObject *RsanGraphObjectAt(const rsan_graph *graph, u64 run, uptr addr, u32 size);
// The same for an object without a size. If the run has not met the object, its initial write
// writes `value`. If `renews` is set and the events have left another value than `value`, somebody
// has initialised the object again: then a new object begins at the address.
RsanGraphObject *RsanGraphPartAt(const rsan_graph *graph, u64 run, uptr addr, u64 part,
                                 rsan_value value, bool renews);
u32 RsanGraphObjectNumber(const RsanGraphObject *object);

// An event has written the object: memory has the value of the last write in modification order.
void RsanGraphObjectWritten(const rsan_graph *graph, RsanGraphObject *object, u32 event);

} // namespace __tsan

#endif
