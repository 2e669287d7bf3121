// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fence_chains.h"

#include <string.h>

#include "legal.h"
#include "profiles.h"

enum { CHAIN_MAX = 48, CHAINS_MAX = 12, PLAIN_OBJECTS = 2, SHORT_EVENTS = 12 };

// The first two are the shape by which they differ; `st 2` and `ld 2` lie around the fences.
const struct fence_litmus fence_litmus[] = {
    {"chain", "ld 1 rlx; fn sc; ld 2 rlx | st 2 rlx 1; fn sc; st 0 rlx 1 | ld 0 rlx; st 1 rlx 1",
     false, true},
    {"chain of RMWs",
     "fa 1 rlx 1; fn sc; ld 2 rlx | st 2 rlx 1; fn sc; fa 0 rlx 1 | fa 0 rlx 1; fa 1 rlx 1", false,
     true},
    {"chain, write last",
     "ld 1 rlx; fn sc; st 2 rlx 2 | st 2 rlx 1; fn sc; st 0 rlx 1 | ld 0 rlx; st 1 rlx 1", false,
     true},
    {"chain, acquired",
     "ld 1 rlx; fn sc; ld 2 rlx | st 2 rlx 1; fn sc; st 0 rlx 1 | ld 0 acq; st 1 rel 1", false,
     false},
    {"chain, third fence",
     "ld 1 rlx; fn sc; ld 2 rlx | st 2 rlx 1; fn sc; st 0 rlx 1 | ld 0 rlx; fn sc; st 1 rlx 1",
     false, false},
    {"chain, half acquired",
     "ld 1 rlx; fn sc; ld 2 rlx | st 2 rlx 1; fn sc; st 0 rlx 1 | ld 0 acq; st 1 rlx 1", false,
     false},
    {"SB", "st 0 rlx 1; fn sc; ld 1 rlx | st 1 rlx 1; fn sc; ld 0 rlx", false, false},
    {"SB, one fence", "st 0 rlx 1; fn sc; ld 1 rlx | st 1 rlx 1; ld 0 rlx", true, true},
    {"2+2W", "st 0 rlx 1; fn sc; st 1 rlx 1 | st 1 rlx 2; fn sc; st 0 rlx 2", false, false},
    {"R", "st 0 rlx 1; fn sc; st 1 rlx 1 | st 1 rlx 2; fn sc; ld 0 rlx", false, false},
    {"MP", "st 0 rlx 1; fn sc; st 1 rlx 1 | ld 1 rlx; fn sc; ld 0 rlx", false, false},
    {"IRIW", "st 0 rlx 1 | st 1 rlx 1 | ld 0 rlx; fn sc; ld 1 rlx | ld 1 rlx; fn sc; ld 0 rlx",
     false, false},
    {"RWC", "st 0 rlx 1 | ld 0 rlx; fn sc; ld 1 rlx | st 1 rlx 1; fn sc; ld 0 rlx", false, false},
    {"WRC", "st 0 rlx 1 | ld 0 rlx; fn sc; st 1 rlx 1 | ld 1 rlx; fn sc; ld 0 rlx", false, false},
    {"SB of RMWs", "fa 0 rlx 1; fn sc; ld 1 rlx | fa 1 rlx 1; fn sc; ld 0 rlx", false, false},
    {"Z6.U",
     "st 0 rlx 1; fn sc; st 1 rlx 1 | ld 1 rlx; fn sc; ld 2 rlx | st 2 rlx 1; fn sc; ld 0 rlx",
     false, false},
};
const uint32_t fence_litmus_count = sizeof fence_litmus / sizeof *fence_litmus;

struct maker {
  struct rng rng;
  uint32_t threads, locations, values;
  uint32_t ordered_percent, sc_percent, fence_percent;
};

static enum trace_order pick_order(struct maker *m, unsigned allowed) {
  if (rng_percent(&m->rng, m->sc_percent))
    return TRACE_SC;
  if (!rng_percent(&m->rng, m->ordered_percent))
    return TRACE_RLX;
  enum trace_order order;
  do
    order = (enum trace_order)rng_below(&m->rng, TRACE_SC);
  while (!(allowed >> order & 1));
  return order;
}

static struct trace_event access_of(struct maker *m, enum trace_op op, uint32_t object) {
  struct trace_event event = {.op = op, .object = object, .ok = true};
  const char *arguments = trace_op_arguments(op);
  event.order = trace_op_orders(op) ? pick_order(m, trace_op_orders(op)) : TRACE_RLX;
  if (strchr(arguments, 'f'))
    event.failure = pick_order(m, TRACE_ORDERS_READ);
  if (strchr(arguments, 'e'))
    event.expected = rng_below(&m->rng, m->values);
  if (strchr(arguments, 'w'))
    event.written = rng_between(&m->rng, 1, m->values);
  return event;
}

static struct trace_event fence_of(struct maker *m) {
  enum trace_order order = rng_percent(&m->rng, m->fence_percent)
                               ? TRACE_SC
                               : (enum trace_order)rng_between(&m->rng, TRACE_ACQ, TRACE_AR);
  return (struct trace_event){.op = TRACE_FENCE, .order = order};
}

static struct trace_event writing(struct maker *m, uint32_t object) {
  static const enum trace_op ops[] = {TRACE_STORE, TRACE_STORE, TRACE_STORE, TRACE_FETCH_OP};
  return access_of(m, ops[rng_below(&m->rng, 4)], object);
}

static struct trace_event reading(struct maker *m, uint32_t object) {
  static const enum trace_op ops[] = {TRACE_LOAD, TRACE_LOAD, TRACE_LOAD, TRACE_FETCH_OP};
  return access_of(m, ops[rng_below(&m->rng, 4)], object);
}

static struct trace_event any(struct maker *m) {
  static const enum trace_op ops[] = {TRACE_LOAD,     TRACE_STORE,    TRACE_STORE,
                                      TRACE_FETCH_OP, TRACE_WEAK_CAS, TRACE_STRONG_CAS};
  if (rng_percent(&m->rng, 20))
    return fence_of(m);
  return access_of(m, ops[rng_below(&m->rng, 6)], rng_below(&m->rng, m->locations));
}

static struct maker begin(uint64_t seed) {
  struct maker m = {.rng = {seed}};
  m.values = 2;
  m.locations = 3;
  m.ordered_percent = rng_percent(&m.rng, 60) ? 0 : rng_below(&m.rng, 60);
  m.sc_percent = rng_percent(&m.rng, 70) ? 0 : rng_below(&m.rng, 50);
  m.fence_percent = rng_percent(&m.rng, 60) ? 100 : rng_between(&m.rng, 60, 100);
  return m;
}

// -- programs --

static void add(struct program *program, uint32_t thread, struct trace_event op) {
  if (program->length[thread] < PROGRAM_MAX_OPS)
    program->ops[thread][program->length[thread]++] = op;
}

static void insert(struct maker *m, struct program *program) {
  uint32_t thread = rng_below(&m->rng, program->threads), length = program->length[thread];
  if (length == PROGRAM_MAX_OPS)
    return;
  uint32_t at = rng_below(&m->rng, length + 1);
  struct trace_event *ops = program->ops[thread];
  memmove(&ops[at + 1], &ops[at], (length - at) * sizeof *ops);
  ops[at] = any(m);
  program->length[thread]++;
}

// What comes before a fence leads to what comes after another, by `hops` threads in between.
void fence_program(uint64_t seed, struct program *out) {
  struct maker m = begin(seed);
  uint32_t hops = rng_between(&m.rng, 0, 2), target = 2;
  *out = (struct program){.threads = 2 + hops};
  add(out, 0, writing(&m, target));
  add(out, 0, fence_of(&m));
  add(out, 0, writing(&m, 0));
  for (uint32_t hop = 0; hop < hops; hop++) {
    add(out, 2 + hop, reading(&m, hop % 2));
    if (rng_percent(&m.rng, 15))
      add(out, 2 + hop, fence_of(&m));
    add(out, 2 + hop, writing(&m, (hop + 1) % 2));
  }
  add(out, 1, reading(&m, hops % 2));
  add(out, 1, fence_of(&m));
  add(out, 1, rng_percent(&m.rng, 70) ? reading(&m, target) : any(&m));
  for (uint32_t more = rng_below(&m.rng, hops == 2 ? 2 : 3); more > 0; more--)
    insert(&m, out);
}

// -- runs --

struct chain {
  struct trace_event at[CHAIN_MAX];
  uint32_t count, done;
};

static void push(struct chain *chain, uint32_t thread, struct trace_event event) {
  event.thread = thread;
  if (chain->count < CHAIN_MAX)
    chain->at[chain->count++] = event;
}

static struct trace_event plain(struct maker *m, bool writes) {
  return (struct trace_event){.op = writes ? TRACE_PLAIN_WRITE : TRACE_PLAIN_READ,
                              .object = rng_below(&m->rng, PLAIN_OBJECTS)};
}

static void push_end(struct maker *m, struct chain *chain, uint32_t thread, uint32_t target,
                     bool first) {
  if (rng_percent(&m->rng, 40))
    push(chain, thread, plain(m, first || rng_percent(&m->rng, 30)));
  if (first)
    push(chain, thread, writing(m, target));
  else
    push(chain, thread, rng_percent(&m->rng, 60) ? reading(m, target) : any(m));
}

static void make_chain(struct maker *m, struct chain *chain) {
  uint32_t target = rng_below(&m->rng, m->locations), thread = rng_below(&m->rng, m->threads);
  uint32_t hops = rng_between(&m->rng, 0, 3), location = rng_below(&m->rng, m->locations);
  *chain = (struct chain){0};
  push_end(m, chain, thread, target, true);
  push(chain, thread, fence_of(m));
  for (uint32_t hop = 0; hop <= hops; hop++) {
    push(chain, thread, rng_percent(&m->rng, 80) ? writing(m, location) : reading(m, location));
    thread = rng_below(&m->rng, m->threads);
    push(chain, thread, rng_percent(&m->rng, 85) ? reading(m, location) : writing(m, location));
    if (rng_percent(&m->rng, 15))
      push(chain, thread, fence_of(m));
    location = rng_below(&m->rng, m->locations);
  }
  push(chain, thread, fence_of(m));
  push_end(m, chain, thread, target, false);
}

static void take(struct legal *state, struct trace_event event, struct trace *out) {
  if (legal_step(state, &event))
    trace_append(out, &event);
}

// The noise and the chains, one after the other, each in its order.
void fence_trace(bool is_long, uint64_t seed, struct trace *out) {
  struct maker m = begin(seed);
  struct trace noise = {0};
  struct legal state = {0};
  profile_trace(is_long ? PROFILE_LONG : PROFILE_SHORT, rng_next(&m.rng), &noise);
  size_t left = is_long || noise.count < SHORT_EVENTS ? noise.count : SHORT_EVENTS, next = 0;
  trace_clear(out);
  m.threads = rng_between(&m.rng, 2, is_long ? 8 : 4);
  m.locations = rng_between(&m.rng, 2, is_long ? 6 : 4);
  m.values = rng_between(&m.rng, 2, 4);
  out->threads = noise.threads > m.threads ? noise.threads : m.threads;
  uint32_t noise_percent = rng_below(&m.rng, 60);
  for (uint32_t chains = rng_between(&m.rng, 1, is_long ? CHAINS_MAX : 2); chains > 0; chains--) {
    struct chain chain;
    make_chain(&m, &chain);
    while (chain.done < chain.count)
      if (next < left && rng_percent(&m.rng, noise_percent))
        take(&state, noise.events[next++], out);
      else
        take(&state, chain.at[chain.done++], out);
  }
  while (next < left)
    take(&state, noise.events[next++], out);
  legal_clear(&state);
  trace_free(&noise);
}
