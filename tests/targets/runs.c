// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long runs: what the engine flags on a target is what the definitions flag; with bounded history
// never more. Uniform random runs do not notice half of the possible mistakes, so that most runs
// here are strung together from short scripts in which threads read back what they have just
// stored, on few locations, and go on to others: chains through store buffers.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"
#include "judge.h"
#include "profiles.h"
#include "reduce.h"

enum { SCRIPT_MAX = 6, POOL_MAX = 6, LOCATIONS_MAX = 6, EVENTS_MAX = 300, REUSE_MAX = 800 };

struct script {
  struct trace_event ops[SCRIPT_MAX];
  uint32_t length, done, thread;
};

struct maker {
  struct rng rng;
  uint32_t threads, locations, values, ordered, sc, fences;
  uint64_t value[LOCATIONS_MAX];
  struct trace *out;
};

static enum trace_order order(struct maker *m, unsigned allowed) {
  if (rng_percent(&m->rng, m->sc))
    return TRACE_SC;
  if (!rng_percent(&m->rng, m->ordered))
    return TRACE_RLX;
  if (allowed == TRACE_ORDERS_RMW)
    return (enum trace_order)rng_between(&m->rng, TRACE_ACQ, TRACE_AR);
  return allowed == TRACE_ORDERS_READ ? TRACE_ACQ : TRACE_REL;
}

static void add(struct maker *m, struct script *script, enum trace_op op, uint32_t location) {
  if (script->length == SCRIPT_MAX)
    return;
  struct trace_event *event = &script->ops[script->length++];
  *event = (struct trace_event){.op = op, .thread = script->thread, .object = location};
  if (op == TRACE_FENCE) {
    event->object = 0;
    event->order = rng_percent(&m->rng, 70)
                       ? TRACE_SC
                       : (enum trace_order)rng_between(&m->rng, TRACE_ACQ, TRACE_AR);
    return;
  }
  event->order = order(m, trace_op_orders(op));
  if (op == TRACE_WEAK_CAS || op == TRACE_STRONG_CAS)
    event->failure = order(m, TRACE_ORDERS_READ);
}

static enum trace_op any_op(struct maker *m) {
  static const enum trace_op ops[] = {
      TRACE_LOAD,     TRACE_LOAD,       TRACE_LOAD,     TRACE_STORE,    TRACE_STORE, TRACE_STORE,
      TRACE_EXCHANGE, TRACE_STRONG_CAS, TRACE_WEAK_CAS, TRACE_FETCH_OP, TRACE_WAIT,  TRACE_BCAS};
  return ops[rng_below(&m->rng, rng_percent(&m->rng, 60) ? 6 : 12)];
}

// A store, read back, and then other locations: or some of that.
static void write_script(struct maker *m, struct script *script, uint32_t thread) {
  uint32_t at = rng_below(&m->rng, m->locations);
  script->length = script->done = 0;
  script->thread = thread;
  if (rng_percent(&m->rng, 75))
    add(m, script, rng_percent(&m->rng, 90) ? TRACE_STORE : TRACE_EXCHANGE, at);
  if (rng_percent(&m->rng, 60))
    add(m, script, rng_percent(&m->rng, 85) ? TRACE_LOAD : TRACE_STRONG_CAS, at);
  uint32_t more = rng_between(&m->rng, 1, 3);
  for (uint32_t i = 0; i < more; i++) {
    if (rng_percent(&m->rng, m->fences))
      add(m, script, TRACE_FENCE, 0);
    add(m, script, any_op(m), rng_below(&m->rng, m->locations));
  }
}

// The operation with the outcome that it has now.
static void perform(struct maker *m, const struct trace_event *op) {
  struct trace_event event = *op;
  uint64_t *value = &m->value[event.object];
  if (event.op != TRACE_FENCE && event.op != TRACE_STORE)
    event.read = *value;
  bool writes = event.op != TRACE_LOAD && event.op != TRACE_FENCE && event.op != TRACE_WAIT;
  if (writes)
    event.written = rng_below(&m->rng, m->values);
  if (event.op == TRACE_WAIT || event.op == TRACE_BCAS) {
    event.expected = event.read;
    if (rng_percent(&m->rng, 25)) {
      event.op = event.op == TRACE_WAIT ? TRACE_WAIT_BLOCKED : TRACE_BCAS_BLOCKED;
      event.order = TRACE_RLX;
      event.expected = (event.read + 1) % m->values;
      event.written = event.read = 0;
      writes = false;
    }
  }
  if (event.op == TRACE_WEAK_CAS || event.op == TRACE_STRONG_CAS) {
    event.expected = rng_percent(&m->rng, 60) ? event.read : (event.read + 1) % m->values;
    event.ok =
        event.expected == event.read && (event.op == TRACE_STRONG_CAS || rng_percent(&m->rng, 85));
    writes = event.ok;
  }
  if (writes)
    *value = event.written;
  trace_append(m->out, &event);
}

// Two to four scripts, interleaved at random.
static void make_episode(struct maker *m) {
  struct script scripts[4];
  uint32_t count = rng_between(&m->rng, 2, 4), first = rng_below(&m->rng, m->threads), left = 0;
  if (count > m->threads)
    count = m->threads;
  for (uint32_t i = 0; i < count; i++) {
    write_script(m, &scripts[i], (first + i) % m->threads);
    left += scripts[i].length;
  }
  while (left) {
    struct script *script = &scripts[rng_below(&m->rng, count)];
    if (script->done == script->length)
      continue;
    perform(m, &script->ops[script->done++]);
    left--;
  }
}

static void perform_new(struct maker *m, uint32_t thread, enum trace_op op, uint32_t location) {
  struct script script = {.thread = thread};
  add(m, &script, op, location);
  perform(m, &script.ops[0]);
}

static enum trace_op pick(struct maker *m, enum trace_op often, enum trace_op seldom) {
  return rng_percent(&m->rng, 75) ? often : seldom;
}

static enum trace_op writing(struct maker *m) {
  return pick(m, TRACE_STORE, pick(m, TRACE_EXCHANGE, TRACE_STRONG_CAS));
}

static enum trace_op reading(struct maker *m) {
  return pick(m, TRACE_LOAD, pick(m, TRACE_WEAK_CAS, TRACE_STRONG_CAS));
}

// A path from a write to an access of the same location, through threads and locations in turn: by
// reads-from, from-read, or modification order. A thread may read back its own store first.
static void make_path(struct maker *m) {
  uint32_t thread = rng_below(&m->rng, m->threads), start = rng_below(&m->rng, m->locations);
  uint32_t links = rng_between(&m->rng, 1, 5);
  perform_new(m, thread, writing(m), start);
  for (uint32_t i = 0; i < links; i++) {
    uint32_t next = rng_below(&m->rng, m->threads), at = rng_below(&m->rng, m->locations);
    uint32_t how = rng_below(&m->rng, 10);
    if (i == 0 && rng_percent(&m->rng, 40)) { // the write itself is the first link's first end
      perform_new(m, next, reading(m), start);
      thread = next;
      continue;
    }
    if (rng_percent(&m->rng, m->fences))
      perform_new(m, thread, TRACE_FENCE, 0);
    if (rng_percent(&m->rng, 20))
      perform_new(m, thread, TRACE_LOAD, rng_percent(&m->rng, 50) ? start : at);
    perform_new(m, thread, how < 5 ? reading(m) : writing(m), at);
    perform_new(m, next, how < 5 || how == 9 ? writing(m) : reading(m), at);
    thread = next;
  }
  perform_new(m, thread, pick(m, reading(m), writing(m)), start);
}

// A thread reads again what it has read, having learnt of another location, or released it,
// meanwhile; then that is written and passed on to somebody who accesses the other one.
static void make_repeat(struct maker *m) {
  uint32_t first = rng_below(&m->rng, m->threads), reader = rng_below(&m->rng, m->threads);
  uint32_t writer = rng_below(&m->rng, m->threads), last = rng_below(&m->rng, m->threads);
  uint32_t again = rng_below(&m->rng, m->locations), other = rng_below(&m->rng, m->locations);
  if (rng_percent(&m->rng, 60))
    perform_new(m, reader, TRACE_LOAD, again);
  perform_new(m, first, writing(m), other);
  if (rng_percent(&m->rng, 50)) { // so that the SC order is known already
    uint32_t third = rng_below(&m->rng, m->locations);
    perform_new(m, first, writing(m), third);
    perform_new(m, reader, TRACE_LOAD, third);
  }
  if (rng_percent(&m->rng, 40))
    perform_new(m, reader, TRACE_LOAD, again);
  perform_new(m, reader, pick(m, reading(m), writing(m)), other);
  if (rng_percent(&m->rng, 30))
    perform_new(m, reader, TRACE_LOAD, again);
  if (rng_percent(&m->rng, 30))
    perform_new(m, reader, TRACE_FENCE, 0);
  perform_new(m, reader, TRACE_LOAD, again);
  perform_new(m, writer, writing(m), again);
  perform_new(m, last, reading(m), again);
  if (rng_percent(&m->rng, m->fences))
    perform_new(m, last, TRACE_FENCE, 0);
  perform_new(m, last, pick(m, reading(m), writing(m)), other);
}

static void make_chains(uint64_t seed, struct trace *out) {
  struct maker m = {.rng = {seed}, .out = out};
  m.threads = rng_between(&m.rng, 2, POOL_MAX);
  m.locations = rng_between(&m.rng, 2, LOCATIONS_MAX);
  m.values = rng_between(&m.rng, 2, 4);
  m.ordered = rng_percent(&m.rng, 50) ? rng_below(&m.rng, 101) : 0;
  m.sc = rng_percent(&m.rng, 40) ? rng_below(&m.rng, 40) : 0;
  m.fences = rng_percent(&m.rng, 60) ? rng_below(&m.rng, 25) : 0;
  uint32_t episodes = rng_between(&m.rng, 1, rng_percent(&m.rng, 70) ? 4 : 24);
  trace_clear(out);
  out->threads = m.threads;
  for (uint32_t i = 0; i < episodes; i++) {
    uint32_t what = rng_below(&m.rng, 10);
    if (what < 5)
      make_episode(&m);
    else if (what < 8)
      make_path(&m);
    else
      make_repeat(&m);
  }
}

static void make_run(uint64_t seed, bool reuse, struct trace *out) {
  struct rng rng = {seed};
  uint32_t what = rng_below(&rng, 100);
  enum profile profile = reuse ? PROFILE_REUSE : what < 94 ? PROFILE_SHORT : PROFILE_LONG;
  if (what < 60 && !reuse)
    make_chains(rng_next(&rng), out);
  else
    profile_trace(profile, rng_next(&rng), out);
  size_t most = profile == PROFILE_REUSE ? REUSE_MAX : EVENTS_MAX;
  if (out->count > most)
    out->count = most;
}

static bool has_fences(const struct trace *trace) {
  for (size_t i = 0; i < trace->count; i++)
    if (trace->events[i].order == TRACE_SC || trace->events[i].failure == TRACE_SC)
      return true;
  return false;
}

// A thread that takes an index again knows what the index's last thread knew. Its creator knows
// that in any case, unless by C11's fences alone.
static bool may_miss(const struct trace *trace, const uint64_t *stats) {
  return stats[RSAN_STAT_forced_reuse] || (stats[RSAN_STAT_index_reuse] && has_fences(trace));
}

static bool is_subset(const struct trace_indices *a, const struct trace_indices *b) {
  size_t k = 0;
  for (size_t i = 0; i < a->count; i++) {
    while (k < b->count && b->at[k] < a->at[i])
      k++;
    if (k == b->count || b->at[k] != a->at[i])
      return false;
  }
  return true;
}

struct comparison {
  struct judge judge;
  enum target_model model;
  enum rsan_history_mode history;
  bool remembers; // loads that repeat others are left out
};

static bool differs(void *context, const struct trace *trace) {
  struct comparison *comparison = context;
  struct judge *judge = &comparison->judge;
  uint64_t stats[RSAN_STAT_COUNT] = {0};
  judge_define(judge, comparison->model, trace);
  judge_engine(comparison->model, comparison->history, comparison->remembers, trace, &judge->flags,
               stats);
  if (!is_subset(&judge->flags, &judge->expected))
    return true;
  return comparison->history == RSAN_HISTORY_EXACT && !may_miss(trace, stats) &&
         judge->flags.count != judge->expected.count;
}

static void report(struct comparison *comparison, struct trace *trace, uint64_t index,
                   uint64_t seed) {
  printf("difference: %s on %s, run %" PRIu64 " of seed %" PRIu64 "\n",
         comparison->history == RSAN_HISTORY_EXACT ? "exact" : "bounded",
         target_model_names[comparison->model], index, seed);
  reduce(trace, differs, comparison);
  differs(comparison, trace);
  trace_write(stdout, trace);
  trace_write_verdict(stdout, "definitions", &comparison->judge.expected,
                      &(struct trace_indices){0});
  trace_write_verdict(stdout, "engine", &comparison->judge.flags, &(struct trace_indices){0});
}

bool runs_random(enum target_model model, bool reuse, uint64_t first, uint64_t count,
                 uint64_t seed) {
  struct comparison comparison = {.model = model};
  struct trace trace = {0};
  uint64_t events = 0, flags = 0, kept[2] = {0};
  bool fine = true;
  for (uint64_t i = first; fine && i < first + count; i++) {
    make_run(rng_derive(seed, i), reuse, &trace);
    events += trace.count;
    comparison.remembers = i % 2;
    for (int history = 0; fine && history < 2; history++) {
      comparison.history = history ? RSAN_HISTORY_EXACT : RSAN_HISTORY_BOUNDED;
      fine = !differs(&comparison, &trace);
      kept[history] += comparison.judge.flags.count;
      if (!fine)
        report(&comparison, &trace, i, seed);
    }
    flags += comparison.judge.expected.count;
  }
  printf("seed %" PRIu64 ": %" PRIu64 " runs on %s, %" PRIu64 " events, %" PRIu64
         " flags, %s\nexact history kept %.4f %%, bounded %.4f %%\n",
         seed, count, target_model_names[model], events, flags,
         fine ? "no difference" : "a difference", 100 * (double)kept[1] / (double)(flags + !flags),
         100 * (double)kept[0] / (double)(flags + !flags));
  trace_free(&trace);
  judge_free(&comparison.judge);
  return fine;
}
