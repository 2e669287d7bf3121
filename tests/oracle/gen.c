// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"

struct generator {
  const struct gen_params *params;
  struct rng rng;
  struct trace *out;
  uint32_t atomics, values, events, stay_percent;
  uint32_t weight_sum;
  uint32_t *live; // threads that may take a step
  uint32_t live_count;
  uint32_t *waiting; // threads that were not created yet
  uint32_t waiting_count;
  uint64_t *value;  // per atomic
  uint32_t *holder; // per mutex: thread + 1, 0 if free
  uint32_t thread;  // that took the last step
};

void gen_params_default(struct gen_params *params) {
  *params = (struct gen_params){
      .threads_min = 2,
      .threads_max = 5,
      .atomics_min = 1,
      .atomics_max = 4,
      .mutexes = 2,
      .plains = 2,
      .events_min = 5,
      .events_max = 60,
      .values_min = 2,
      .values_max = 4,
      .roots_percent = 60,
      .stay_percent_max = 80,
      .ordered_percent = 35,
      .sc_fence_percent = 48,
  };
  static const uint32_t weight[TRACE_OP_COUNT] = {
      [TRACE_LOAD] = 18,        [TRACE_STORE] = 20,   [TRACE_FETCH_OP] = 7,
      [TRACE_EXCHANGE] = 3,     [TRACE_WEAK_CAS] = 7, [TRACE_STRONG_CAS] = 7,
      [TRACE_WAIT] = 7,         [TRACE_BCAS] = 4,     [TRACE_WAIT_BLOCKED] = 3,
      [TRACE_BCAS_BLOCKED] = 3, [TRACE_FENCE] = 7,    [TRACE_LOCK] = 4,
      [TRACE_CREATE] = 3,       [TRACE_JOIN] = 1,     [TRACE_PLAIN_READ] = 4,
      [TRACE_PLAIN_WRITE] = 2,  [TRACE_ALLOC] = 1,    [TRACE_ALLOC_PLAIN] = 1,
  };
  memcpy(params->weight, weight, sizeof weight);
}

static enum trace_order pick_order(struct generator *g, unsigned allowed) {
  if (rng_percent(&g->rng, g->params->sc_percent))
    return TRACE_SC;
  if (!rng_percent(&g->rng, g->params->ordered_percent))
    return TRACE_RLX;
  if (allowed == TRACE_ORDERS_READ)
    return TRACE_ACQ;
  if (allowed == TRACE_ORDERS_WRITE)
    return TRACE_REL;
  return (enum trace_order)rng_between(&g->rng, TRACE_ACQ, TRACE_AR);
}

static enum trace_order pick_fence(struct generator *g) {
  if (rng_percent(&g->rng, g->params->sc_fence_percent))
    return TRACE_SC;
  return (enum trace_order)rng_between(&g->rng, TRACE_ACQ, TRACE_AR);
}

static uint64_t other_value(struct generator *g, uint64_t value) {
  uint32_t step = rng_between(&g->rng, 1, g->values - 1);
  return (value + step) % g->values;
}

static void make_cas(struct generator *g, struct trace_event *event) {
  event->failure = pick_order(g, TRACE_ORDERS_READ);
  event->expected =
      g->values > 1 && rng_percent(&g->rng, 40) ? other_value(g, event->read) : event->read;
  event->ok = event->expected == event->read;
  // A weak one may fail without a reason.
  if (event->op == TRACE_WEAK_CAS && rng_percent(&g->rng, 20))
    event->ok = false;
}

// False: the operation is not possible now.
static bool make_access(struct generator *g, struct trace_event *event) {
  bool hot = g->params->hot_percent && rng_percent(&g->rng, g->params->hot_percent);
  event->object = hot ? 0 : rng_below(&g->rng, g->atomics);
  uint64_t *value = &g->value[event->object];
  if (event->op == TRACE_WAIT_BLOCKED || event->op == TRACE_BCAS_BLOCKED) {
    if (g->values < 2)
      return false;
    event->expected = other_value(g, *value);
    return true;
  }
  event->order = pick_order(g, trace_op_orders(event->op));
  if (event->op != TRACE_STORE)
    event->read = *value;
  event->ok = true;
  if (event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS)
    make_cas(g, event);
  else if (event->op == TRACE_WAIT || event->op == TRACE_BCAS)
    event->expected = event->read;
  if (event->op == TRACE_LOAD || event->op == TRACE_WAIT)
    return true;
  event->written = rng_below(&g->rng, g->values);
  if (event->ok)
    *value = event->written;
  return true;
}

static bool make_lock(struct generator *g, struct trace_event *event) {
  if (!g->params->mutexes)
    return false;
  event->object = rng_below(&g->rng, g->params->mutexes);
  uint32_t *holder = &g->holder[event->object];
  if (*holder == event->thread + 1) {
    event->op = TRACE_UNLOCK;
    *holder = 0;
    return true;
  }
  if (*holder)
    return false;
  event->op = TRACE_LOCK;
  *holder = event->thread + 1;
  return true;
}

static bool make_create(struct generator *g, struct trace_event *event) {
  if (!g->waiting_count)
    return false;
  uint32_t at = rng_below(&g->rng, g->waiting_count);
  event->object = g->waiting[at];
  g->waiting[at] = g->waiting[--g->waiting_count];
  g->live[g->live_count++] = event->object;
  return true;
}

// Joins any other live thread. One that holds a mutex keeps it.
static bool make_join(struct generator *g, struct trace_event *event) {
  uint32_t at = rng_below(&g->rng, g->live_count);
  if (g->live[at] == event->thread)
    return false;
  event->object = g->live[at];
  g->live[at] = g->live[--g->live_count];
  return true;
}

static bool make_event(struct generator *g, struct trace_event *event) {
  switch (event->op) {
  case TRACE_FENCE:
    event->order = pick_fence(g);
    return true;
  case TRACE_LOCK:
  case TRACE_UNLOCK:
    return make_lock(g, event);
  case TRACE_CREATE:
    return make_create(g, event);
  case TRACE_JOIN:
    return make_join(g, event);
  case TRACE_PLAIN_READ:
  case TRACE_PLAIN_WRITE:
  case TRACE_ALLOC_PLAIN:
    if (!g->params->plains)
      return false;
    event->object = rng_below(&g->rng, g->params->plains);
    return true;
  case TRACE_ALLOC:
    event->object = rng_below(&g->rng, g->atomics);
    g->value[event->object] = 0;
    return true;
  default:
    return make_access(g, event);
  }
}

static enum trace_op pick_op(struct generator *g) {
  uint32_t left = rng_below(&g->rng, g->weight_sum);
  int op = 0;
  while (left >= g->params->weight[op])
    left -= g->params->weight[op++];
  return (enum trace_op)op;
}

static uint32_t pick_thread(struct generator *g) {
  bool alive = false;
  if (rng_percent(&g->rng, g->stay_percent))
    for (uint32_t i = 0; i < g->live_count && !alive; i++)
      alive = g->live[i] == g->thread;
  return alive ? g->thread : g->live[rng_below(&g->rng, g->live_count)];
}

static void step(struct generator *g) {
  struct trace_event event = {.thread = pick_thread(g), .op = pick_op(g)};
  g->thread = event.thread;
  if (!make_event(g, &event)) {
    uint32_t thread = event.thread;
    event = (struct trace_event){.thread = thread, .op = TRACE_LOAD};
    make_access(g, &event);
  }
  // Only compare-exchanges carry the flag in the file.
  if (event.op != TRACE_WEAK_CAS && event.op != TRACE_STRONG_CAS)
    event.ok = false;
  trace_append(g->out, &event);
}

static void *zeroed(size_t count, size_t size) {
  size_t capacity = 0;
  return trace_grow(NULL, &capacity, count + 1, size);
}

static void set_up(struct generator *g) {
  const struct gen_params *p = g->params;
  struct rng *rng = &g->rng;
  g->out->threads = rng_between(rng, p->threads_min, p->threads_max);
  g->atomics = rng_between(rng, p->atomics_min, p->atomics_max);
  g->values = rng_between(rng, p->values_min, p->values_max);
  g->events = rng_between(rng, p->events_min, p->events_max);
  g->stay_percent = rng_between(rng, 0, p->stay_percent_max);
  for (int op = 0; op < TRACE_OP_COUNT; op++)
    g->weight_sum += p->weight[op];
  g->live = zeroed(g->out->threads, sizeof *g->live);
  g->waiting = zeroed(g->out->threads, sizeof *g->waiting);
  g->value = zeroed(g->atomics, sizeof *g->value);
  g->holder = zeroed(p->mutexes, sizeof *g->holder);
  for (uint32_t t = 0; t < g->out->threads; t++) {
    if (t == 0 || !p->weight[TRACE_CREATE] || rng_percent(rng, p->roots_percent))
      g->live[g->live_count++] = t;
    else
      g->waiting[g->waiting_count++] = t;
  }
}

void gen_trace(const struct gen_params *params, uint64_t seed, struct trace *out) {
  trace_clear(out);
  struct generator g = {.params = params, .rng = {seed}, .out = out};
  set_up(&g);
  for (uint32_t i = 0; i < g.events; i++)
    step(&g);
  free(g.live);
  free(g.waiting);
  free(g.value);
  free(g.holder);
}
