// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "planted.h"

#include <stdlib.h>
#include <string.h>

#include "legal.h"
#include "rng.h"

enum { CHAIN_MAX = 64, CHAINS_MAX = 24, SHORT_EVENTS = 14 };

struct chain {
  struct trace_event at[CHAIN_MAX];
  uint32_t count, done;
  bool whole; // nothing comes in between
};

struct planter {
  struct rng rng;
  uint32_t threads, locations, values;
  uint32_t sc_percent, fence_percent, again_percent, among_percent;
};

static enum trace_order pick_order(struct planter *p, unsigned allowed) {
  if (rng_percent(&p->rng, p->sc_percent))
    return TRACE_SC;
  if (!allowed) // a blocked arrival has no order in the file
    return TRACE_RLX;
  enum trace_order order;
  do
    order = (enum trace_order)rng_below(&p->rng, TRACE_SC);
  while (!(allowed >> order & 1));
  return order;
}

static void push(struct chain *chain, const struct trace_event *event) {
  if (chain->count < CHAIN_MAX)
    chain->at[chain->count++] = *event;
}

static void push_fence(struct planter *p, struct chain *chain, uint32_t thread) {
  if (!rng_percent(&p->rng, p->fence_percent))
    return;
  static const enum trace_order orders[] = {TRACE_SC, TRACE_SC,  TRACE_SC,
                                            TRACE_AR, TRACE_ACQ, TRACE_REL};
  push(chain, &(struct trace_event){
                  .op = TRACE_FENCE, .thread = thread, .order = orders[rng_below(&p->rng, 6)]});
}

static void push_access(struct planter *p, struct chain *chain, uint32_t thread, uint32_t location,
                        enum trace_op op) {
  struct trace_event event = {.op = op, .thread = thread, .object = location, .ok = true};
  event.order = pick_order(p, trace_op_orders(op));
  event.failure = pick_order(p, TRACE_ORDERS_READ);
  event.expected = rng_below(&p->rng, p->values);
  event.written = rng_below(&p->rng, p->values);
  if (op != TRACE_WEAK_CAS && op != TRACE_STRONG_CAS)
    event.failure = TRACE_RLX;
  push(chain, &event);
}

static void push_event(struct planter *p, struct chain *chain, uint32_t thread, uint32_t location,
                       enum trace_op op, enum trace_order order) {
  push(chain, &(struct trace_event){.op = op,
                                    .thread = thread,
                                    .object = location,
                                    .order = order,
                                    .written = rng_below(&p->rng, p->values)});
}

static enum trace_op pick(struct planter *p, const enum trace_op *ops, uint32_t count) {
  return ops[rng_below(&p->rng, count)];
}

// A message by fences: what the flows of happens-before bring a thread that reads it relaxed.
static uint32_t push_message(struct planter *p, struct chain *chain, uint32_t thread) {
  struct trace_event event = {.op = TRACE_FENCE, .thread = thread, .order = TRACE_REL};
  uint32_t location = rng_below(&p->rng, p->locations);
  push(chain, &event);
  event = (struct trace_event){.op = TRACE_STORE, .thread = thread, .object = location};
  event.written = rng_below(&p->rng, p->values);
  push(chain, &event);
  thread = rng_below(&p->rng, p->threads);
  push(chain, &(struct trace_event){.op = TRACE_LOAD, .thread = thread, .object = location});
  push(chain, &(struct trace_event){.op = TRACE_FENCE, .thread = thread, .order = TRACE_ACQ});
  return thread;
}

// An access that what the chain has brought is about.
static void push_last(struct planter *p, struct chain *chain, uint32_t thread, uint32_t target) {
  static const enum trace_op last[] = {TRACE_LOAD,     TRACE_STORE,        TRACE_FETCH_OP,
                                       TRACE_WEAK_CAS, TRACE_STRONG_CAS,   TRACE_STRONG_CAS,
                                       TRACE_WAIT,     TRACE_WAIT_BLOCKED, TRACE_BCAS_BLOCKED};
  push_access(p, chain, thread, target, pick(p, last, 9));
}

// The thread writes there again and again, so that what it does next is between such writes.
static void push_streak(struct planter *p, struct chain *chain, uint32_t thread,
                        uint32_t location) {
  if (!rng_percent(&p->rng, p->again_percent))
    return;
  for (uint32_t times = rng_between(&p->rng, 3, 5); times > 0; times--)
    push_event(p, chain, thread, location, rng_percent(&p->rng, 50) ? TRACE_STORE : TRACE_FETCH_OP,
               TRACE_SC);
}

// The first thread writes the target, each hands on to the next by conflicting accesses of a
// location, the last comes to the target.
static void plant(struct planter *p, struct chain *chain) {
  static const enum trace_op writes[] = {TRACE_STORE, TRACE_STORE, TRACE_FETCH_OP, TRACE_EXCHANGE};
  static const enum trace_op any[] = {TRACE_LOAD, TRACE_LOAD, TRACE_STORE, TRACE_FETCH_OP,
                                      TRACE_STRONG_CAS};
  uint32_t target = rng_below(&p->rng, p->locations), thread = rng_below(&p->rng, p->threads);
  *chain = (struct chain){0};
  push_streak(p, chain, thread, target);
  push_access(p, chain, thread, target, rng_percent(&p->rng, 85) ? pick(p, writes, 4) : TRACE_LOAD);
  uint32_t hops = rng_between(&p->rng, 1, 3), location = rng_below(&p->rng, p->locations);
  if (rng_percent(&p->rng, p->again_percent))
    location = target;
  for (uint32_t hop = 0; hop < hops; hop++) {
    uint32_t next = rng_below(&p->rng, p->locations);
    push_fence(p, chain, thread);
    push_access(p, chain, thread, location, pick(p, any, 5));
    if (rng_percent(&p->rng, 15))
      thread = push_message(p, chain, thread);
    if (rng_percent(&p->rng, 20))
      push_fence(p, chain, thread);
    if (rng_percent(&p->rng, 90))
      thread = rng_below(&p->rng, p->threads);
    if (rng_percent(&p->rng, 20))
      push_fence(p, chain, thread);
    push_streak(p, chain, thread, next);
    push_access(p, chain, thread, location, pick(p, any, 5));
    location = next;
  }
  push_fence(p, chain, thread);
  push_last(p, chain, thread, target);
}

// The second thread comes after the first in S and not in happens-before, and hands that on as one
// of those that continue a release sequence with seq_cst read-modify-writes, each after an event of
// its own. The last one reads from the end of it by an access that is no event of S. Or the second
// thread's is none, and the last one's is.
static void plant_among_others(struct planter *p, struct chain *chain) {
  uint32_t target = rng_below(&p->rng, p->locations), thread = rng_below(&p->rng, p->threads);
  uint32_t location = rng_below(&p->rng, p->locations), first = rng_below(&p->rng, p->threads);
  uint32_t adds = rng_percent(&p->rng, 80) ? rng_between(&p->rng, 3, 5) : p->threads;
  uint32_t second = rng_below(&p->rng, adds);
  bool weak = rng_percent(&p->rng, 40);
  *chain = (struct chain){.whole = rng_percent(&p->rng, 75)};
  push_event(p, chain, thread, target, TRACE_STORE, TRACE_SC);
  push_event(p, chain, thread, location, TRACE_LOAD, TRACE_SC);
  for (uint32_t i = 0; i < adds; i++) {
    push_event(p, chain, (first + i) % p->threads,
               i == second ? location : rng_below(&p->rng, p->locations),
               i == second ? TRACE_STORE : TRACE_LOAD, TRACE_SC);
  }
  location = rng_below(&p->rng, p->locations);
  for (uint32_t i = 0; i < adds; i++)
    push_event(p, chain, (first + i) % p->threads, location,
               i == 0 && rng_percent(&p->rng, 50) ? TRACE_STORE : TRACE_FETCH_OP,
               i == second && weak ? TRACE_REL : TRACE_SC);
  thread = rng_below(&p->rng, p->threads);
  push_event(p, chain, thread, location, TRACE_LOAD, weak ? TRACE_SC : TRACE_ACQ);
  push_last(p, chain, thread, target);
}

// The second thread reads the last of a streak, and hands on by S alone what came before it.
static void plant_after_streak(struct planter *p, struct chain *chain) {
  uint32_t target = rng_below(&p->rng, p->locations), thread = rng_below(&p->rng, p->threads);
  uint32_t location = rng_below(&p->rng, p->locations);
  *chain = (struct chain){.whole = rng_percent(&p->rng, 75)};
  for (uint32_t times = rng_between(&p->rng, 4, 8); times > 0; times--)
    push_event(p, chain, thread, target, rng_percent(&p->rng, 50) ? TRACE_STORE : TRACE_FETCH_OP,
               TRACE_SC);
  thread = rng_below(&p->rng, p->threads);
  push_event(p, chain, thread, target, TRACE_LOAD, TRACE_ACQ);
  push_event(p, chain, thread, location, TRACE_LOAD, TRACE_SC);
  thread = rng_below(&p->rng, p->threads);
  push_event(p, chain, thread, location, TRACE_STORE, TRACE_SC);
  push_last(p, chain, thread, target);
}

static void plant_one(struct planter *p, struct chain *chain) {
  if (p->among_percent && rng_percent(&p->rng, p->among_percent))
    plant_among_others(p, chain);
  else if (p->again_percent && rng_percent(&p->rng, p->again_percent / 2))
    plant_after_streak(p, chain);
  else
    plant(p, chain);
}

static void take(struct legal *state, struct trace_event event, struct trace *out) {
  if (legal_step(state, &event))
    trace_append(out, &event);
}

// A write is made again and again, and now and then something else is done there, or by its thread.
static void make_again(struct planter *p, struct legal *state, const struct trace_event *event,
                       struct trace *out) {
  static const enum trace_op any[] = {TRACE_LOAD, TRACE_LOAD, TRACE_STORE, TRACE_FETCH_OP};
  bool writes =
      event->op == TRACE_STORE || event->op == TRACE_FETCH_OP || event->op == TRACE_EXCHANGE;
  if (!writes || !rng_percent(&p->rng, p->again_percent))
    return;
  for (uint32_t times = rng_between(&p->rng, 3, 12); times > 0; times--) {
    struct trace_event again = *event;
    again.written = rng_below(&p->rng, p->values);
    take(state, again, out);
    if (!rng_percent(&p->rng, 12))
      continue;
    struct chain other = {0};
    bool there = rng_percent(&p->rng, 50);
    uint32_t thread = there ? rng_below(&p->rng, p->threads) : event->thread;
    push_fence(p, &other, thread);
    push_access(p, &other, thread, there ? event->object : rng_below(&p->rng, p->locations),
                pick(p, any, 4));
    for (uint32_t i = rng_below(&p->rng, other.count); i < other.count; i++)
      take(state, other.at[i], out);
  }
}

// The noise and the chains, each in its order, one of them at a time.
static void weave(struct planter *p, const struct trace *noise, size_t most_noise,
                  struct chain *chains, uint32_t chain_count, struct trace *out) {
  struct legal state = {0};
  size_t next = 0, left = noise->count < most_noise ? noise->count : most_noise;
  uint32_t noise_percent = rng_below(&p->rng, 60), open = 0;
  while (next < left || open < chain_count) {
    struct trace_event event;
    uint32_t at = open + rng_below(&p->rng, 3);
    if (at >= chain_count)
      at = open;
    if (open == chain_count || (next < left && rng_percent(&p->rng, noise_percent))) {
      event = noise->events[next++];
    } else {
      while (chains[at].whole && chains[at].done + 1 < chains[at].count)
        take(&state, chains[at].at[chains[at].done++], out);
      event = chains[at].at[chains[at].done++];
      while (open < chain_count && chains[open].done == chains[open].count)
        open++;
      while (at < chain_count && at > open && chains[at].done == chains[at].count) {
        struct chain ended = chains[at];
        chains[at] = chains[open];
        chains[open++] = ended;
      }
    }
    take(&state, event, out);
    make_again(p, &state, &event, out);
  }
  legal_clear(&state);
}

void planted_trace(enum profile profile, uint64_t seed, struct trace *out) {
  static struct chain chains[CHAINS_MAX];
  struct planter p = {.rng = {seed}};
  struct trace noise = {0};
  bool small = profile == PROFILE_SHORT;
  profile_trace(profile, rng_next(&p.rng), &noise);
  trace_clear(out);
  p.threads = rng_between(&p.rng, 2, small ? 4 : 12);
  p.locations = rng_between(&p.rng, 2, small ? 3 : 6);
  p.values = rng_between(&p.rng, 2, 4);
  p.sc_percent = rng_percent(&p.rng, 15) ? 100 : rng_between(&p.rng, 20, 95);
  p.fence_percent = rng_percent(&p.rng, 40) ? 0 : rng_below(&p.rng, 60);
  out->threads = noise.threads > p.threads ? noise.threads : p.threads;
  p.again_percent = small || rng_percent(&p.rng, 50) ? 0 : rng_below(&p.rng, 60);
  p.among_percent = small || rng_percent(&p.rng, 50) ? 0 : rng_below(&p.rng, 60);
  uint32_t count = rng_between(&p.rng, 1, small ? 3 : CHAINS_MAX);
  for (uint32_t i = 0; i < count; i++)
    plant_one(&p, &chains[i]);
  weave(&p, &noise, small ? SHORT_EVENTS : SIZE_MAX, chains, count, out);
  trace_free(&noise);
}
