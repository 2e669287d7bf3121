// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "enumerate.h"

#include <stdlib.h>
#include <string.h>

enum {
  MAX_NODES = PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS,
  // done, source and kind of each node, mo of each location with its end, f
  KEY_SIZE = PROGRAM_MAX_THREADS + 2 * MAX_NODES + MAX_NODES + PROGRAM_MAX_LOCATIONS + MAX_NODES,
};

// A graph by names that do not depend on the order in which it was built.
struct key {
  uint8_t bytes[KEY_SIZE];
};

struct key_set {
  struct key *keys;
  uint8_t *used;
  size_t capacity; // a power of two
  size_t count;
};

struct search {
  struct enumerate_state state;
  struct key_set seen;
  enumerate_visitor allowed; // of the graphs in mode CONSISTENT
  enumerate_visitor visit;
  void *context;
  uint64_t steps;
};

static uint64_t hash_key(const struct key *key) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < KEY_SIZE; i++)
    hash = (hash ^ key->bytes[i]) * 0x100000001b3u;
  return hash ^ hash >> 29;
}

static bool key_set_insert(struct key_set *set, const struct key *key);

static void key_set_double(struct key_set *set) {
  struct key_set grown = {.capacity = set->capacity ? set->capacity * 2 : 256};
  size_t capacity = 0;
  grown.keys = trace_grow(NULL, &capacity, grown.capacity, sizeof *grown.keys);
  capacity = 0;
  grown.used = trace_grow(NULL, &capacity, grown.capacity, 1);
  for (size_t i = 0; i < set->capacity; i++)
    if (set->used[i])
      key_set_insert(&grown, &set->keys[i]);
  free(set->keys);
  free(set->used);
  *set = grown;
}

// True if it is new.
static bool key_set_insert(struct key_set *set, const struct key *key) {
  if (set->count * 2 >= set->capacity)
    key_set_double(set);
  size_t at = hash_key(key) & (set->capacity - 1);
  for (; set->used[at]; at = (at + 1) & (set->capacity - 1))
    if (memcmp(&set->keys[at], key, sizeof *key) == 0)
      return false;
  set->keys[at] = *key;
  set->used[at] = 1;
  set->count++;
  return true;
}

// Nodes and steps are the same here: no sc access has a fence node. A node's
// name is its thread and its index there.
static void make_key(const struct enumerate_state *state, struct key *key) {
  const struct graph *graph = &state->graph;
  uint8_t name[MAX_NODES], next[PROGRAM_MAX_THREADS] = {0};
  memset(key, 0, sizeof *key);
  for (size_t e = 0; e < graph->count; e++) {
    uint32_t thread = graph->nodes[e].thread;
    name[e] = (uint8_t)(1 + thread * PROGRAM_MAX_OPS + next[thread]++);
  }
  uint8_t *out = key->bytes;
  memcpy(out, next, sizeof next);
  out += sizeof next;
  for (size_t e = 0; e < graph->count; e++) {
    const struct graph_node *node = &graph->nodes[e];
    uint8_t *cell = out + 2 * (name[e] - 1);
    cell[0] = (uint8_t)(1 + node->kind);
    if (graph_reads(node->kind) && node->rf != GRAPH_INITIAL)
      cell[1] = name[node->rf];
  }
  out += 2 * MAX_NODES;
  for (size_t x = 0; x < graph->locations; x++) {
    for (size_t i = 0; i < graph->mo[x].count; i++)
      *out++ = name[graph->mo[x].at[i]];
    *out++ = 0;
  }
  for (size_t i = 0; i < graph->fences.count && !graph->fences_unordered; i++)
    *out++ = name[graph->fences.at[i]];
}

static bool explore(struct search *search);

static bool visit(struct search *search) {
  search->steps++;
  return search->visit(search->context, &search->state);
}

// The step is in the state. False: the visitor ended it.
static bool step_taken(struct search *search) {
  struct enumerate_state *state = &search->state;
  bool weak = state->mode == ENUMERATE_CONSISTENT;
  if (!weak && !visit(search))
    return false;
  if (state->mode != ENUMERATE_SC_ALL) {
    struct key key;
    make_key(state, &key);
    if (!key_set_insert(&search->seen, &key))
      return true;
  }
  if (weak) {
    graph_derive(&state->graph, &state->relations);
    if (!search->allowed(search->context, state))
      return true;
    if (!visit(search))
      return false;
  }
  return explore(search);
}

static bool take(struct search *search, const struct placement *placement) {
  struct enumerate_state *state = &search->state;
  uint32_t thread = placement->event.thread;
  struct graph_node node = placement->node;
  node.event = (uint32_t)state->trace.count;
  graph_add(&state->graph, &node, placement->position);
  trace_append(&state->trace, &placement->event);
  state->done[thread]++;
  bool go_on = step_taken(search);
  state->done[thread]--;
  state->trace.count--;
  graph_remove_last(&state->graph);
  return go_on;
}

// A fence, or an access that is not atomic.
static bool take_alone(struct search *search, const struct trace_event *op) {
  struct placement placement = {.event = *op};
  placement.node.thread = op->thread;
  placement.node.location = op->object;
  graph_node_set(&placement.node, op);
  if (trace_op_is_plain(op->op))
    placement.node.kind = op->op == TRACE_PLAIN_READ ? GRAPH_PLAIN_READ : GRAPH_PLAIN_WRITE;
  return take(search, &placement);
}

// A blocked arrival: a step for the check only.
static bool visit_blocked(struct search *search, const struct trace_event *op) {
  struct trace *trace = &search->state.trace;
  struct trace_event event = {
      .thread = op->thread, .object = op->object, .order = op->order, .expected = op->expected};
  event.op = op->op == TRACE_WAIT ? TRACE_WAIT_BLOCKED : TRACE_BCAS_BLOCKED;
  trace_append(trace, &event);
  bool go_on = visit(search);
  trace->count--;
  return go_on;
}

static bool explore_thread(struct search *search, uint32_t thread, bool *possible) {
  struct enumerate_state *state = &search->state;
  const struct program *program = state->program;
  if (state->done[thread] == program->length[thread])
    return true;
  struct trace_event op = program->ops[thread][state->done[thread]];
  op.thread = thread;
  if (op.op == TRACE_FENCE || trace_op_is_plain(op.op)) {
    *possible = true;
    return take_alone(search, &op);
  }
  size_t versions = state->graph.mo[op.object].count;
  bool weak = state->mode == ENUMERATE_CONSISTENT, placed = false;
  for (size_t v = weak ? 0 : versions; v <= versions; v++) {
    struct placement out[2];
    size_t count = placements_at(&state->graph, &op, v, out);
    for (size_t i = 0; i < count; i++)
      if (!take(search, &out[i]))
        return false;
    placed = placed || count;
  }
  *possible = *possible || placed;
  return placed || weak || visit_blocked(search, &op);
}

static bool explore(struct search *search) {
  bool possible = false;
  for (uint32_t t = 0; t < search->state.program->threads; t++)
    if (!explore_thread(search, t, &possible))
      return false;
  if (possible || search->state.mode != ENUMERATE_SC_ALL)
    return true;
  search->state.maximal = true;
  bool go_on = visit(search);
  search->state.maximal = false;
  return go_on;
}

static bool run(const struct program *program, struct search *search, uint64_t *steps) {
  search->state.program = program;
  search->state.trace.threads = program->threads;
  graph_need_location(&search->state.graph, PROGRAM_MAX_LOCATIONS - 1);
  bool finished = explore(search);
  if (steps)
    *steps = search->steps;
  graph_free(&search->state.graph);
  graph_relations_free(&search->state.relations);
  trace_free(&search->state.trace);
  free(search->seen.keys);
  free(search->seen.used);
  return finished;
}

static bool is_consistent(void *context, struct enumerate_state *state) {
  (void)context;
  return graph_consistent(&state->graph, &state->relations);
}

bool enumerate(const struct program *program, enum enumerate_mode mode, enumerate_visitor visitor,
               void *context, uint64_t *steps) {
  struct search search = {
      .state.mode = mode, .allowed = is_consistent, .visit = visitor, .context = context};
  return run(program, &search, steps);
}

bool enumerate_allowed(const struct program *program, enumerate_visitor allowed,
                       enumerate_visitor visitor, void *context, uint64_t *steps) {
  struct search search = {
      .state.mode = ENUMERATE_CONSISTENT, .allowed = allowed, .visit = visitor, .context = context};
  return run(program, &search, steps);
}

bool enumerate_psc(const struct program *program, enum graph_seq_cst seq_cst,
                   enumerate_visitor visitor, void *context, uint64_t *steps) {
  struct search search = {.state.mode = ENUMERATE_CONSISTENT,
                          .state.graph = {.seq_cst = seq_cst, .fences_unordered = true},
                          .allowed = is_consistent,
                          .visit = visitor,
                          .context = context};
  return run(program, &search, steps);
}

bool enumerate_rc20(const struct program *program, enumerate_visitor visitor, void *context,
                    uint64_t *steps) {
  struct search search = {.state.mode = ENUMERATE_CONSISTENT,
                          .state.graph = {.seq_cst = GRAPH_SC_CXX20},
                          .allowed = is_consistent,
                          .visit = visitor,
                          .context = context};
  return run(program, &search, steps);
}

static bool is_interleaving(void *context, struct enumerate_state *state) {
  (void)context;
  return graph_is_sc(&state->relations);
}

bool enumerate_sc_graphs(const struct program *program, enumerate_visitor visitor, void *context,
                         uint64_t *steps) {
  struct search search = {.state.mode = ENUMERATE_CONSISTENT,
                          .state.graph.fences_unordered = true,
                          .allowed = is_interleaving,
                          .visit = visitor,
                          .context = context};
  return run(program, &search, steps);
}
