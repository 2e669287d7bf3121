// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "subjects.h"

#include <stdlib.h>

#include "replay.h"

const struct subject subjects[] = {
    [SUBJECT_EXPLICIT] = {"explicit", {.clocks = RSAN_CLOCKS_EXPLICIT}, false},
    {"compact/exact", {.clocks = RSAN_CLOCKS_COMPACT, .history = RSAN_HISTORY_EXACT}, false},
    {"compact/bounded", {.clocks = RSAN_CLOCKS_COMPACT, .history = RSAN_HISTORY_BOUNDED}, true},
};
const size_t subject_count = sizeof subjects / sizeof *subjects;

void verdict_free(struct verdict *verdict) {
  free(verdict->flags.at);
  free(verdict->races.at);
  *verdict = (struct verdict){0};
}

void subject_run(const struct subject *subject, const struct trace *trace, struct verdict *out) {
  out->flags.count = out->races.count = 0;
  replay_trace(&subject->options, trace, &out->flags, &out->races, NULL);
}

static bool is_subset(const struct trace_indices *a, const struct trace_indices *of) {
  size_t k = 0;
  for (size_t i = 0; i < a->count; i++) {
    while (k < of->count && of->at[k] < a->at[i])
      k++;
    if (k == of->count || of->at[k] != a->at[i])
      return false;
  }
  return true;
}

bool subject_agrees(const struct subject *subject, const struct verdict *verdict,
                    const struct verdict *reference) {
  if (!trace_indices_equal(&verdict->races, &reference->races))
    return false;
  return subject->subset ? is_subset(&verdict->flags, &reference->flags)
                         : trace_indices_equal(&verdict->flags, &reference->flags);
}
