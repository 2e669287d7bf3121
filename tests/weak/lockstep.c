// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-weak-core: the core against the model, in random runs of up to 240 steps, half of them of
// the examples. At each access both say what it may be given: the same with all of the history, and
// the core no more than the model with a bounded one. One of these ways is taken by both. Plain
// accesses race by both, or by none. Exit status: 0, 1 a difference was found, 2 bad usage.

#define _POSIX_C_SOURCE 200809L

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core_order.h"
#include "count.h"
#include "engine.h"
#include "examples.h"
#include "model.h"
#include "steps/types.h"

enum { CELLS = 2, STEPS_MOST = MODEL_STEPS };

struct walk {
  struct rng rng;
  bool bounded;
  struct model model;
  struct rsan_engine *engine;
  struct rsan_thread *threads[MODEL_THREADS];
  struct rsan_location *locations[MODEL_LOCATIONS];
  struct rsan_cell *cells[CELLS];
  uint64_t value[MODEL_LOCATIONS];
  model_count read[CELLS][MODEL_THREADS], written[CELLS][MODEL_THREADS]; // epochs, by the model
  uint32_t thread_count, location_count, ordered_percent, sc_percent, hot_percent, add_percent;
  uint32_t again_percent, ask_percent, depart_percent;
  const struct program *program; // NULL: operations are drawn
  uint32_t done[MODEL_THREADS];
  struct trace_event steps[STEPS_MOST];
  struct model_choice choices[STEPS_MOST];
  uint32_t step_count;
  const char *difference; // what differs; NULL: nothing yet
};

struct totals {
  uint64_t steps, candidates, by_core, departures, races;
};

static enum rsan_access_kind core_kind(enum trace_op op, bool ok) {
  static const enum rsan_access_kind kinds[] = {
      [GRAPH_READ] = RSAN_READ, [GRAPH_WRITE] = RSAN_WRITE, [GRAPH_RMW] = RSAN_RMW};
  return kinds[model_kind(op, ok)];
}

static enum rsan_check core_check(enum trace_op op) {
  static const enum rsan_check checks[] = {
      [TRACE_LOAD] = RSAN_CHECK_READ,      [TRACE_STORE] = RSAN_CHECK_WRITE,
      [TRACE_FETCH_OP] = RSAN_CHECK_WRITE, [TRACE_EXCHANGE] = RSAN_CHECK_WRITE,
      [TRACE_WEAK_CAS] = RSAN_CHECK_READ,  [TRACE_STRONG_CAS] = RSAN_CHECK_STRONG_CAS,
      [TRACE_WAIT] = RSAN_CHECK_WAIT,      [TRACE_BCAS] = RSAN_CHECK_BCAS};
  return checks[op];
}

static bool is_cas(enum trace_op op) {
  return op == TRACE_WEAK_CAS || op == TRACE_STRONG_CAS;
}

static struct rsan_access core_access(const struct walk *walk, const struct trace_event *op,
                                      bool ok) {
  uint64_t value = walk->value[op->object];
  return (struct rsan_access){
      .site = walk->step_count,
      .address = op->object,
      .kind = core_kind(op->op, ok),
      .check = core_check(op->op),
      .weak = op->op == TRACE_WEAK_CAS,
      .order = core_order(model_order(op, ok)),
      .compares = is_cas(op->op),
      .success = core_order(op->order),
      .failure = core_order(op->failure),
      .size = 8,
      .seen = {value, 0},
      .written = {op->op == TRACE_FETCH_OP ? value + op->written : op->written, 0},
      .expected = rsan_equals((struct rsan_value){op->expected, 0}),
  };
}

static enum trace_order draw_order(struct walk *walk, unsigned allowed) {
  struct rng *rng = &walk->rng;
  if (rng_percent(rng, allowed == TRACE_ORDERS_FENCE ? 60 : walk->sc_percent))
    return TRACE_SC;
  if (allowed != TRACE_ORDERS_FENCE && !rng_percent(rng, walk->ordered_percent))
    return TRACE_RLX;
  enum trace_order order;
  do
    order = (enum trace_order)rng_between(rng, TRACE_ACQ, TRACE_AR);
  while (!(allowed >> order & 1));
  return order;
}

// The same operation by the same thread once more, or another one.
static struct trace_event draw(struct walk *walk) {
  static const enum trace_op ops[] = {
      TRACE_LOAD,       TRACE_LOAD,     TRACE_LOAD,       TRACE_LOAD,       TRACE_LOAD,
      TRACE_STORE,      TRACE_STORE,    TRACE_STORE,      TRACE_STORE,      TRACE_STORE,
      TRACE_FETCH_OP,   TRACE_EXCHANGE, TRACE_WAIT,       TRACE_BCAS,       TRACE_WEAK_CAS,
      TRACE_STRONG_CAS, TRACE_FENCE,    TRACE_PLAIN_READ, TRACE_PLAIN_WRITE};
  struct rng *rng = &walk->rng;
  if (walk->step_count && rng_percent(rng, walk->again_percent))
    return walk->steps[walk->step_count - 1];
  struct trace_event op = {.thread = rng_below(rng, walk->thread_count)};
  op.op = rng_percent(rng, walk->add_percent) ? TRACE_FETCH_OP
                                              : ops[rng_below(rng, sizeof ops / sizeof *ops)];
  if (trace_op_is_plain(op.op)) {
    op.object = rng_below(rng, CELLS);
    return op;
  }
  op.order = draw_order(walk, trace_op_orders(op.op));
  if (op.op == TRACE_FENCE)
    return op;
  bool hot = rng_percent(rng, walk->hot_percent);
  op.object = hot ? 0 : rng_below(rng, walk->location_count);
  op.written = rng_between(rng, 1, 3);
  op.expected = rng_percent(rng, 50) ? walk->value[op.object] : rng_below(rng, 4);
  op.failure = is_cas(op.op) ? draw_order(walk, TRACE_ORDERS_READ) : TRACE_RLX;
  return op;
}

// The next operation of some thread of the program; false: there is none.
static bool draw_next(struct walk *walk, struct trace_event *op) {
  uint32_t left = 0;
  for (uint32_t t = 0; t < walk->thread_count; t++)
    left += walk->done[t] < walk->program->length[t];
  if (!left)
    return false;
  uint32_t t = rng_below(&walk->rng, walk->thread_count);
  while (walk->done[t] == walk->program->length[t])
    t = (t + 1) % walk->thread_count;
  *op = walk->program->ops[t][walk->done[t]++];
  op->thread = t;
  return true;
}

static void differ(struct walk *walk, const char *what) {
  if (!walk->difference)
    walk->difference = what;
}

// Are the core's candidates the model's choices, or with bounded history some of them?
static void compare(struct walk *walk, const struct trace_event *op,
                    const struct model_choice *choices, size_t count,
                    const struct rsan_candidate *candidates, uint32_t candidate_count) {
  size_t next = 0;
  for (uint32_t i = 0; i < candidate_count; i++) {
    const struct rsan_candidate *candidate = &candidates[i];
    bool same = false;
    for (; next < count && !same; next++)
      same = choices[next].version == candidate->version &&
             core_kind(op->op, choices[next].ok) == candidate->kind &&
             core_order(model_order(op, choices[next].ok)) == candidate->order;
    if (!same)
      differ(walk, "a candidate of the core is none of the model");
    else if (walk->model.locations[op->object].versions[candidate->version].value !=
             candidate->value.low)
      differ(walk, "a candidate has another value");
  }
  if (!walk->bounded && candidate_count != count)
    differ(walk, "a candidate of the model is none of the core");
}

static void step_plain(struct walk *walk, const struct trace_event *op, struct totals *totals) {
  const model_count *known = walk->model.threads[op->thread].c.hb;
  bool writes = op->op == TRACE_PLAIN_WRITE, races = false;
  for (uint32_t t = 0; t < MODEL_THREADS; t++)
    races |=
        walk->written[op->object][t] > known[t] || (writes && walk->read[op->object][t] > known[t]);
  (writes ? walk->written : walk->read)[op->object][op->thread] = known[op->thread];
  if (rsan_plain_access(walk->threads[op->thread], walk->cells[op->object], writes) != races)
    differ(walk, races ? "a race is missed" : "a race is none");
  totals->races += races;
}

static void depart(struct walk *walk, const struct trace_event *op,
                   const struct rsan_access *access, const struct rsan_candidate *candidate) {
  struct rsan_thread *thread = walk->threads[op->thread];
  struct rsan_location *location = walk->locations[op->object];
  struct rsan_violation violation;
  const struct model_thread *of_model = &walk->model.threads[op->thread];
  bool ok = candidate->kind == RSAN_RMW, first = !walk->model.departures;
  struct model_choice choice = {.departs = true, .ok = ok, .version = (uint32_t)candidate->version};
  walk->choices[walk->step_count - 1] = choice;
  uint64_t epoch = rsan_hb_epoch(&thread->hb), own = of_model->c.hb[op->thread];
  bool violates = rsan_weak_depart(thread, location, access, candidate, &violation);
  model_access(&walk->model, op, &choice, 0, 0);
  if (rsan_hb_epoch(&thread->hb) - epoch != of_model->c.hb[op->thread] - own)
    differ(walk, "the epoch has moved on by one of both");
  if (violates && !first)
    differ(walk, "a violation was found after a departure");
  if (!violates && first && !walk->bounded)
    differ(walk, "the first departure violates nothing");
}

static void step_access(struct walk *walk, const struct trace_event *op, struct totals *totals) {
  struct rsan_thread *thread = walk->threads[op->thread];
  struct rsan_location *location = walk->locations[op->object];
  struct model_choice choices[MODEL_CHOICES];
  struct rsan_candidate candidates[RSAN_CANDIDATES];
  struct rsan_violation violation;
  model_arrive(&walk->model, op);
  size_t count = model_choices(&walk->model, op, choices), ordinary = 0;
  while (ordinary < count && !choices[ordinary].departs)
    ordinary++;
  struct model_choice choice = {0};
  if (ordinary)
    choice = choices[rng_below(&walk->rng, (uint32_t)ordinary)];
  struct rsan_access access = core_access(walk, op, choice.ok);
  uint32_t found = 0;
  if (rng_percent(&walk->rng, walk->ask_percent)) {
    found = rsan_weak_candidates(thread, location, &access, candidates);
    compare(walk, op, choices + ordinary, count - ordinary, candidates, found);
    totals->candidates += count - ordinary;
    totals->by_core += found;
  }
  if (found && rng_percent(&walk->rng, walk->depart_percent)) {
    totals->departures++;
    depart(walk, op, &access, &candidates[rng_below(&walk->rng, found)]);
    return;
  }
  if (!ordinary) { // it blocks
    rsan_arrive_blocked(thread, location, &access, &violation);
    walk->step_count--;
    walk->done[op->thread] -= walk->program != NULL;
    return;
  }
  walk->choices[walk->step_count - 1] = choice;
  if (access.kind != RSAN_READ)
    walk->value[op->object] = access.written.low;
  if (rsan_atomic_access(thread, location, &access, &violation) && walk->model.departures)
    differ(walk, "a violation was found after a departure");
  model_access(&walk->model, op, &choice, access.written.low, 0);
}

static void begin(struct walk *walk, uint64_t seed, bool bounded) {
  memset(walk, 0, sizeof *walk);
  struct rng *rng = &walk->rng;
  rng->state = seed;
  walk->bounded = bounded;
  walk->thread_count = rng_between(rng, 2, MODEL_THREADS);
  walk->location_count = rng_between(rng, 1, MODEL_LOCATIONS);
  walk->ordered_percent = rng_below(rng, 101);
  walk->sc_percent = rng_percent(rng, 50) ? rng_below(rng, 101) : 0;
  walk->hot_percent = rng_percent(rng, 30) ? rng_below(rng, 101) : 0;
  walk->add_percent = rng_percent(rng, 30) ? rng_below(rng, 80) : 0;
  walk->again_percent = rng_percent(rng, 30) ? rng_below(rng, 80) : 0;
  walk->ask_percent = rng_between(rng, 50, 100);
  walk->depart_percent = rng_between(rng, 5, 80);
  if (rng_percent(rng, 50)) {
    static struct program program;
    const char *reason;
    if (!program_parse_plain(examples[rng_below(rng, (uint32_t)example_count)].program, &program,
                             &reason))
      abort();
    walk->program = &program;
    walk->thread_count = program.threads;
    walk->location_count = MODEL_LOCATIONS;
  }
  model_begin(&walk->model, bounded ? MODEL_LATE_S : 0, RSAN_WEAK_VERSIONS);
  struct rsan_options options = {.history = bounded ? RSAN_HISTORY_BOUNDED : RSAN_HISTORY_EXACT,
                                 .weak = true};
  walk->engine = rsan_engine_new(&options);
  for (uint32_t t = 0; t < walk->thread_count; t++)
    walk->threads[t] = rsan_thread_create(walk->engine, NULL, t);
  for (uint32_t x = 0; x < walk->location_count; x++)
    walk->locations[x] = rsan_location_new(walk->engine, NULL, 8);
  for (uint32_t n = 0; n < CELLS; n++)
    walk->cells[n] = rsan_cell_new();
}

static void end(struct walk *walk) {
  for (uint32_t t = 0; t < walk->thread_count; t++) {
    rsan_thread_finish(walk->threads[t]);
    rsan_thread_free(walk->threads[t]);
  }
  for (uint32_t x = 0; x < walk->location_count; x++)
    rsan_location_free(walk->engine, walk->locations[x]);
  for (uint32_t n = 0; n < CELLS; n++)
    rsan_cell_free(walk->cells[n]);
  rsan_engine_free(walk->engine);
}

static void print(const struct walk *walk, uint64_t number, uint64_t seed) {
  printf("difference: %s, run %" PRIu64 " of seed %" PRIu64 "\n", walk->difference, number, seed);
  for (uint32_t i = 0; i < walk->step_count; i++) {
    struct program one = {.threads = 1, .length = {1}};
    one.ops[0][0] = walk->steps[i];
    printf("  %" PRIu32 ": ", walk->steps[i].thread);
    program_print(stdout, &one);
    if (is_cas(walk->steps[i].op))
      printf(" %s", walk->choices[i].ok ? "succeeds" : "fails");
    if (walk->choices[i].departs)
      printf(", departs to version %" PRIu32, walk->choices[i].version);
    putchar('\n');
  }
}

static bool run(uint64_t number, uint64_t seed, bool bounded, struct totals *totals) {
  static struct walk walk;
  begin(&walk, rng_derive(seed, number), bounded);
  uint32_t steps = rng_between(&walk.rng, 5, STEPS_MOST);
  for (uint32_t tries = 0; tries < steps && !walk.difference; tries++) {
    struct trace_event op;
    if (!walk.program)
      op = draw(&walk);
    else if (!draw_next(&walk, &op))
      break;
    walk.choices[walk.step_count] = (struct model_choice){0};
    walk.steps[walk.step_count++] = op;
    if (op.op == TRACE_FENCE) {
      rsan_fence(walk.threads[op.thread], core_order(op.order));
      model_fence(&walk.model, op.thread, op.order);
    } else if (trace_op_is_plain(op.op)) {
      step_plain(&walk, &op, totals);
    } else {
      step_access(&walk, &op, totals);
    }
  }
  totals->steps += walk.step_count;
  if (walk.difference)
    print(&walk, number, seed);
  end(&walk);
  return !walk.difference;
}

static int usage(void) {
  fputs("usage: rsan-weak-core exact|bounded [--count N] [--seed S] [--first I]\n", stderr);
  return 2;
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {{"count", required_argument, NULL, 'c'},
                                               {"seed", required_argument, NULL, 's'},
                                               {"first", required_argument, NULL, 'f'},
                                               {NULL, 0, NULL, 0}};
  uint64_t count = 1000, seed = 1, first = 0, i;
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (option == '?')
      return usage();
    *(option == 'c' ? &count : option == 's' ? &seed : &first) = parse_count(optarg);
  }
  bool bounded = optind + 1 == argc && strcmp(argv[optind], "bounded") == 0;
  if (!bounded && (optind + 1 != argc || strcmp(argv[optind], "exact") != 0))
    return usage();
  struct totals totals = {0};
  bool same = true;
  for (i = first; same && i < first + count; i++)
    same = run(i, seed, bounded, &totals);
  printf("seed %" PRIu64 ": %" PRIu64 " runs, %" PRIu64 " steps, %" PRIu64
         " candidates, of the core %" PRIu64 ", %" PRIu64 " departures, %" PRIu64 " races, %s\n",
         seed, i - first, totals.steps, totals.candidates, totals.by_core, totals.departures,
         totals.races, same ? "no difference" : "a difference");
  return !same;
}
