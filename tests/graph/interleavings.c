// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// graph-interleavings: random programs with accesses, fences, mutexes and choices. The execution
// graphs of their interleavings (RSAN_GRAPH_SC) have to be as many as the executions of the
// explorer of schedules (rsan/schedule/dpor.h), which has no graphs. Runs of one graph are those
// that differ in the order of independent steps alone.
//
//   graph-interleavings --count N [--seed S] [--operations N]
//
// Exit status: 0, 1 a difference was found, 2 bad usage.

#include <getopt.h>
#include <inttypes.h>

#include "count.h"
#include "explore.h"
#include "graph/explore.h"
#include "rng.h"

// Objects of the graph: what is not an atomic object of the program comes behind these.
enum { MUTEXES = OBJECTS, FENCES = 2 * OBJECTS, MOST_GRAPHS = 5000 };

struct walker {
  uint8_t pc;
  uint8_t held; // mutexes, as bits
};

static struct rsan_value number(uint64_t value) {
  return (struct rsan_value){.low = value};
}

static void set_condition(struct rsan_graph_op *op, uint64_t expected, bool blocks) {
  op->conditional = true;
  op->condition = rsan_equals(number(expected));
  op->blocks = blocks;
}

// Unlocking a mutex that the thread does not have is a step that changes nothing.
static struct rsan_graph_op op_on_mutex(const struct instruction *i, uint32_t thread, bool held) {
  struct rsan_graph_op op = {.kind = RSAN_GRAPH_UPDATE, .object = MUTEXES + i->object};
  if (i->op != I_UNLOCK) {
    op.operand = number(thread + 1);
    set_condition(&op, 0, i->op == I_LOCK);
  } else if (!held) {
    op.function = RSAN_GRAPH_ADD;
  }
  return op;
}

static struct rsan_graph_op op_at(const struct instruction *i, uint32_t thread,
                                  const struct walker *w) {
  struct rsan_graph_op op = {.object = i->object, .operand = number(i->value), .size = 1};
  switch (i->op) {
  case I_LOCK:
  case I_TRY_LOCK:
  case I_UNLOCK:
    return op_on_mutex(i, thread, w->held >> i->object & 1);
  case I_LOAD:
  case I_WAIT:
    op.kind = RSAN_GRAPH_READ;
    break;
  case I_STORE:
    op.kind = RSAN_GRAPH_WRITE;
    break;
  case I_CHOOSE:
    op.kind = RSAN_GRAPH_CHOICE;
    break;
  case I_FENCE: // all of them depend on each other
    return (struct rsan_graph_op){
        .kind = RSAN_GRAPH_UPDATE, .function = RSAN_GRAPH_ADD, .object = FENCES};
  default:
    op.kind = RSAN_GRAPH_UPDATE;
    op.function = i->op == I_ADD ? RSAN_GRAPH_ADD : RSAN_GRAPH_SET;
  }
  if (i->op == I_WAIT || i->op == I_BCAS || i->op == I_CAS)
    set_condition(&op, i->expected, i->op != I_CAS);
  return op;
}

static void step(struct rsan_explore *x, const struct dpor_program *p, uint32_t thread,
                 struct walker *w) {
  const struct instruction *i = &p->at[thread][w->pc];
  struct rsan_graph_op op = op_at(i, thread, w);
  uint32_t e = rsan_explore_step(x, thread, &op);
  if (e == RSAN_GRAPH_NONE)
    return;
  bool fails = x->graph.event[e].outcome != RSAN_GRAPH_DONE;
  w->pc = (uint8_t)(w->pc + 1 + (i->op == I_TRY_LOCK && fails));
  if (i->op == I_UNLOCK)
    w->held &= (uint8_t)~(1u << i->object);
  else if ((i->op == I_LOCK || i->op == I_TRY_LOCK) && !fails)
    w->held |= (uint8_t)(1u << i->object);
}

static void run(struct rsan_explore *x, const struct dpor_program *p) {
  struct walker walkers[MOST_THREADS] = {{0}};
  for (;;) {
    uint64_t can_go_on = 0;
    for (uint32_t t = 0; t < p->threads; t++)
      can_go_on |= (uint64_t)(walkers[t].pc < p->length[t]) << t;
    uint32_t thread = rsan_explore_thread(x, can_go_on);
    if (thread == RSAN_NO_GRAPH_THREAD)
      break;
    step(x, p, thread, &walkers[thread]);
  }
  rsan_explore_end(x);
}

struct totals {
  uint64_t programs, left_out, graphs, waits;
};

static bool see(void *context, const struct dpor_program *p, const struct run *seen) {
  (void)p;
  (void)seen;
  return ++*(uint64_t *)context < MOST_GRAPHS;
}

static bool is_taken(const struct dpor_program *p) {
  bool taken = p->all_run;
  for (uint32_t t = 0; t < p->threads; t++)
    for (uint32_t k = 0; k < p->length[t]; k++)
      taken = taken && p->at[t][k].op != I_JOIN && p->at[t][k].op != I_EXIT;
  return taken;
}

// One program. False: a difference.
static bool compare(const struct dpor_program *p, struct totals *totals) {
  const struct way way = {.preemptions = RSAN_DPOR_UNBOUNDED, .jobs = 1};
  struct rsan_explore x;
  struct rsan_dpor d;
  uint64_t seen = 0;
  rsan_explore_init(&x, RSAN_GRAPH_SC);
  explore(p, &way, see, &seen, &d);
  uint64_t executions = d.executions - d.asleep;
  bool small = seen < MOST_GRAPHS;
  while (small && x.runs[RSAN_EXPLORE_COMPLETE] <= executions && rsan_explore_next(&x))
    run(&x, p);
  uint64_t graphs = x.runs[RSAN_EXPLORE_COMPLETE] + x.runs[RSAN_EXPLORE_DEADLOCK];
  bool same = !small || (graphs == executions && !x.runs[RSAN_EXPLORE_DIVERGED]);
  if (!same)
    printf("difference: %" PRIu64 " graphs for %" PRIu64 " executions, %" PRIu64 " diverged\n",
           graphs, executions, x.runs[RSAN_EXPLORE_DIVERGED]);
  totals->programs += small;
  totals->left_out += !small;
  totals->graphs += graphs;
  totals->waits += x.runs[RSAN_EXPLORE_WAITS];
  rsan_explore_clear(&x);
  rsan_dpor_clear(&d);
  return same;
}

int main(int argc, char **argv) {
  static const struct option options[] = {{"count", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"operations", required_argument, NULL, 'o'},
                                          {NULL, 0, NULL, 0}};
  struct dpor_params params = {.operations = 8, .threads = 3, .groups = 1 | 2 | 8};
  struct totals totals = {0};
  uint64_t count = 0, seed = 1;
  for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (c == '?')
      return 2;
    uint64_t *to = c == 'n' ? &count : &seed;
    if (c == 'o')
      params.operations = (uint32_t)parse_count(optarg);
    else
      *to = parse_count(optarg);
  }
  if (!count || optind != argc || params.operations > 12)
    return fputs("usage: graph-interleavings --count N [--seed S] [--operations 1..12]\n", stderr),
           2;
  for (uint64_t i = 0; i < count; i++) {
    struct dpor_program p;
    program_draw(&params, rng_derive(seed, i), &p);
    if (!is_taken(&p) || compare(&p, &totals))
      continue;
    printf("program %" PRIu64 " of seed %" PRIu64 ": ", i, seed);
    dpor_program_print(stdout, &p);
    return putchar('\n'), 1;
  }
  printf("%" PRIu64 " programs, %" PRIu64 " left out: %" PRIu64 " graphs, %" PRIu64
         " that wait; no difference\n",
         totals.programs, totals.left_out, totals.graphs, totals.waits);
  return 0;
}
