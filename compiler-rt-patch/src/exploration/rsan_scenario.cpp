// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rsan_structure.h asks of the runtime: one scenario of a data structure, explored as a test
// of rsan_check(), with its result as a record in place of words.
//
// A scenario is decided if all its interleavings were made, and nothing was found in them, not even
// a violation; or if all its execution graphs were made and none of them fails. A block that a
// thread frees is not given out again in a graph, so where threads free memory, graphs decide only
// if the interleavings, in which it is given out again, were all made; and the result says so.

#include "exploration/rsan_check.h"
#include "exploration/rsan_test_heap.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// As in rsan_structure.h.
struct RsanScenarioResult {
  int status;                  // kRsanProved, kRsanFound, kRsanNotProved or kRsanWrongUsage
  u32 turns, unroll, spurious; // bounds that have made a difference, + 1; 0: it has not
  u64 executions, graphs;
  const char *why; // it was not decided; else null
  bool repeated;   // one execution was repeated, as execution= asks for
  bool freed;      // graphs were explored, and threads have freed memory
};

static const char *LossOfBoth(const RsanChecked &checked) {
  if (!checked.graphs.begun)
    return RsanLossOf(checked);
  if (const char *loss = RsanGraphLossOf(checked))
    return loss;
  const char *interleavings = RsanHasFreed() ? RsanLossOf(checked) : nullptr;
  return interleavings ? "memory that a thread frees may be used again, and the interleavings that "
                         "show it were not all made"
                       : nullptr;
}

static void SetBounds(RsanScenarioResult *result, const RsanChecked &checked) {
  const RsanCheckedGraphs &graphs = checked.graphs;
  const RsanCheckedLevel &level = checked.level;
  if (graphs.begun) {
    result->turns = graphs.count.turned ? graphs.turns + 1 : 0;
    result->spurious = graphs.gap[kRsanGap_SPURIOUS];
  } else {
    result->turns = level.turned ? level.bounds.loop + 1 : 0;
    result->unroll = level.unrolled ? level.bounds.unroll + 1 : 0;
    result->spurious = checked.gap[kRsanGap_SPURIOUS];
  }
  if (result->spurious)
    result->spurious += static_cast<u32>(rsan_flags()->explore_spurious);
}

// Null: nothing keeps it from being explored. (Some options change what the accesses of the program
// mean, or which violations are found.)
static const char *WhyNotExplored() {
  return RsanHasOtherThreads() ? "the program has other threads, which may take part unseen"
         : RsanIsWeak()        ? "weak= in RSAN_OPTIONS does not go with it"
         : !RsanGraphsAreOfModel()
             ? "target=, seq_cst= or simulate= in RSAN_OPTIONS changes what C++20 allows"
             : nullptr;
}

static void Explore(const RsanTest &test, RsanScenarioResult *result) {
  int repeated;
  const RsanChecked &checked = RsanCheckScenario(test, &repeated);
  if (*rsan_flags()->execution) {
    result->status = repeated == kRsanFound ? kRsanFound : kRsanNotProved;
    result->why = "one execution alone was repeated";
    result->repeated = true;
    return;
  }
  result->executions = checked.executions;
  result->graphs = checked.graphs.count.graphs;
  if (checked.failed) {
    result->status = kRsanFound;
    return;
  }
  SetBounds(result, checked);
  if (checked.graphs.begun || !RsanIsProved(checked))
    result->why = LossOfBoth(checked);
  if (!result->why && !checked.graphs.begun && !RsanIsProved(checked))
    result->why = "it is not robust, and its execution graphs were not explored";
  result->freed = checked.graphs.begun && RsanHasFreed();
  result->status = result->why ? kRsanNotProved : kRsanProved;
}

} // namespace __tsan

using namespace __tsan;

extern "C" SANITIZER_INTERFACE_ATTRIBUTE const char *__rsan_scenario() {
  return rsan_flags()->scenario;
}

// What a scenario is checked by, as in rsan_structure_clients.h.
enum RsanScenarioWay { kRsanWayExplored, kRsanWayScheduled, kRsanWayRepeated };
extern "C" SANITIZER_INTERFACE_ATTRIBUTE int __rsan_scenario_way() {
  return RsanSchedules() || RsanExplores() ? kRsanWayScheduled
         : *rsan_flags()->execution        ? kRsanWayRepeated
                                           : kRsanWayExplored;
}

// Does an execution begin with an empty heap, whatever the one before has left?
extern "C" SANITIZER_INTERFACE_ATTRIBUTE bool __rsan_begins_heap() {
  return rsan_uses_test_heap;
}

extern "C" SANITIZER_INTERFACE_ATTRIBUTE void
__rsan_check_scenario(void (*setup)(void *), unsigned count, void (*const *threads)(void *),
                      bool (*check)(void *), void *argument, const RsanScenario *scenario,
                      RsanScenarioResult *result) {
  const RsanTest test = {setup, threads, check, argument, count, GET_CALLER_PC(), scenario};
  internal_memset(result, 0, sizeof *result);
  result->status = kRsanNotProved;
  if (RsanOnFibers())
    RsanRefuseOnFiber("checks a structure");
  if (__rsan_scenario_way() == kRsanWayScheduled) {
    result->status = RsanRunByThreads(test) ? kRsanProved : kRsanFailed;
    result->repeated = true;
    result->executions = 1;
  } else if (!(result->why = WhyNotExplored())) {
    Explore(test, result);
  }
}
