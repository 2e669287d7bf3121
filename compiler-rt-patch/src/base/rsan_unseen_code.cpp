// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of the program's code the analysis does not see, as the compiler's pass has counted it
// in each module. The statistics and `rsan check` show these numbers. A run that has reported a
// data race says at its end whether the program has assembly that may order the accesses.

#include "base/rsan_unseen_code.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static atomic_uint32_t unseen_functions, hidden_functions, volatile_accesses, known_assembly;
static atomic_uint64_t nested;
static atomic_uint32_t races; // reported

static u32 Count(const atomic_uint32_t &counter) {
  return atomic_load_relaxed(&counter);
}

bool RsanHasUnseenCode() {
  return Count(unseen_functions) || Count(hidden_functions) || Count(known_assembly);
}

void RsanPrintUnseenCode() {
  Printf("  %-16s %12u  functions with code that the analysis cannot see\n", "unseen_functions",
         Count(unseen_functions));
  Printf("  %-16s %12llu  calls of code that is not instrumented, nested too deep to be noted\n",
         "unseen_nested", atomic_load_relaxed(&nested));
  Printf("  %-16s %12u  volatile accesses that -fsanitize-robustness-volatile would make atomic\n",
         "volatile", Count(volatile_accesses));
  Printf("  %-16s %12u  pieces of assembly that -fsanitize-robustness-asm=x86 would understand\n",
         "assembly", Count(known_assembly));
}

void RsanCountNestedCall() {
  atomic_fetch_add(&nested, 1, memory_order_relaxed);
}

void RsanCountReport(const ReportDesc *report) {
  if (report->typ == ReportTypeRace)
    atomic_fetch_add(&races, 1, memory_order_relaxed);
}

void RsanPrintUnseenOrder() {
  const u32 pieces = Count(known_assembly);
  if (pieces && Count(races))
    Printf("ThreadSanitizer: %u piece%s of assembly %s not seen, and may order what was reported "
           "as a data race: compile with -fsanitize-robustness-asm=x86\n",
           pieces, pieces == 1 ? "" : "s", pieces == 1 ? "is" : "are");
}

} // namespace __tsan

using namespace __tsan;

// A constructor of each instrumented module calls these. It passes how many the module contains: of
// volatile accesses and pieces of assembly; of functions with code that the analysis cannot see; of
// functions that access memory and that the user has excluded from the analysis.
extern "C" {
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_plain(int volatiles, int assembly) {
  atomic_fetch_add(&volatile_accesses, volatiles, memory_order_relaxed);
  atomic_fetch_add(&known_assembly, assembly, memory_order_relaxed);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_unseen(int count) {
  atomic_fetch_add(&unseen_functions, count, memory_order_relaxed);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_hidden(int count) {
  atomic_fetch_add(&hidden_functions, count, memory_order_relaxed);
}
}
