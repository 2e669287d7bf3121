// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that simulate= names, one rule a line ('#' begins a comment):
//
//   fence-before POINT
//   fence-after POINT
//   order ORDER POINT       ORDER: acquire, release, acq_rel, seq_cst
//
//   POINT: MODULE+0xOFFSET  as in reports; the module by its full path or by its name alone
//          FILE:LINE[:COLUMN]  the file by its path or by the last parts of it

#ifndef RSAN_SIMULATE_FILE_H
#define RSAN_SIMULATE_FILE_H

#include "port/rsan_tsan.h"
#include "simulation/rsan_simulate.h"

namespace __tsan {

struct RsanRule {
  RsanRepair repair;
  const char *path; // of the module or source file; null: `offset` is the pc itself
  uptr offset;      // in the module
  int line, column; // of the source; line 0: the point is a module's, column 0: any
  u32 stands_at;    // line in the file; 0: added at run time
  bool matched;
};

// Ends the process at the first line that is no rule. The rules' strings live for ever.
void RsanReadRules(const char *file, Vector<RsanRule> *rules);

bool RsanIsSource(const RsanRule &rule, const char *file, int line, int column);

// Does the rule make no sense for an operation that has this order? Why, in words.
bool RsanRefuses(const RsanRule &rule, RsanOperation operation, rsan_order order,
                 InternalScopedString *why);

// -- rsan_simulate_count.cpp --

// A rule, by its number, applies at the program point.
void RsanCountRuleAt(uptr pc, uptr rule);
void RsanPrintCounts(const Vector<RsanRule> &rules);

} // namespace __tsan

#endif
