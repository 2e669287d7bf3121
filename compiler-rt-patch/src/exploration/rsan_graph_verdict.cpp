// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rsan_check says of the execution graphs of a test.

#include "exploration/rsan_check.h"
#include "port/rsan_tsan.h"

namespace __tsan {

// Some gaps of interleavings do not concern graphs, because graphs have older values and C++20's
// fences, and are explored without the analysis of robustness. A bound concerns the exploration
// that has met it. An interleaving may hide a violation, which does not concern graphs. If it hides
// a failure, the graph of the same execution hides the failure as well.
static bool IsGapOfGraphs(const RsanChecked &checked, u32 gap) {
  switch (gap) {
  case kRsanGap_SPURIOUS:
  case kRsanGap_CXX20:
  case kRsanGap_OLDER:
  case kRsanGap_HISTORY:
    return false;
  case kRsanGap_TURNS:
  case kRsanGap_UNROLL:
    return checked.graphs.gap[gap];
  case kRsanGap_SUPPRESSED:
    return checked.graphs.gap[gap] || RsanOptionsHideFailures();
  default:
    return checked.graphs.gap[gap] || checked.gap[gap];
  }
}

void RsanPrintGraphFinding(const char *what) {
  Printf("rsan_check: graph %llu: %s; C++20 allows it:\n",
         (unsigned long long)RsanGraphsCount()->runs, what ? what : "the report above");
  RsanPrintGraph();
  RsanPrintCommand();
}

static bool HasLosses(const RsanChecked &checked) {
  const RsanCheckedGraphs &graphs = checked.graphs;
  bool any = graphs.stopped || graphs.count.cut || graphs.count.diverged || graphs.count.endless ||
             !graphs.count.graphs;
  for (u32 i = 0; i < kRsanGapCount; i++)
    any |= IsGapOfGraphs(checked, i);
  return any;
}

const char *RsanGraphLossOf(const RsanChecked &checked) {
  const RsanCheckedGraphs &graphs = checked.graphs;
  if (graphs.count.unmade) {
    static char text[256];
    internal_snprintf(text, sizeof text,
                      "it has violations, and execution graphs do not have this operation: %s",
                      graphs.count.unmade);
    return text;
  }
  for (u32 i = 0; i < kRsanGapCount; i++)
    if (IsGapOfGraphs(checked, i))
      return rsan_gap_texts[i];
  return graphs.stopped          ? "it was stopped by a limit"
         : graphs.count.cut      ? "an execution has too many operations"
         : graphs.count.diverged ? "it did something else when it was run again"
         : graphs.count.endless  ? "a thread turns for ever in a loop that no other thread ends"
         : !graphs.count.graphs  ? "no execution came to its end"
                                 : nullptr;
}

static void PrintLosses(const RsanChecked &checked) {
  const RsanCheckedGraphs &graphs = checked.graphs;
  for (u32 i = 0; i < kRsanGapCount; i++)
    if (IsGapOfGraphs(checked, i))
      Printf("  not covered: %s\n", rsan_gap_texts[i]);
  if (graphs.count.endless)
    Printf(
        "  %llu runs ended in a loop that no other thread ends: a livelock, unless it ends after "
        "more than %u turns\n",
        (unsigned long long)graphs.count.endless, graphs.turns);
  if (graphs.count.cut)
    Printf("  %llu graphs were given up: they have more than %u operations\n",
           (unsigned long long)graphs.count.cut, RSAN_GRAPH_MOST_EVENTS);
  if (graphs.count.diverged)
    Printf("  %llu graphs were given up: the test did something else when it was run again (does "
           "setup() begin everything anew?)\n",
           (unsigned long long)graphs.count.diverged);
  if (graphs.stopped)
    Printf("  it was stopped by a limit\n");
  else if (!graphs.count.graphs)
    Printf("  no execution came to its end\n");
}

static void PrintBounds(const RsanCheckedGraphs &graphs) {
  if (graphs.count.turned)
    Printf("  %llu runs ended where a thread would read the same once more in a loop\n",
           (unsigned long long)graphs.count.turned);
  if (graphs.gap[kRsanGap_SPURIOUS])
    Printf("  %s\n", rsan_gap_texts[kRsanGap_SPURIOUS]);
}

static void PrintCorrect(const RsanChecked &checked) {
  const RsanCheckedGraphs &graphs = checked.graphs;
  const bool turned = graphs.count.turned, spared = graphs.gap[kRsanGap_SPURIOUS];
  Printf("rsan_check: proved correct%s", checked.findings ? ", not robust" : "");
  if (turned || spared)
    Printf(", within");
  if (turned)
    Printf(" explore_loop=%u", graphs.turns);
  if (spared)
    Printf("%s explore_spurious=%d", turned ? " and" : "", rsan_flags()->explore_spurious);
  Printf(": no failure in %llu graphs, which are all that C++20 allows",
         (unsigned long long)graphs.count.graphs);
}

int RsanPrintGraphVerdict(const RsanChecked &checked, int result) {
  const RsanCheckedGraphs &graphs = checked.graphs;
  const auto all = (unsigned long long)graphs.count.graphs,
             weak = (unsigned long long)graphs.count.weak;
  if (graphs.count.unmade) {
    Printf("rsan_check: it is not known whether a violation does harm, because execution graphs do "
           "not have this operation: %s\n",
           graphs.count.unmade);
    return result;
  }
  const bool losses = HasLosses(checked);
  if (graphs.count.failed)
    Printf("rsan_check: fails in %llu of %llu graphs", (unsigned long long)graphs.count.failed,
           all);
  else if (losses)
    Printf("rsan_check: no failure in %llu graphs, but they are not all", all);
  else
    PrintCorrect(checked);
  Printf(" (%llu not sequentially consistent)\n", weak);
  PrintBounds(graphs);
  PrintLosses(checked);
  if (graphs.count.failed)
    return kRsanFound;
  if (losses)
    return result;
  return checked.findings ? kRsanHarmless : kRsanProved;
}

} // namespace __tsan
