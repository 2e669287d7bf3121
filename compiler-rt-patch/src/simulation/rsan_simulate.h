// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs that are tried without rebuilding (docs/guide/REPAIR.md): at the program points of a list
// the runtime acts as if an SC fence stood before or after the access, or as if its order were
// stronger. The list is the file that simulate= names; repair_as_you_go=1 adds to it while the
// program runs.
//
// A simulated fence is a fence: executed, told to the analysis and to the clocks for data races. An
// access that is simulated with another order is that access with that order, throughout. So a run
// with simulated repairs is one of the program that has them.
//
// All functions may be called by any thread at any time, with no lock held.

#ifndef RSAN_SIMULATE_H
#define RSAN_SIMULATE_H

#include "base/rsan_simulating.h"
#include "port/rsan_common.h"

extern "C" {
#include "rsan/memorder.h"
}

namespace __tsan {

struct RsanFlagged;
struct ThreadState;

struct RsanRepair {
  bool before, after; // an SC fence
  rsan_order order;   // not weaker than this; RSAN_RELAXED: as it is
};

// What stands at a program point, by the orders that it may have.
enum RsanOperation {
  RSAN_OPERATION_LOAD,
  RSAN_OPERATION_STORE,
  RSAN_OPERATION_UPDATE, // read-modify-write; compare-exchange, by its order for success
  RSAN_OPERATION_FENCE,
};

// `pc`: the return address of the entry point, as in stacks that have not been symbolized.
RsanRepair RsanRepairAt(uptr pc);
void RsanAddRepair(uptr pc, const RsanRepair &repair);

// The order that a repair leaves of `order`. A repair from the file that makes no sense there ends
// the process with the line that asked for it.
rsan_order RsanRaise(uptr pc, RsanOperation operation, rsan_order order, rsan_order raised);
// The order of a failed compare-exchange, which only loads: of `raised` it takes what applies to a
// load.
rsan_order RsanRaiseFailure(rsan_order order, rsan_order raised);

void RsanCountSimulatedFence();

// With count_repairs=1 the repairs at a point are counted, not made.
void RsanCountExecution(const ThreadState *thr, uptr pc, RsanOperation operation, rsan_order order);

// With repair_as_you_go=1: switches on what repairs a violation, which has been reported.
void RsanRepairAsYouGo(const RsanFlagged &flagged);
// Has a violation of the same two accesses been repaired so? Then it has come about in another way,
// which needs a repair of its own.
bool RsanRepairsAgain(const RsanFlagged &flagged);

void RsanInitializeSimulation();  // flags and symbolizer are known
void RsanFinalizeSimulation();    // statistics; the line about rules that matched nothing
void RsanForgetUnloadedRepairs(); // after dlclose

} // namespace __tsan

#endif
