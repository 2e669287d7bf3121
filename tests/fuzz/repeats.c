// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "repeats.h"

enum { LOCATIONS = 256, VALUES = 4 };

struct repeats {
  struct trace *trace;
  struct rng *rng;
  uint64_t value[LOCATIONS];
  uint32_t used[LOCATIONS], count; // locations that have been accessed
  bool known[LOCATIONS];
};

static void append(struct repeats *repeats, const struct trace_event *event) {
  trace_append(repeats->trace, event);
  uint32_t at = event->object;
  if (!trace_op_is_access(event->op) || at >= LOCATIONS)
    return;
  bool cas = event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS;
  if (event->op != TRACE_LOAD && event->op != TRACE_WAIT && (!cas || event->ok))
    repeats->value[at] = event->written;
  else if (event->op == TRACE_LOAD)
    repeats->value[at] = event->read;
  else
    return;
  if (!repeats->known[at])
    repeats->used[repeats->count++] = at;
  repeats->known[at] = true;
}

static enum trace_order any_order(struct repeats *repeats, enum trace_op op) {
  unsigned orders = trace_op_orders(op) & ~(op == TRACE_FENCE ? 0u : 1u << TRACE_SC);
  enum trace_order order;
  do
    order = (enum trace_order)rng_below(repeats->rng, TRACE_ORDER_COUNT);
  while (!(orders & 1u << order));
  return order;
}

// What a thread may do at any time: a fence, a load, a store of what is there.
static void step_aside(struct repeats *repeats, uint32_t thread) {
  static const enum trace_op ops[] = {TRACE_FENCE, TRACE_LOAD, TRACE_LOAD, TRACE_STORE};
  uint32_t at = repeats->used[rng_below(repeats->rng, repeats->count)];
  struct trace_event event = {.op = ops[rng_below(repeats->rng, 4)], .thread = thread};
  event.order = any_order(repeats, event.op);
  if (event.op != TRACE_FENCE)
    event.object = at;
  if (event.op == TRACE_LOAD)
    event.read = repeats->value[at];
  if (event.op == TRACE_STORE)
    event.written = repeats->value[at];
  append(repeats, &event);
}

static void repeat(struct repeats *repeats, const struct trace_event *event) {
  struct trace_event copy = *event;
  uint32_t asides = rng_below(repeats->rng, 40);
  for (uint32_t left = rng_between(repeats->rng, 1, 8); left-- > 0;) {
    if (rng_percent(repeats->rng, asides))
      step_aside(repeats, event->thread);
    if (rng_percent(repeats->rng, 10))
      copy.order = any_order(repeats, copy.op);
    if (copy.op == TRACE_FETCH_OP)
      copy.read = repeats->value[copy.object];
    if (copy.op != TRACE_LOAD)
      copy.written = left ? rng_below(repeats->rng, VALUES) : event->written;
    append(repeats, &copy);
  }
}

void add_repeats(struct trace *trace, struct rng *rng) {
  struct trace once = *trace;
  *trace = (struct trace){.threads = once.threads};
  struct repeats repeats = {.trace = trace, .rng = rng};
  for (size_t i = 0; i < once.count; i++) {
    const struct trace_event *event = &once.events[i];
    append(&repeats, event);
    bool repeatable =
        event->op == TRACE_LOAD || event->op == TRACE_STORE || event->op == TRACE_FETCH_OP;
    if (repeatable && event->object < LOCATIONS && rng_percent(rng, 30))
      repeat(&repeats, event);
  }
  trace_free(&once);
}
