// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore.h"

#include <stdlib.h>
#include <string.h>

#include "enumerate.h"

enum {
  NODES = PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS,
  PLAINS = PROGRAM_MAX_LOCATIONS,
  KEYS = 1 << 12, // of graphs that were judged; more are judged again
};

// What is known of an access to a plain cell, and of two of them that race by the model.
struct plain {
  model_count node, thread, epoch;
  bool writes;
};

struct state {
  uint32_t done[PROGRAM_MAX_THREADS];
  uint32_t plain_count[PLAINS];
  struct plain plains[PLAINS][NODES];
  uint32_t races[NODES]; // by node: a bit for each one before it
  uint64_t read[PROGRAM_MAX_THREADS][PROGRAM_MAX_OPS];
  struct model model; // last: what is not used of it is not copied
};

struct search {
  const struct program *program;
  uint32_t most;
  bool stops;
  struct explored *sum;
  struct outcomes *outcomes;
  struct graph graph;
  struct graph_relations relations;
  uint8_t (*keys)[3 * NODES + 2];
  bool *used;
};

static uint8_t name_of(const struct graph *graph, uint32_t node) {
  return node == GRAPH_INITIAL ? 0 : (uint8_t)(graph->nodes[node].event + 1);
}

// The graph by names that do not depend on the order of the run.
static void make_key(const struct search *search, uint8_t *key) {
  const struct graph *graph = &search->graph;
  uint8_t *out = key + NODES;
  memset(key, 0, sizeof *search->keys);
  for (uint32_t e = 0; e < graph->count; e++) {
    uint32_t name = graph->nodes[e].event;
    if (graph_reads(graph->nodes[e].kind))
      key[name] = (uint8_t)(1 + name_of(graph, graph->nodes[e].rf) +
                            (graph->nodes[e].kind == GRAPH_RMW ? 100 : 0));
  }
  for (uint32_t x = 0; x < graph->locations; x++)
    for (size_t i = 0; i < graph->mo[x].count; i++)
      *out++ = name_of(graph, graph->mo[x].at[i]);
  for (size_t i = 0; i < graph->fences.count; i++)
    *out++ = name_of(graph, graph->fences.at[i]);
}

// Has that graph come before?
static bool was_judged(struct search *search) {
  uint8_t key[sizeof *search->keys];
  make_key(search, key);
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < sizeof key; i++)
    hash = (hash ^ key[i]) * 0x100000001b3u;
  size_t at = (hash ^ hash >> 29) % KEYS;
  if (search->used[at] && memcmp(search->keys[at], key, sizeof key) == 0)
    return true;
  search->used[at] = true;
  memcpy(search->keys[at], key, sizeof key);
  return false;
}

// Conflicting accesses of cells that happens-before does not order, by the graph and by the model.
static void judge_races(struct search *search, const struct state *state) {
  const struct graph *graph = &search->graph;
  for (uint32_t b = 0; b < graph->count; b++)
    for (uint32_t a = 0; a < b; a++) {
      const struct graph_node *first = &graph->nodes[a], *second = &graph->nodes[b];
      bool both = first->kind >= GRAPH_PLAIN_READ && second->kind >= GRAPH_PLAIN_READ;
      bool writes = first->kind == GRAPH_PLAIN_WRITE || second->kind == GRAPH_PLAIN_WRITE;
      bool conflict = both && writes && first->location == second->location;
      bool race = conflict && !relation_has(&search->relations.hb, a, b);
      bool by_model = state->races[b] >> a & 1;
      search->sum->false_races += by_model && !race;
      search->sum->missed_races += race && !by_model;
    }
}

static void note_outcome(const struct search *search, const struct state *state) {
  const struct program *program = search->program;
  outcome o = 0;
  for (uint32_t t = 0; t < program->threads; t++) {
    if (state->done[t] < program->length[t])
      return;
    for (uint32_t i = 0; i < program->length[t]; i++)
      o = (outcome)(o << 4 | state->read[t][i]);
  }
  search->outcomes->bits[o / 64] |= (uint64_t)1 << o % 64;
}

static bool has_plain(const struct graph *graph) {
  for (uint32_t e = 0; e < graph->count; e++)
    if (graph->nodes[e].kind >= GRAPH_PLAIN_READ)
      return true;
  return false;
}

// The end of a run.
static void judge(struct search *search, const struct state *state) {
  struct explored *sum = search->sum;
  sum->runs++;
  sum->departing += state->model.departures != 0;
  sum->departures += state->model.departures;
  if (search->outcomes)
    note_outcome(search, state);
  bool plain = has_plain(&search->graph);
  bool anew = state->model.departures && !was_judged(search);
  if (!anew && !plain)
    return;
  graph_derive(&search->graph, &search->relations);
  if (plain)
    judge_races(search, state);
  if (!anew)
    return;
  sum->graphs++;
  sum->inconsistent += !graph_consistent(&search->graph, &search->relations);
}

static bool ended(const struct search *search) {
  return search->stops && explored_bad(search->sum);
}

static void go_on(struct search *search, const struct state *state);

static uint32_t add_node(struct search *search, const struct trace_event *op,
                         const struct state *state, struct graph_node node, size_t position) {
  node.thread = op->thread;
  node.event = op->thread * PROGRAM_MAX_OPS + state->done[op->thread];
  return graph_add(&search->graph, &node, position);
}

// What the choice reads, or writes upon, as a position in the graph's modification order. A write
// that departs comes right before the version that it misses, a read-modify-write after the one
// that it reads.
static size_t position_of(const struct search *search, const struct model_location *x,
                          const struct model_choice *choice, enum graph_kind kind) {
  bool before_missed = choice->departs && kind == GRAPH_WRITE;
  const struct model_version *version = &x->versions[choice->version + before_missed];
  return graph_position(&search->graph, version->node) - before_missed;
}

// False: the operation has no such way.
static bool place(const struct search *search, const struct trace_event *op, size_t position,
                  const struct model_choice *choice, struct placement *out) {
  struct placement ways[2];
  size_t count = placements_at(&search->graph, op, position, ways);
  for (size_t i = 0; i < count; i++)
    if (ways[i].node.kind == model_kind(op->op, choice->ok)) {
      *out = ways[i];
      return true;
    }
  return false;
}

// The first departure of a run makes it one that no sequentially consistent run is like.
static void judge_first(struct search *search, const struct state *after,
                        const struct model_choice *choice) {
  if (!choice->departs || after->model.departures != 1)
    return;
  graph_derive(&search->graph, &search->relations);
  search->sum->not_stale += graph_is_sc(&search->relations);
}

static void copy(struct state *into, const struct state *from) {
  memcpy(into, from, offsetof(struct state, model));
  model_copy(&into->model, &from->model);
}

static void take(struct search *search, const struct state *state, const struct trace_event *op,
                 const struct model_choice *choice) {
  const struct model_location *x = &state->model.locations[op->object];
  enum graph_kind kind = model_kind(op->op, choice->ok);
  size_t position = position_of(search, x, choice, kind);
  struct placement placement;
  if (!place(search, op, position, choice, &placement)) {
    search->sum->wrong_values++;
    return;
  }
  struct state after;
  copy(&after, state);
  after.read[op->thread][after.done[op->thread]] = placement.event.read;
  uint32_t node = add_node(search, op, state, placement.node, placement.position);
  model_access(&after.model, op, choice, placement.node.value, node);
  after.done[op->thread]++;
  judge_first(search, &after, choice);
  go_on(search, &after);
  graph_remove_last(&search->graph);
}

static void take_other(struct search *search, const struct state *state,
                       const struct trace_event *op) {
  struct graph_node node = {0};
  struct state after;
  copy(&after, state);
  if (op->op == TRACE_FENCE)
    graph_node_set(&node, op);
  else
    node.kind = op->op == TRACE_PLAIN_READ ? GRAPH_PLAIN_READ : GRAPH_PLAIN_WRITE;
  node.location = op->op == TRACE_FENCE ? 0 : op->object;
  uint32_t at = add_node(search, op, state, node, 0);
  after.done[op->thread]++;
  if (op->op == TRACE_FENCE) {
    model_fence(&after.model, op->thread, op->order);
  } else {
    const model_count *known = after.model.threads[op->thread].c.hb;
    struct plain *plains = after.plains[op->object];
    struct plain now = {(model_count)at, (model_count)op->thread, known[op->thread],
                        op->op == TRACE_PLAIN_WRITE};
    for (uint32_t i = 0; i < after.plain_count[op->object]; i++)
      if ((plains[i].writes || now.writes) && plains[i].epoch > known[plains[i].thread])
        after.races[at] |= 1u << plains[i].node;
    plains[after.plain_count[op->object]++] = now;
  }
  go_on(search, &after);
  graph_remove_last(&search->graph);
}

static void go_on(struct search *search, const struct state *state) {
  const struct program *program = search->program;
  bool possible = false;
  for (uint32_t t = 0; t < program->threads && !ended(search); t++) {
    if (state->done[t] == program->length[t])
      continue;
    struct trace_event op = program->ops[t][state->done[t]];
    op.thread = t;
    if (op.op == TRACE_FENCE || trace_op_is_plain(op.op)) {
      possible = true;
      take_other(search, state, &op);
      continue;
    }
    struct model_choice choices[MODEL_CHOICES];
    size_t count = model_choices(&state->model, &op, choices);
    for (size_t i = 0; i < count && !ended(search); i++) {
      if (choices[i].departs && state->model.departures == search->most)
        continue;
      possible = true;
      take(search, state, &op, &choices[i]);
    }
  }
  if (!possible)
    judge(search, state);
}

bool has_seq_cst(const struct program *program) {
  for (uint32_t t = 0; t < program->threads; t++)
    for (uint32_t i = 0; i < program->length[t]; i++) {
      const struct trace_event *op = &program->ops[t][i];
      if (op->op != TRACE_FENCE && (op->order == TRACE_SC || op->failure == TRACE_SC))
        return true;
    }
  return false;
}

void explore(const struct program *program, uint32_t rules, uint32_t most, bool stops,
             struct explored *sum, struct outcomes *outcomes) {
  struct search search = {
      .program = program, .most = most, .stops = stops, .sum = sum, .outcomes = outcomes};
  size_t room = 0, used_room = 0;
  search.keys = trace_grow(NULL, &room, KEYS, sizeof *search.keys);
  search.used = trace_grow(NULL, &used_room, KEYS, sizeof *search.used);
  search.graph.seq_cst = has_seq_cst(program) ? GRAPH_SC_CXX20 : GRAPH_SC_ACQ_REL;
  graph_need_location(&search.graph, PROGRAM_MAX_LOCATIONS - 1);
  struct state *start = calloc(1, sizeof *start);
  model_begin(&start->model, rules, MODEL_ALL_VERSIONS);
  go_on(&search, start);
  free(start);
  free(search.keys);
  free(search.used);
  graph_free(&search.graph);
  graph_relations_free(&search.relations);
}

static bool note_graph(void *context, struct enumerate_state *state) {
  const struct program *program = state->program;
  struct outcomes *outcomes = context;
  outcome o = 0;
  for (uint32_t t = 0; t < program->threads; t++)
    if (state->done[t] < program->length[t])
      return true;
  for (uint32_t t = 0; t < program->threads; t++)
    for (size_t i = 0; i < state->trace.count; i++)
      if (state->trace.events[i].thread == t)
        o = (outcome)(o << 4 | state->trace.events[i].read);
  outcomes->bits[o / 64] |= (uint64_t)1 << o % 64;
  return true;
}

void outcomes_allowed(const struct program *program, struct outcomes *outcomes) {
  if (has_seq_cst(program))
    enumerate_psc(program, GRAPH_SC_CXX20, note_graph, outcomes, NULL);
  else
    enumerate(program, ENUMERATE_CONSISTENT, note_graph, outcomes, NULL);
}
