// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsan-weak-checked: random programs in which a bounded number of accesses depart, explored as by
// `rsan check --weak` (rsan/schedule/explored.h), against brute force: every interleaving, every
// choice of the model. Both have to come to the same graphs. Exit status: 0, 1 a difference was
// found, 2 bad usage.
//
// A run is over when nobody can make a step without departing: who waits need not take an older
// value, however often it may.

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "generate.h"
#include "model.h"
#include "schedule/dpor.h"
#include "schedule/schedule.h"

enum { MOST_GRAPHS = 1 << 14 };

// What the runs of a program have come to: a hash of each graph. Open addressing.
struct graphs {
  uint64_t at[MOST_GRAPHS];
  uint32_t count;
};

// How far a run is. `made`: of each operation how it took effect; 0: not yet.
struct running {
  uint32_t done[PROGRAM_MAX_THREADS];
  uint64_t made[PROGRAM_MAX_THREADS][PROGRAM_MAX_OPS];
  struct model model; // last: what is not used of it is not copied
};

static void copy(struct running *to, const struct running *from) {
  memcpy(to->done, from->done, sizeof to->done);
  memcpy(to->made, from->made, sizeof to->made);
  model_copy(&to->model, &from->model);
}

static void begin(struct running *r) {
  memset(r->done, 0, sizeof r->done);
  memset(r->made, 0, sizeof r->made);
  model_begin(&r->model, 0, MODEL_ALL_VERSIONS);
}

static void add_graph(struct graphs *graphs, const struct running *r) {
  const unsigned char *bytes = (const unsigned char *)r->made;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < sizeof r->made; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  hash += !hash;
  uint32_t i = (uint32_t)(hash % MOST_GRAPHS);
  while (graphs->at[i] && graphs->at[i] != hash)
    i = (i + 1) % MOST_GRAPHS;
  if (graphs->at[i])
    return;
  graphs->at[i] = hash;
  if (++graphs->count == MOST_GRAPHS / 2) {
    fputs("a program has too many graphs\n", stderr);
    abort();
  }
}

static bool has_graph(const struct graphs *graphs, uint64_t hash) {
  uint32_t i = (uint32_t)(hash % MOST_GRAPHS);
  while (graphs->at[i] && graphs->at[i] != hash)
    i = (i + 1) % MOST_GRAPHS;
  return graphs->at[i] == hash;
}

// -- steps --

// The thread's next operation; NULL: it has ended.
static const struct trace_event *next(const struct program *p, const struct running *r,
                                      uint32_t t) {
  return r->done[t] < p->length[t] ? &p->ops[t][r->done[t]] : NULL;
}

static uint32_t newest_of(const struct running *r, const struct trace_event *op) {
  return r->model.locations[op->object].versions_count - 1;
}

// What nobody else can notice is no step of its own: weak fences. (Cells are left out.)
static void pass(const struct program *p, struct running *r, uint32_t t) {
  const struct trace_event *op;
  while ((op = next(p, r, t)) &&
         (trace_op_is_plain(op->op) || (op->op == TRACE_FENCE && op->order != TRACE_SC))) {
    if (op->op == TRACE_FENCE)
      model_fence(&r->model, t, op->order);
    r->made[t][r->done[t]++] = 1;
  }
}

static void make_fence(const struct program *p, struct running *r, uint32_t t) {
  model_fence(&r->model, t, TRACE_SC);
  r->made[t][r->done[t]++] = 1;
  pass(p, r, t);
}

static void make(const struct program *p, struct running *r, uint32_t t,
                 const struct model_choice *choice) {
  const struct trace_event op = p->ops[t][r->done[t]];
  uint64_t found = r->model.locations[op.object].versions[choice->version].value;
  uint64_t written = op.op == TRACE_FETCH_OP ? found + op.written : op.written;
  struct trace_event access = op;
  access.thread = t;
  model_access(&r->model, &access, choice, written, GRAPH_INITIAL);
  // A write that does not depart is known by the version that it leaves.
  r->made[t][r->done[t]++] = 2 + choice->departs + 2 * choice->ok + 4 * (uint64_t)choice->version;
  pass(p, r, t);
}

// The ways of the access, those without a departure first: how many in all, and of those.
static size_t ways_of(const struct running *r, const struct trace_event *op, uint32_t t,
                      struct model_choice ways[MODEL_CHOICES], size_t *ordinary) {
  struct trace_event access = *op;
  access.thread = t;
  size_t count = model_choices(&r->model, &access, ways);
  for (*ordinary = 0; *ordinary < count && !ways[*ordinary].departs;)
    (*ordinary)++;
  return count;
}

// -- by brute force --

struct brute {
  const struct program *p;
  uint32_t most;
  struct graphs *graphs;
};

// Room for the states of a run: such a struct is large.
static struct running *at_depth(uint32_t depth) {
  static struct running *states[PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS + 1];
  if (!states[depth])
    states[depth] = malloc(sizeof *states[depth]);
  if (!states[depth])
    abort();
  return states[depth];
}

static void try_all(const struct brute *b, uint32_t depth) {
  const struct running *from = at_depth(depth);
  struct running *r = at_depth(depth + 1);
  bool over = true;
  for (uint32_t t = 0; t < b->p->threads; t++) {
    const struct trace_event *op = next(b->p, from, t);
    struct model_choice ways[MODEL_CHOICES];
    size_t ordinary = 0, count = 0;
    if (op && op->op == TRACE_FENCE) {
      copy(r, from);
      make_fence(b->p, r, t);
      try_all(b, depth + 1);
      over = false;
    } else if (op) {
      count = ways_of(from, op, t, ways, &ordinary);
    }
    over &= !ordinary;
    for (size_t i = 0; i < count; i++) {
      if (ways[i].departs && from->model.departures == b->most)
        continue;
      copy(r, from);
      make(b->p, r, t, &ways[i]);
      try_all(b, depth + 1);
    }
  }
  if (over)
    add_graph(b->graphs, from);
}

// -- by the explorer --

struct exploring {
  const struct program *p;
  uint32_t most;
  struct running r;
  uint64_t declined[PROGRAM_MAX_THREADS];
  struct asked {
    struct exploring *x;
    uint32_t thread;
  } asked[PROGRAM_MAX_THREADS];
  struct rsan_schedule schedule;
};

static struct rsan_explored explored;

// As the runtime describes it: compiler-rt-patch/src/departures/rsan_departures_explored.cpp.
static void describe(void *described, struct rsan_op *op) {
  const struct asked *asked = described;
  const struct exploring *x = asked->x;
  const struct trace_event *access = next(x->p, &x->r, asked->thread);
  const struct model_thread *thread = &x->r.model.threads[asked->thread];
  static const struct model_s nothing;
  struct model_choice ways[MODEL_CHOICES];
  size_t ordinary, count = ways_of(&x->r, access, asked->thread, ways, &ordinary);
  op->before.low = x->r.model.locations[access->object].versions[newest_of(&x->r, access)].value;
  op->until = rsan_equals((struct rsan_value){.low = access->expected});
  op->versions = newest_of(&x->r, access) + 1;
  op->writes = false;
  for (size_t i = 0; i < count; i++) {
    bool writes = model_kind(access->op, ways[i].ok) != GRAPH_READ;
    bool in_s = x->most > 1 && (model_order(access, ways[i].ok) == TRACE_SC ||
                                memcmp(&thread->c.f, &nothing, sizeof nothing) != 0);
    if (!ways[i].departs)
      op->writes |= writes;
    else
      rsan_op_might_depart(op, ways[i].version + 1, x->declined[asked->thread], writes, in_s);
  }
}

static bool holds(void *argument) {
  struct asked *asked = argument;
  const struct exploring *x = asked->x;
  struct model_choice ways[MODEL_CHOICES];
  struct rsan_op op = {0};
  size_t ordinary;
  ways_of(&x->r, next(x->p, &x->r, asked->thread), asked->thread, ways, &ordinary);
  describe(asked, &op);
  return ordinary || rsan_op_ends_by_departure(&op);
}

static void hand_in(struct exploring *x, uint32_t t) {
  const struct trace_event *op = next(x->p, &x->r, t);
  struct asked *asked = &x->asked[t];
  struct rsan_pending pending = {.kind = RSAN_KIND_FENCE, .point = 100 * t + x->r.done[t]};
  if (!op) {
    rsan_schedule_end(&x->schedule, t);
    return;
  }
  if (op->op != TRACE_FENCE) {
    enum graph_kind kind = model_kind(op->op, true);
    pending.object = op->object + 1;
    pending.kind = kind == GRAPH_READ    ? RSAN_KIND_LOAD
                   : kind == GRAPH_WRITE ? RSAN_KIND_STORE
                                         : RSAN_KIND_RMW;
    pending.writes = kind != GRAPH_READ;
    pending.describe = describe;
    pending.described = pending.argument = asked;
    pending.holds = holds;
    pending.timed = op->op == TRACE_WAIT || op->op == TRACE_BCAS;
    pending.until = pending.timed ? RSAN_UNTIL_HOLDS : RSAN_UNTIL_NOTHING;
  }
  rsan_schedule_hand_in(&x->schedule, t, &pending);
}

// The thread makes its step, or declines to.
static void step(struct exploring *x, uint32_t t) {
  const struct trace_event *op = next(x->p, &x->r, t);
  struct model_choice ways[MODEL_CHOICES];
  size_t ordinary, count, chosen;
  if (op->op == TRACE_FENCE) {
    make_fence(x->p, &x->r, t);
    return;
  }
  count = ways_of(&x->r, op, t, ways, &ordinary);
  uint32_t departs = (uint32_t)(count - ordinary);
  chosen = departs ? rsan_schedule_choose_departure(&x->schedule, departs + 1, 0) : 0;
  if (!chosen && !ordinary) {
    x->declined[t] = newest_of(&x->r, op) + 1;
    return;
  }
  x->declined[t] = 0;
  if (chosen)
    chosen += ordinary - 1;
  else if (ordinary > 1)
    chosen = rsan_schedule_choose_value(&x->schedule, (uint32_t)ordinary);
  make(x->p, &x->r, t, &ways[chosen]);
}

static void run(struct exploring *x) {
  const struct rsan_policy_options options = {.name = RSAN_POLICY_RANDOM};
  bool started[PROGRAM_MAX_THREADS] = {false};
  rsan_schedule_init(&x->schedule, &options);
  x->schedule.explored = &explored;
  begin(&x->r);
  memset(x->declined, 0, sizeof x->declined);
  for (uint32_t t = 0; t < x->p->threads; t++) {
    rsan_schedule_add(&x->schedule, t ? 0 : RSAN_NO_THREAD);
    x->asked[t] = (struct asked){x, t};
  }
  struct rsan_choice choice;
  while ((choice = rsan_schedule_choose(&x->schedule)).outcome == RSAN_CHOSE_RUN) {
    uint32_t t = choice.thread;
    if (started[t])
      step(x, t);
    else
      pass(x->p, &x->r, t);
    started[t] = true;
    hand_in(x, t);
  }
  rsan_schedule_clear(&x->schedule);
}

static uint64_t explore(struct exploring *x, struct graphs *graphs) {
  static struct rsan_dpor_step pending[RSAN_DPOR_THREADS];
  struct rsan_dpor d;
  struct rsan_dpor_node *node;
  rsan_dpor_init(&d, RSAN_DPOR_UNBOUNDED);
  explored.names.count = 0;
  bool follows = true;
  while (follows && (node = rsan_dpor_next(&d))) {
    rsan_explored_ask(&explored, node);
    explored.preemptions = RSAN_DPOR_UNBOUNDED;
    explored.loop = UINT32_MAX / 2;
    explored.departures = x->most;
    run(x);
    const struct rsan_dpor_trace trace = rsan_explored_trace(&explored, pending);
    if (trace.end == RSAN_DPOR_ENDED)
      add_graph(graphs, &x->r);
    follows = rsan_dpor_executed(&d, node, &trace);
  }
  uint64_t executions = d.executions;
  rsan_dpor_clear(&d);
  return follows ? executions : 0;
}

// -- both --

struct totals {
  uint64_t graphs, executions, departing;
};

static bool are_same(const struct graphs *a, const struct graphs *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < MOST_GRAPHS; i++)
    same = !a->at[i] || has_graph(b, a->at[i]);
  return same;
}

static bool compare(const struct program *p, uint32_t most, struct totals *totals) {
  static struct graphs all, found;
  static struct exploring x;
  struct running *first = at_depth(0);
  memset(&all, 0, sizeof all);
  memset(&found, 0, sizeof found);
  begin(first);
  for (uint32_t t = 0; t < p->threads; t++)
    pass(p, first, t);
  const struct brute brute = {p, most, &all};
  try_all(&brute, 0);
  x.p = p;
  x.most = most;
  uint64_t executions = explore(&x, &found);
  bool same = executions && are_same(&all, &found);
  totals->graphs += all.count;
  totals->executions += executions;
  if (!same) {
    printf("difference: %" PRIu32 " graphs by brute force, %" PRIu32 " explored, %" PRIu32
           " departures at most: ",
           all.count, found.count, most);
    program_print(stdout, p);
    putchar('\n');
  }
  return same;
}

static int usage(void) {
  fputs("usage: rsan-weak-checked [--seq-cst] [--departures N] [--operations N] [--count N] "
        "[--seed S]\n",
        stderr);
  return 2;
}

int main(int argc, char **argv) {
  static const struct option long_options[] = {
      {"count", required_argument, NULL, 'c'},      {"seed", required_argument, NULL, 's'},
      {"departures", required_argument, NULL, 'd'}, {"operations", required_argument, NULL, 'o'},
      {"seq-cst", no_argument, NULL, 'q'},          {NULL, 0, NULL, 0}};
  uint64_t count = 1000, seed = 1, departures = 1, operations = 7, differences = 0;
  bool seq_cst = false;
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (option == '?')
      return usage();
    if (option == 'q')
      seq_cst = true;
    else
      *(option == 'c'   ? &count
        : option == 's' ? &seed
        : option == 'd' ? &departures
                        : &operations) = parse_count(optarg);
  }
  if (optind != argc || !departures)
    return usage();
  struct totals totals = {0};
  for (uint64_t i = 0; i < count; i++) {
    struct program program;
    generate_program(rng_derive(seed, i), (uint32_t)operations, seq_cst, &program);
    differences += !compare(&program, (uint32_t)departures, &totals);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64 " graphs, %" PRIu64
         " executions, %" PRIu64 " differences\n",
         seed, count, totals.graphs, totals.executions, differences);
  return differences != 0;
}
