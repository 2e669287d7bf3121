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

// Loads as hosts remember them, to leave out those that repeat one.
enum { THREADS = 16, OBJECTS = 16 };
struct loads {
  struct {
    bool valid;
    enum trace_order order;
    uint64_t moves;
  } of[OBJECTS][THREADS];
};

static bool repeats(const struct loads *loads, struct replay *replay,
                    const struct trace_event *event) {
  return event->op == TRACE_LOAD && event->object < OBJECTS && event->thread < THREADS &&
         event->order != TRACE_SC && loads->of[event->object][event->thread].valid &&
         loads->of[event->object][event->thread].order >= event->order &&
         loads->of[event->object][event->thread].moves == replay_moves(replay, event->thread);
}

static void note(struct loads *loads, struct replay *replay, const struct trace_event *event) {
  bool touches = trace_op_is_access(event->op) || event->op == TRACE_ALLOC;
  if (event->op == TRACE_CREATE || event->op == TRACE_JOIN)
    memset(loads, 0, sizeof *loads); // of another thread of that number
  if (!touches || event->object >= OBJECTS)
    return;
  if (event->op != TRACE_LOAD && event->op != TRACE_WAIT)
    memset(loads->of[event->object], 0, sizeof loads->of[event->object]);
  if (event->op != TRACE_LOAD || event->thread >= THREADS)
    return;
  loads->of[event->object][event->thread].valid = true;
  loads->of[event->object][event->thread].order = event->order;
  loads->of[event->object][event->thread].moves = replay_moves(replay, event->thread);
}

void judge_engine(enum target_model model, enum rsan_history_mode history, bool remembers,
                  const struct trace *trace, struct trace_indices *flags, uint64_t *stats) {
  struct rsan_options options = {.history = history,
                                 .seq_cst = history == RSAN_HISTORY_EXACT ? RSAN_SEQ_CST_FENCE
                                                                          : RSAN_SEQ_CST_EXACT,
                                 .targets = targets[model].asked};
  struct replay *replay = replay_new_for(&options, trace);
  struct loads loads = {0};
  flags->count = 0;
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_event *event = &trace->events[i];
    if (remembers && repeats(&loads, replay, event))
      continue;
    if (replay_step(replay, event) == REPLAY_FLAG &&
        replay_violation(replay)->shown & targets[model].shown)
      trace_indices_append(flags, i);
    note(&loads, replay, event);
  }
  for (int stat = 0; stats && stat < RSAN_STAT_COUNT; stat++)
    stats[stat] += replay_stat(replay, (enum rsan_stat)stat);
  replay_free(replay);
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
