// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two sides of the semantic theorem: a program is robust (every consistent
// graph is SC on the program's own accesses) exactly when no step of any of
// its SC interleavings is flagged.
#include "enumerate.h"

static bool is_sc(void *context, struct enumerate_state *state) {
  (void)context;
  return graph_is_sc(&state->relations);
}

bool enumerate_robust(const struct program *program, uint64_t *graphs) {
  return enumerate(program, ENUMERATE_CONSISTENT, is_sc, NULL, graphs);
}

bool enumerate_robust_psc(const struct program *program, enum graph_seq_cst seq_cst,
                          uint64_t *graphs) {
  return enumerate_psc(program, seq_cst, is_sc, NULL, graphs);
}

bool enumerate_robust_rc20(const struct program *program, uint64_t *graphs) {
  return enumerate_rc20(program, is_sc, NULL, graphs);
}

static bool not_flagged(void *context, struct enumerate_state *state) {
  return !oracle_last_flags(context, &state->trace);
}

bool enumerate_flagged(const struct program *program, struct oracle *oracle, uint64_t *steps) {
  return !enumerate(program, ENUMERATE_SC, not_flagged, oracle, steps);
}

struct counting {
  struct oracle *oracle;
  uint64_t flagged, all;
};

// A thread that is blocked at the end has its arrival checked too.
static bool count_one(void *context, struct enumerate_state *state) {
  struct counting *counting = context;
  if (!state->maximal)
    return true;
  size_t steps = state->trace.count;
  for (uint32_t t = 0; t < state->program->threads; t++) {
    if (state->done[t] == state->program->length[t])
      continue;
    struct trace_event event = state->program->ops[t][state->done[t]];
    event.thread = t;
    event.op = event.op == TRACE_WAIT ? TRACE_WAIT_BLOCKED : TRACE_BCAS_BLOCKED;
    trace_append(&state->trace, &event);
  }
  oracle_run(counting->oracle, &state->trace);
  state->trace.count = steps;
  counting->all++;
  counting->flagged += counting->oracle->flags.count != 0;
  return true;
}

void enumerate_count(const struct program *program, struct oracle *oracle, uint64_t *flagged,
                     uint64_t *all) {
  struct counting counting = {.oracle = oracle};
  enumerate(program, ENUMERATE_SC_ALL, count_one, &counting, NULL);
  *flagged = counting.flagged;
  *all = counting.all;
}
