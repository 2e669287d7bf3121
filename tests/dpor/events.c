// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "events.h"

#include <stdlib.h>
#include <string.h>

static void append(struct events *events, const struct trace_event *event, uint32_t pc) {
  if (events->trace.count == MOST_EVENTS) {
    fputs("a run has too many events\n", stderr);
    abort();
  }
  events->place[events->trace.count] = (uint8_t)(event->thread * MOST_INSTRUCTIONS + pc);
  trace_append(&events->trace, event);
}

static bool is_plain(const struct instruction *i) {
  return i->op == I_READ || i->op == I_WRITE;
}

// The access, and one of the object of each pair: those are numbered as they stand in the program.
static void add_plain(const struct dpor_program *p, struct events *events, struct trace_event event,
                      uint32_t pc, const struct instruction *i) {
  uint32_t own = 0, number = 0;
  for (uint32_t t = 0; t < p->threads; t++)
    for (uint32_t k = 0; k < p->length[t]; k++) {
      own = t == event.thread && k == pc ? number : own;
      number += is_plain(&p->at[t][k]);
    }
  append(events, &event, pc);
  uint32_t all = number;
  number = 0;
  event.op = TRACE_PLAIN_WRITE;
  for (uint32_t t = 0; t < p->threads; t++)
    for (uint32_t k = 0; k < p->length[t]; k++) {
      const struct instruction *other = &p->at[t][k];
      if (!is_plain(other))
        continue;
      uint32_t low = number < own ? number : own, high = number < own ? own : number;
      number++;
      if (t == event.thread || other->object != i->object ||
          (other->op == I_READ && i->op == I_READ))
        continue;
      event.object = OBJECTS + low * all + high;
      append(events, &event, pc);
    }
}

static void set_values(struct trace_event *event, const struct instruction *i,
                       struct effect effect) {
  if (event->op != TRACE_STORE)
    event->read = effect.found;
  if (event->op != TRACE_LOAD && event->op != TRACE_WAIT)
    event->written = effect.left;
  if (event->op == TRACE_WAIT || event->op == TRACE_BCAS)
    event->expected = effect.found;
  if (event->op == TRACE_STRONG_CAS) {
    event->failure = (enum trace_order)i->failure;
    event->written = i->value;
    event->expected = i->expected;
    event->ok = effect.found == i->expected;
  }
}

static enum trace_op op_of(const struct instruction *i, bool woken) {
  static const enum trace_op ops[] = {
      [I_LOAD] = TRACE_LOAD,         [I_STORE] = TRACE_STORE,      [I_ADD] = TRACE_FETCH_OP,
      [I_EXCHANGE] = TRACE_EXCHANGE, [I_CAS] = TRACE_STRONG_CAS,   [I_WAIT] = TRACE_WAIT,
      [I_WAIT_OWN] = TRACE_WAIT,     [I_STORE_NEXT] = TRACE_STORE, [I_BCAS] = TRACE_BCAS,
      [I_FENCE] = TRACE_FENCE,       [I_LOCK] = TRACE_LOCK,        [I_TRY_LOCK] = TRACE_LOCK,
      [I_UNLOCK] = TRACE_UNLOCK,     [I_SLEEP] = TRACE_UNLOCK,     [I_JOIN] = TRACE_JOIN,
      [I_CREATE] = TRACE_CREATE,     [I_READ] = TRACE_PLAIN_READ,  [I_WRITE] = TRACE_PLAIN_WRITE,
      [I_WEAK_FENCE] = TRACE_FENCE};
  return woken ? TRACE_LOCK : ops[i->op];
}

void events_add(const struct dpor_program *p, const struct state *s, uint32_t thread,
                const struct instruction *i, struct effect effect) {
  if (!s->events)
    return;
  bool woken = s->thread[thread].phase == P_WOKEN;
  uint32_t pc = s->thread[thread].pc;
  struct trace_event event = {.thread = thread, .op = op_of(i, woken), .object = i->object};
  if (i->op == I_SLEEP)
    event.object = i->value;
  if (trace_op_is_access(event.op) || i->op == I_WEAK_FENCE)
    event.order = (enum trace_order)i->order;
  if (i->op == I_FENCE)
    event.order = TRACE_SC;
  if (trace_op_is_access(event.op))
    set_values(&event, i, effect);
  if (event.op == TRACE_FENCE)
    event.object = 0;
  if (is_plain(i))
    add_plain(p, s->events, event, pc, i);
  else
    append(s->events, &event, pc);
}

// Adds the arrivals of threads that wait for a value that is not there.
static void add_arrivals(const struct dpor_program *p, const struct state *s,
                         struct events *events) {
  for (uint32_t t = 0; t < p->threads; t++) {
    const struct running *r = &s->thread[t];
    const struct instruction *i = r->phase == P_RUNS ? program_at(p, s, t) : NULL;
    if (!i || (i->op != I_WAIT && i->op != I_WAIT_OWN && i->op != I_BCAS))
      continue;
    uint8_t expected = i->op == I_WAIT_OWN ? r->last : i->expected;
    if (s->value[i->object] == expected)
      continue;
    struct trace_event event = {.thread = t,
                                .object = i->object,
                                .order = (enum trace_order)i->order,
                                .expected = expected};
    event.op = i->op == I_BCAS ? TRACE_BCAS_BLOCKED : TRACE_WAIT_BLOCKED;
    append(events, &event, r->pc);
  }
}

void events_of_run(const struct dpor_program *p, const struct run *run, struct events *out) {
  struct state s;
  trace_clear(&out->trace);
  out->trace.threads = p->threads;
  program_begin(p, &s, out);
  for (uint32_t k = 0; k < run->count; k++)
    if (run->entry[k].is_choice)
      program_choose(p, &s, run->entry[k].choice);
    else
      program_step(p, &s, run->entry[k].thread);
  add_arrivals(p, &s, out);
}

void events_free(struct events *events) {
  trace_free(&events->trace);
}
