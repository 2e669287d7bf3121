// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "domain.h"

struct search {
  const struct domain *domain;
  domain_visitor *visit;
  void *context;
  struct trace run;
  uint32_t done[DOMAIN_MAX_THREADS];
  uint64_t value[DOMAIN_MAX_STEPS]; // by location
  uint32_t threads_used, locations_used;
};

static void add_step(struct domain *domain, enum trace_op op, uint32_t location,
                     enum trace_order order, uint64_t written) {
  domain->steps[domain->step_count++] =
      (struct trace_event){.op = op, .object = location, .order = order, .written = written};
}

static void add_all_orders(struct domain *domain, enum trace_op op, uint32_t location,
                           uint64_t written) {
  unsigned orders = trace_op_orders(op);
  for (int order = TRACE_RLX; order < TRACE_SC; order++) {
    bool inner = orders >> TRACE_AR & 1 && (order == TRACE_ACQ || order == TRACE_REL);
    if (orders >> order & 1 && !(domain->ends && inner))
      add_step(domain, op, location, (enum trace_order)order, written);
  }
}

bool domain_init(struct domain *domain) {
  domain->step_count = 0;
  uint32_t steps = 4 + domain->locations * (2 + 6 * domain->values);
  if (domain->threads > DOMAIN_MAX_THREADS || steps > DOMAIN_MAX_OPS ||
      domain->threads * domain->ops > DOMAIN_MAX_STEPS || domain->locations > DOMAIN_MAX_STEPS)
    return false;
  for (uint32_t x = 0; x < domain->locations; x++) {
    add_all_orders(domain, TRACE_LOAD, x, 0);
    for (uint64_t value = 0; value < domain->values; value++) {
      add_all_orders(domain, TRACE_STORE, x, value);
      add_all_orders(domain, TRACE_FETCH_OP, x, value);
    }
  }
  for (int order = TRACE_ACQ; order < TRACE_SC && !domain->ends; order++)
    add_step(domain, TRACE_FENCE, 0, (enum trace_order)order, 0);
  add_step(domain, TRACE_FENCE, 0, TRACE_SC, 0);
  return true;
}

static bool independent(const struct trace_event *a, const struct trace_event *b) {
  bool a_fence = a->op == TRACE_FENCE, b_fence = b->op == TRACE_FENCE;
  if (a_fence && b_fence)
    return a->order != TRACE_SC || b->order != TRACE_SC;
  return a_fence || b_fence || a->object != b->object;
}

static const struct trace_event *last_of(const struct trace *run, uint32_t thread) {
  for (size_t i = run->count; i-- > 0;)
    if (run->events[i].thread == thread)
      return &run->events[i];
  return NULL;
}

// Rules 1 to 3 of the header.
static bool is_left_out(const struct search *search, const struct trace_event *step) {
  const struct trace *run = &search->run;
  bool fence = step->op == TRACE_FENCE;
  if (!fence && step->object > search->locations_used)
    return true;
  if (run->count) {
    const struct trace_event *last = &run->events[run->count - 1];
    if (step->thread < last->thread && independent(last, step))
      return true;
  }
  if (!fence)
    return false;
  const struct trace_event *before = last_of(run, step->thread);
  bool is_last = search->done[step->thread] + 1 == search->domain->ops;
  return (before && before->op == TRACE_FENCE) || (is_last && step->order != TRACE_SC);
}

static bool in_shard(const struct search *search, uint32_t thread, uint32_t step) {
  const struct domain *domain = search->domain;
  if (search->run.count != 1 || domain->shards <= 1)
    return true;
  uint32_t first = 0;
  const struct trace_event *event = &search->run.events[0];
  for (uint32_t i = 0; i < domain->step_count; i++)
    if (domain->steps[i].op == event->op && domain->steps[i].order == event->order)
      first = i;
  return (first * 31 + step * domain->threads + thread) % domain->shards == domain->shard;
}

static bool explore(struct search *search);

static bool take(struct search *search, struct trace_event step) {
  uint32_t threads_used = search->threads_used, locations_used = search->locations_used;
  uint64_t *value = &search->value[step.object], old = *value;
  if (step.op == TRACE_STORE || step.op == TRACE_FETCH_OP) {
    if (search->domain->values == 1)
      step.written = !old;
    *value = step.written;
  }
  if (step.op == TRACE_LOAD || step.op == TRACE_FETCH_OP)
    step.read = old;
  if (step.op != TRACE_FENCE && step.object == locations_used)
    search->locations_used++;
  if (step.thread == threads_used)
    search->threads_used++;
  trace_append(&search->run, &step);
  search->done[step.thread]++;
  bool go_on = explore(search);
  search->done[step.thread]--;
  search->run.count--;
  search->threads_used = threads_used;
  search->locations_used = locations_used;
  *value = old;
  return go_on;
}

static bool explore_thread(struct search *search, uint32_t thread) {
  const struct domain *domain = search->domain;
  for (uint32_t i = 0; i < domain->step_count; i++) {
    struct trace_event step = domain->steps[i];
    step.thread = thread;
    if (!is_left_out(search, &step) && in_shard(search, thread, i) && !take(search, step))
      return false;
  }
  return true;
}

// The last operation of all is a check only: its effect is seen by nobody.
static bool explore(struct search *search) {
  const struct domain *domain = search->domain;
  bool left[DOMAIN_MAX_THREADS];
  for (uint32_t t = 0; t < domain->threads; t++)
    left[t] = search->done[t] < domain->ops;
  if (!search->visit(search->context, &search->run, left))
    return false;
  if (search->run.count + 1 >= (size_t)domain->threads * domain->ops)
    return true;
  for (uint32_t t = 0; t < domain->threads && t <= search->threads_used; t++)
    if (left[t] && !explore_thread(search, t))
      return false;
  return true;
}

bool domain_enumerate(const struct domain *domain, domain_visitor *visit, void *context) {
  struct search search = {.domain = domain, .visit = visit, .context = context};
  search.run.threads = domain->threads;
  bool finished = explore(&search);
  trace_free(&search.run);
  return finished;
}
