// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "replay.h"

// What is asked for, and what of it is looked at.
static const struct {
  uint32_t asked, shown;
} targets[TARGET_MODEL_COUNT] = {
    [TARGET_X86] = {RSAN_TARGET_X86, RSAN_TARGET_X86},
    [TARGET_ARM] = {RSAN_TARGET_ARM, RSAN_TARGET_ARM},
    [TARGET_ARM_DEFINITE] = {RSAN_TARGET_ARM, RSAN_TARGET_ARM_DEFINITE},
    [TARGET_ARM_LDAR] = {RSAN_TARGET_ARM | RSAN_TARGET_ARM_LDAR, RSAN_TARGET_ARM},
    [TARGET_ARM_LDAR_DEFINITE] = {RSAN_TARGET_ARM | RSAN_TARGET_ARM_LDAR, RSAN_TARGET_ARM_DEFINITE},
    [TARGET_ARM_LSE] = {RSAN_TARGET_ARM | RSAN_TARGET_ARM_LSE, RSAN_TARGET_ARM},
    [TARGET_ARM_LSE_DEFINITE] = {RSAN_TARGET_ARM | RSAN_TARGET_ARM_LSE, RSAN_TARGET_ARM_DEFINITE},
};

void judge_engine(enum target_model model, enum rsan_history_mode history,
                  const struct trace *trace, struct trace_indices *flags, uint64_t *stats) {
  struct rsan_options options = {.history = history,
                                 .seq_cst = history == RSAN_HISTORY_EXACT ? RSAN_SEQ_CST_FENCE
                                                                          : RSAN_SEQ_CST_EXACT,
                                 .targets = targets[model].asked};
  struct trace_indices all = {0}, shown = {0}, races = {0};
  replay_trace_shown(&options, trace, &all, &shown, &races, stats);
  flags->count = 0;
  for (size_t i = 0; i < all.count; i++)
    if (shown.at[i] & targets[model].shown)
      trace_indices_append(flags, all.at[i]);
  free(all.at);
  free(shown.at);
  free(races.at);
}

void judge_free(struct judge *judge) {
  oracle_free(&judge->oracle);
  target_free(&judge->target);
  free(judge->expected.at);
  free(judge->flags.at);
  memset(judge, 0, sizeof *judge);
}

bool judge_define(struct judge *judge, enum target_model model, const struct trace *trace) {
  if (!oracle_derive(&judge->oracle, trace))
    return false;
  target_flags(model, &judge->target, &judge->oracle, &judge->expected);
  return true;
}
