// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "replay.h"

static const uint32_t targets[TARGET_MODEL_COUNT] = {[TARGET_X86] = RSAN_TARGET_X86};

void judge_engine(enum target_model model, enum rsan_history_mode history,
                  const struct trace *trace, struct trace_indices *flags, uint64_t *stats) {
  struct rsan_options options = {.history = history, .targets = targets[model]};
  struct trace_indices races = {0};
  flags->count = 0;
  replay_trace(&options, trace, flags, &races, stats);
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
