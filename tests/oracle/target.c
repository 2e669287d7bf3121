// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all targets have in common: coherence, atomicity, checks, and the enumeration of programs.
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "target_order.h"

const char *const target_model_names[TARGET_MODEL_COUNT] = {
    [TARGET_X86] = "x86",
    [TARGET_ARM] = "armv8",
    [TARGET_ARM_DEFINITE] = "armv8-definite",
    [TARGET_ARM_LDAR] = "armv8-ldar",
    [TARGET_ARM_LDAR_DEFINITE] = "armv8-ldar-definite",
    [TARGET_ARM_LSE] = "armv8-lse",
    [TARGET_ARM_LSE_DEFINITE] = "armv8-lse-definite",
};

void target_free(struct target *target) {
  relation_free(&target->order);
  relation_free(&target->before);
  for (size_t i = 0; i < sizeof target->scratch / sizeof *target->scratch; i++)
    relation_free(&target->scratch[i]);
  memset(target, 0, sizeof *target);
}

static struct target_arm mapping(enum target_model model) {
  return (struct target_arm){
      .ldar = model == TARGET_ARM_LDAR || model == TARGET_ARM_LDAR_DEFINITE,
      .lse = model == TARGET_ARM_LSE || model == TARGET_ARM_LSE_DEFINITE,
      .every_read_acquires = model == TARGET_ARM_DEFINITE || model == TARGET_ARM_LDAR_DEFINITE ||
                             model == TARGET_ARM_LSE_DEFINITE,
  };
}

static void derive_order(enum target_model model, struct target *target, const struct graph *graph,
                         const struct trace *trace, const struct graph_relations *relations) {
  struct target_arm arm = mapping(model);
  if (model == TARGET_X86) {
    target_order_tso(graph, trace, relations, &target->order);
  } else {
    target_order_arm(&arm, graph, trace, relations, &target->order);
    target_order_arm_sync(&arm, graph, trace, relations, &target->order);
  }
  relation_close(&target->order);
}

// po between accesses of one location ∪ rf ∪ mo ∪ fr is acyclic, and nothing comes between what a
// read-modify-write reads and writes.
static bool coherent(struct target *target, const struct graph *graph,
                     const struct graph_relations *r) {
  struct relation *all = &target->scratch[0];
  relation_copy(all, &r->rf);
  relation_unite(all, &r->mo);
  relation_unite(all, &r->fr);
  for (size_t a = 0; a < graph->count; a++)
    for (size_t b = 0; b < graph->count; b++) {
      const struct graph_node *from = &graph->nodes[a], *to = &graph->nodes[b];
      bool accesses = (graph_reads(from->kind) || graph_writes(from->kind)) &&
                      (graph_reads(to->kind) || graph_writes(to->kind));
      if (accesses && from->location == to->location && relation_has(&r->po, a, b))
        relation_add(all, a, b);
    }
  relation_close(all);
  relation_compose(&target->scratch[1], &r->fr, &r->mo);
  return relation_irreflexive(all) && relation_irreflexive(&target->scratch[1]);
}

bool target_consistent(enum target_model model, struct target *target, const struct graph *graph,
                       const struct trace *trace, struct graph_relations *relations) {
  if (!coherent(target, graph, relations))
    return false;
  derive_order(model, target, graph, trace, relations);
  return relation_irreflexive(&target->order);
}

static bool fails_for_a_reason_only(enum target_model model) {
  return model == TARGET_X86 || model == TARGET_ARM_LSE || model == TARGET_ARM_LSE_DEFINITE;
}

void target_map_program(enum target_model model, const struct program *program,
                        struct program *out) {
  *out = *program;
  for (uint32_t t = 0; t < out->threads && fails_for_a_reason_only(model); t++)
    for (uint32_t i = 0; i < out->length[t]; i++)
      if (out->ops[t][i].op == TRACE_WEAK_CAS)
        out->ops[t][i].op = TRACE_STRONG_CAS;
}

struct enumeration {
  enum target_model model;
  struct target target;
};

static bool allowed(void *context, struct enumerate_state *state) {
  struct enumeration *enumeration = context;
  return target_consistent(enumeration->model, &enumeration->target, &state->graph, &state->trace,
                           &state->relations);
}

static bool is_sc(void *context, struct enumerate_state *state) {
  (void)context;
  return graph_is_sc(&state->relations);
}

bool target_robust(enum target_model model, const struct program *program, uint64_t *graphs) {
  struct program mapped;
  struct enumeration enumeration = {.model = model};
  target_map_program(model, program, &mapped);
  bool robust = enumerate_allowed(&mapped, allowed, is_sc, &enumeration, graphs);
  target_free(&enumeration.target);
  return robust;
}

static const struct graph_list *versions(const struct oracle *oracle, uint32_t node) {
  return &oracle->graph.mo[oracle->graph.nodes[node].location];
}

// The newest version that the thread itself has accessed before.
static int64_t coherence(const struct oracle *oracle, uint32_t node) {
  const struct graph *graph = &oracle->graph;
  int64_t newest = 0;
  for (uint32_t e = 0; e < node; e++) {
    const struct graph_node *other = &graph->nodes[e];
    bool accesses = graph_reads(other->kind) || graph_writes(other->kind);
    if (!accesses || other->location != graph->nodes[node].location ||
        other->thread != graph->nodes[node].thread)
      continue;
    int64_t version = (int64_t)(graph_writes(other->kind) ? graph_position(graph, e)
                                                          : graph_read_position(graph, e));
    if (version > newest)
      newest = version;
  }
  return newest;
}

int64_t target_known(enum target_model model, const struct target *target,
                     const struct oracle *oracle, uint32_t node, bool writes) {
  const struct graph_list *mo = versions(oracle, node);
  size_t n = oracle->graph.count, part = model == TARGET_X86 ? 0 : n;
  size_t start = model != TARGET_X86 && writes ? n + node : node;
  int64_t newest = coherence(oracle, node);
  for (size_t t = mo->count; t > (size_t)newest; t--)
    if (relation_has(&target->before, start, part + mo->at[t - 1]))
      return (int64_t)t;
  return newest;
}

static uint64_t value_of(const struct oracle *oracle, const struct graph_list *mo, size_t version) {
  return version ? oracle->graph.nodes[mo->at[version - 1]].value : 0;
}

// Would missing version `t` break the operation, if it only reads, or if it writes? The table of
// checks, first column.
static bool matters(enum target_model model, const struct oracle *oracle,
                    const struct graph_list *mo, size_t t, const struct trace_event *event,
                    bool writes) {
  bool plain = oracle->graph.nodes[mo->at[t - 1]].kind == GRAPH_WRITE;
  bool expected = value_of(oracle, mo, t - 1) == event->expected;
  switch (event->op) {
  case TRACE_LOAD:
    return !writes;
  case TRACE_WEAK_CAS:
    if (!fails_for_a_reason_only(model) && !writes)
      return true;
    return writes ? plain && expected : !expected;
  case TRACE_WAIT:
  case TRACE_WAIT_BLOCKED:
    return !writes && expected;
  case TRACE_BCAS:
  case TRACE_BCAS_BLOCKED:
    return writes && plain && expected;
  case TRACE_STRONG_CAS:
    return writes ? plain && expected : !expected;
  default:
    return writes && plain;
  }
}

static bool violates(enum target_model model, const struct target *target,
                     const struct oracle *oracle, uint32_t node) {
  const struct trace_event *event = &oracle->trace->events[oracle->graph.nodes[node].event];
  const struct graph_list *mo = versions(oracle, node);
  for (int writes = 0; writes < 2; writes++)
    for (size_t t = (size_t)target_known(model, target, oracle, node, writes) + 1; t <= mo->count;
         t++)
      if (relation_has(&oracle->before_sc, node, mo->at[t - 1]) &&
          matters(model, oracle, mo, t, event, writes))
        return true;
  return false;
}

void target_flags(enum target_model model, struct target *target, const struct oracle *oracle,
                  struct trace_indices *flags) {
  const struct graph *graph = &oracle->graph;
  derive_order(model, target, graph, oracle->trace, &oracle->relations);
  struct relation *enters = &target->scratch[0], *all = &target->scratch[1];
  struct target_arm arm = mapping(model);
  if (model == TARGET_X86)
    target_enter_tso(graph, oracle->trace, &oracle->relations, enters);
  else
    target_enter_arm(&arm, graph, oracle->trace, &oracle->relations, enters);
  relation_copy(all, &target->order);
  relation_add_identity(all);
  relation_compose(&target->scratch[2], all, enters);
  relation_inverse(&target->before, &target->scratch[2]);
  flags->count = 0;
  for (uint32_t e = 0; e < graph->count; e++) {
    const struct graph_node *node = &graph->nodes[e];
    if (node->kind == GRAPH_FENCE || !trace_op_is_checked(oracle->trace->events[node->event].op))
      continue;
    if (violates(model, target, oracle, e))
      trace_indices_append(flags, node->event);
  }
}
