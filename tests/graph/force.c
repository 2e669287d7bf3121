// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <string.h>

#include "classes.h"

void keys_add(struct graph_keys *keys, const struct graph_key *key) {
  keys->at = trace_grow(keys->at, &keys->room, keys->count + 1, sizeof *keys->at);
  keys->at[keys->count++] = *key;
}

static int compare_keys(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct graph_key));
}

void keys_sort(struct graph_keys *keys) {
  size_t kept = 0;
  if (keys->count)
    qsort(keys->at, keys->count, sizeof *keys->at, compare_keys);
  for (size_t i = 0; i < keys->count; i++)
    if (!i || compare_keys(&keys->at[i], &keys->at[kept - 1]))
      keys->at[kept++] = keys->at[i];
  keys->twice = keys->count - kept;
  keys->count = kept;
}

bool keys_equal(const struct graph_keys *a, const struct graph_keys *b) {
  return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count * sizeof *a->at));
}

void keys_free(struct graph_keys *keys) {
  free(keys->at);
  memset(keys, 0, sizeof *keys);
}

struct force {
  struct graph_keys *keys;
  enum rsan_graph_model model;
  uint64_t steps, most;
};

static uint64_t newest_value(const struct graph *graph, uint32_t location) {
  const struct graph_list *mo = &graph->mo[location];
  return mo->count ? graph->nodes[mo->at[mo->count - 1]].value : 0;
}

// Returns whether no thread can go on: each has ended, or waits for a value that the newest write
// does not have. *deadlock: a thread waits.
static bool is_at_end(const struct enumerate_state *state, bool *deadlock) {
  const struct program *program = state->program;
  *deadlock = false;
  for (uint32_t t = 0; t < program->threads; t++) {
    if (state->done[t] == program->length[t])
      continue;
    const struct trace_event *op = &program->ops[t][state->done[t]];
    if ((op->op != TRACE_WAIT && op->op != TRACE_BCAS) ||
        newest_value(&state->graph, op->object) == op->expected)
      return false;
    *deadlock = true;
  }
  return true;
}

static bool is_plain_node(const struct graph_node *node) {
  return node->kind == GRAPH_PLAIN_READ || node->kind == GRAPH_PLAIN_WRITE;
}

static bool has_race(const struct enumerate_state *state) {
  const struct graph *graph = &state->graph;
  for (size_t a = 0; a < graph->count; a++)
    for (size_t b = 0; b < a; b++) {
      const struct graph_node *x = &graph->nodes[a], *y = &graph->nodes[b];
      if (is_plain_node(x) && is_plain_node(y) && x->location == y->location &&
          (x->kind == GRAPH_PLAIN_WRITE || y->kind == GRAPH_PLAIN_WRITE) &&
          !relation_has(&state->relations.hb, a, b) && !relation_has(&state->relations.hb, b, a))
        return true;
    }
  return false;
}

static void make_key(const struct force *force, const struct enumerate_state *state,
                     struct graph_key *key) {
  const struct graph *graph = &state->graph;
  uint8_t name[MOST_NODES];
  uint32_t index[PROGRAM_MAX_THREADS] = {0};
  uint8_t *out = key->bytes + KEY_MO;
  for (size_t e = 0; e < graph->count; e++)
    name[e] = key_name(graph->nodes[e].thread, index[graph->nodes[e].thread]++);
  for (size_t e = 0; e < graph->count; e++) {
    const struct graph_node *node = &graph->nodes[e];
    key->bytes[name[e] - 1] = (uint8_t)(1 + node->kind);
    if (graph_reads(node->kind) && node->rf != GRAPH_INITIAL)
      key->bytes[KEY_READS + name[e] - 1] = name[node->rf];
  }
  for (size_t x = 0; x < PROGRAM_MAX_LOCATIONS; x++) {
    for (size_t i = 0; i < graph->mo[x].count; i++)
      *out++ = name[graph->mo[x].at[i]];
    out++;
  }
  for (size_t i = 0; i < graph->fences.count && force->model == RSAN_GRAPH_RC20; i++)
    *out++ = name[graph->fences.at[i]];
}

static bool see(void *context, struct enumerate_state *state) {
  struct force *force = context;
  struct graph_key key = {{0}};
  bool deadlock;
  if (force->steps++ == force->most)
    return false;
  if (!is_at_end(state, &deadlock))
    return true;
  make_key(force, state, &key);
  key.bytes[KEY_RACE] = has_race(state);
  key.bytes[KEY_DEADLOCK] = deadlock;
  keys_add(force->keys, &key);
  return true;
}

// enumerate.h shows a graph when something was added to it. So is the empty one at its end?
static void see_empty(struct force *force, const struct program *program) {
  struct graph_list none[PROGRAM_MAX_LOCATIONS] = {{0}};
  struct enumerate_state state = {.program = program,
                                  .graph = {.mo = none, .locations = PROGRAM_MAX_LOCATIONS}};
  see(force, &state);
}

bool find_by_force(const struct program *program, enum rsan_graph_model model, uint64_t most,
                   struct graph_keys *keys) {
  struct force force = {.keys = keys, .model = model, .most = most};
  bool all = false;
  see_empty(&force, program);
  switch (model) {
  case RSAN_GRAPH_RC20:
    all = enumerate_rc20(program, see, &force, NULL);
    break;
  case RSAN_GRAPH_CXX20:
    all = enumerate_psc(program, GRAPH_SC_CXX20, see, &force, NULL);
    break;
  case RSAN_GRAPH_SC:
    all = enumerate_sc_graphs(program, see, &force, NULL);
    break;
  }
  keys_sort(keys);
  return all;
}
