// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "subjects.h"

#include <stdlib.h>

#include "replay.h"

struct subject subjects[] = {
    [SUBJECT_EXPLICIT] = {"explicit",
                          {.clocks = RSAN_CLOCKS_EXPLICIT, .seq_cst = RSAN_SEQ_CST_FENCE},
                          false},
    {"compact/exact", {.history = RSAN_HISTORY_EXACT, .seq_cst = RSAN_SEQ_CST_FENCE}, false},
    {"compact/bounded", {.history = RSAN_HISTORY_BOUNDED, .seq_cst = RSAN_SEQ_CST_FENCE}, true},
};
const size_t subject_count = sizeof subjects / sizeof *subjects;

void subjects_use(enum rsan_seq_cst_mode mode) {
  for (size_t s = 0; s < subject_count; s++)
    subjects[s].options.seq_cst = mode;
}

void subjects_give_budget(uint32_t bytes) {
  for (size_t s = 0; s < subject_count; s++)
    if (subjects[s].bounded)
      subjects[s].options.location_budget = bytes;
}

void verdict_free(struct verdict *verdict) {
  free(verdict->flags.at);
  free(verdict->races.at);
  *verdict = (struct verdict){0};
}

bool subject_gave_up(const uint64_t *stats) {
  return stats[RSAN_STAT_merged_records] || stats[RSAN_STAT_dropped_versions] ||
         stats[RSAN_STAT_forced_reuse] || stats[RSAN_STAT_unseen_writes] ||
         stats[RSAN_STAT_unseen_answers] || stats[RSAN_STAT_late_seq_cst];
}

void subject_run(const struct subject *subject, const struct trace *trace, struct verdict *out) {
  uint64_t stats[RSAN_STAT_COUNT] = {0};
  out->flags.count = out->races.count = 0;
  replay_trace(&subject->options, trace, &out->flags, &out->races, stats);
  out->gave_up = subject_gave_up(stats);
}

bool subject_may_miss(const struct subject *subject, enum trace_op op, bool gave_up) {
  bool waits =
      op == TRACE_WAIT || op == TRACE_WAIT_BLOCKED || op == TRACE_BCAS || op == TRACE_BCAS_BLOCKED;
  // With seq_cst=exact a compare-exchange may be judged as a BCAS: in its branch that succeeds.
  bool cas = op == TRACE_WEAK_CAS || op == TRACE_STRONG_CAS;
  waits |= cas && subject->options.seq_cst == RSAN_SEQ_CST_EXACT;
  return subject->options.clocks == RSAN_CLOCKS_COMPACT && (gave_up || (subject->bounded && waits));
}

bool subject_agrees(const struct subject *subject, const struct trace *trace,
                    const struct verdict *verdict, const struct verdict *reference) {
  const struct trace_indices *flags = &verdict->flags, *expected = &reference->flags;
  size_t k = 0;
  for (size_t i = 0; i < expected->count; i++) {
    size_t event = expected->at[i];
    if (k < flags->count && flags->at[k] == event)
      k++;
    else if (!subject_may_miss(subject, trace->events[event].op, verdict->gave_up))
      return false;
  }
  return k == flags->count && trace_indices_equal(&verdict->races, &reference->races);
}
