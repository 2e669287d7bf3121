// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profiles.h"

#include <stdlib.h>

#include "limits.h"
#include "repeats.h"
#include "rng.h"

// Half of the weights as they are, a quarter of them none, a quarter up to five times as much.
static void shake_weights(struct gen_params *params, struct rng *rng) {
  for (int op = 0; op < TRACE_OP_COUNT; op++) {
    uint32_t choice = rng_below(rng, 4);
    if (choice == 0)
      params->weight[op] *= rng_between(rng, 1, 5);
    else if (choice == 1 && op != TRACE_LOAD)
      params->weight[op] = 0;
  }
}

static void shake(struct gen_params *params, struct rng *rng) {
  shake_weights(params, rng);
  params->ordered_percent = rng_below(rng, 101);
  params->sc_fence_percent = rng_below(rng, 101);
  params->roots_percent = rng_below(rng, 101);
  params->sc_percent = rng_percent(rng, 25) ? rng_below(rng, 50) : 0;
}

static void range(uint32_t *min, uint32_t *max, uint32_t from, uint32_t to) {
  *min = from;
  *max = to;
}

// One or two locations that everybody counts on.
static void hot_counter(struct gen_params *params) {
  range(&params->atomics_min, &params->atomics_max, 1, 2);
  params->weight[TRACE_FETCH_OP] += 40;
  params->weight[TRACE_STRONG_CAS] += 10;
}

// Many arrivals that are blocked, on few values.
static void polling(struct gen_params *params) {
  range(&params->values_min, &params->values_max, 2, 3);
  params->weight[TRACE_WAIT_BLOCKED] += 20;
  params->weight[TRACE_BCAS_BLOCKED] += 20;
  params->weight[TRACE_WAIT] += 10;
  params->weight[TRACE_BCAS] += 10;
}

// Threads that come and go: indices are handed on.
static void churn(struct gen_params *params) {
  range(&params->threads_min, &params->threads_max, 8, 40);
  params->roots_percent = 10;
  params->weight[TRACE_CREATE] += 6;
  params->weight[TRACE_JOIN] += 5;
}

// One location that few threads write in long streaks, and many through which old views of it are
// passed on late: what bounded history finds hardest. No fences: they would tell everybody.
static void late_messages(struct gen_params *params, struct rng *rng) {
  range(&params->threads_min, &params->threads_max, 2, 5);
  range(&params->atomics_min, &params->atomics_max, 16, 64);
  range(&params->events_min, &params->events_max, 500, 2000);
  params->hot_percent = rng_between(rng, 30, 70);
  params->stay_percent_max = 99;
  params->sc_percent = 0;
  params->weight[TRACE_LOAD] = 20;
  params->weight[TRACE_STORE] = 60;
  params->weight[TRACE_FENCE] = 0;
  params->weight[TRACE_LOCK] = 0;
  params->weight[TRACE_ALLOC] = 0;
}

static void shape_long(struct gen_params *params, struct rng *rng) {
  range(&params->events_min, &params->events_max, 100, 600);
  range(&params->threads_min, &params->threads_max, 2, 8);
  params->weight[TRACE_JOIN] = rng_percent(rng, 30);
  switch (rng_below(rng, 5)) {
  case 0:
    hot_counter(params);
    break;
  case 1:
    polling(params);
    break;
  case 2:
    churn(params);
    break;
  case 3:
    late_messages(params, rng);
    break;
  default:
    break;
  }
}

// Few threads at a time, many one after the other, that tell each other much.
static void shape_reuse(struct gen_params *params, struct rng *rng) {
  churn(params);
  range(&params->events_min, &params->events_max, 300, 900);
  range(&params->atomics_min, &params->atomics_max, 4, 24);
  range(&params->threads_min, &params->threads_max, 30, 100);
  params->ordered_percent = rng_between(rng, 30, 100);
  params->weight[TRACE_LOAD] += 20;
  params->weight[TRACE_JOIN] += 5;
  params->weight[TRACE_ALLOC] = 0;
}

// Threads that only exist, from the start: with them nearly all indices are taken that are handed
// out before one is reused by force.
static void add_sleepers(struct trace *trace, struct rng *rng) {
  uint32_t count = rng_between(rng, RSAN_THREAD_INDEX_SOFT_MAX - 8, RSAN_THREAD_INDEX_SOFT_MAX);
  struct trace awake = *trace;
  *trace = (struct trace){.threads = awake.threads + count};
  for (uint32_t i = 0; i < count; i++)
    trace_append(trace, &(struct trace_event){
                            .op = TRACE_FENCE, .thread = awake.threads + i, .order = TRACE_ACQ});
  for (size_t i = 0; i < awake.count; i++)
    trace_append(trace, &awake.events[i]);
  trace_free(&awake);
}

void profile_trace(enum profile profile, uint64_t seed, struct trace *out) {
  struct rng rng = {seed};
  struct gen_params params;
  gen_params_default(&params);
  if (rng_percent(&rng, 75))
    shake(&params, &rng);
  if (profile == PROFILE_LONG || profile == PROFILE_REPEATS)
    shape_long(&params, &rng);
  if (profile == PROFILE_REUSE)
    shape_reuse(&params, &rng);
  if (profile == PROFILE_REPEATS)
    params.weight[TRACE_ALLOC] = 0;
  gen_trace(&params, rng_next(&rng), out);
  if (profile == PROFILE_REUSE)
    add_sleepers(out, &rng);
  if (profile == PROFILE_REPEATS)
    add_repeats(out, &rng);
}
