// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string.h>

#include "classes.h"
#include "graph/consistent.h"
#include "graph/text.h"

static const uint8_t orders[] = {[TRACE_RLX] = RSAN_RELAXED,
                                 [TRACE_ACQ] = RSAN_ACQUIRE,
                                 [TRACE_REL] = RSAN_RELEASE,
                                 [TRACE_AR] = RSAN_ACQ_REL,
                                 [TRACE_SC] = RSAN_SEQ_CST};

// The core's form of an operation.
static struct rsan_graph_op translate(const struct trace_event *event) {
  struct rsan_graph_op op = {.object = event->object, .order = orders[event->order]};
  bool conditional = event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS ||
                     event->op == TRACE_WAIT || event->op == TRACE_BCAS;
  switch (event->op) {
  case TRACE_LOAD:
  case TRACE_WAIT:
    op.kind = RSAN_GRAPH_READ;
    break;
  case TRACE_STORE:
    op.kind = RSAN_GRAPH_WRITE;
    break;
  case TRACE_FENCE:
    op.kind = RSAN_GRAPH_FENCE;
    break;
  case TRACE_PLAIN_READ:
    op.kind = RSAN_GRAPH_PLAIN_READ;
    break;
  case TRACE_PLAIN_WRITE:
    op.kind = RSAN_GRAPH_PLAIN_WRITE;
    break;
  default:
    op.kind = RSAN_GRAPH_UPDATE;
  }
  op.function = event->op == TRACE_FETCH_OP ? RSAN_GRAPH_ADD : RSAN_GRAPH_SET;
  op.operand.low = event->written;
  op.conditional = conditional;
  if (conditional)
    op.condition = rsan_equals((struct rsan_value){.low = event->expected});
  op.blocks = event->op == TRACE_WAIT || event->op == TRACE_BCAS;
  op.spurious = event->op == TRACE_WEAK_CAS;
  op.failure = orders[event->failure];
  return op;
}

// One run of the program.
static enum rsan_graph_end run(struct rsan_explore *x, const struct program *program) {
  uint32_t done[PROGRAM_MAX_THREADS] = {0};
  for (;;) {
    uint64_t can_go_on = 0;
    for (uint32_t t = 0; t < program->threads; t++)
      can_go_on |= (uint64_t)(done[t] < program->length[t]) << t;
    uint32_t thread = rsan_explore_thread(x, can_go_on);
    if (thread == RSAN_NO_GRAPH_THREAD)
      return rsan_explore_end(x);
    struct rsan_graph_op op = {0};
    if (done[thread] < program->length[thread])
      op = translate(&program->ops[thread][done[thread]++]);
    rsan_explore_step(x, thread, &op);
  }
}

static uint8_t kind_of(const struct rsan_graph_event *event) {
  switch (event->op.kind) {
  case RSAN_GRAPH_READ:
    return 1 + GRAPH_READ;
  case RSAN_GRAPH_WRITE:
    return 1 + GRAPH_WRITE;
  case RSAN_GRAPH_UPDATE:
    return event->place ? 1 + GRAPH_RMW : 1 + GRAPH_READ;
  case RSAN_GRAPH_PLAIN_READ:
    return 1 + GRAPH_PLAIN_READ;
  case RSAN_GRAPH_PLAIN_WRITE:
    return 1 + GRAPH_PLAIN_WRITE;
  default:
    return 1 + GRAPH_FENCE;
  }
}

static uint8_t name_of(const struct rsan_graph *graph, uint32_t e) {
  return key_name(graph->event[e].thread, graph->event[e].index);
}

static uint8_t *add_writes(const struct rsan_graph *graph, uint32_t object, uint8_t *out) {
  uint32_t count = rsan_graph_write_count(graph, object);
  for (uint32_t place = 1; place <= count; place++)
    *out++ = name_of(graph, rsan_graph_write_at(graph, object, place));
  return out + 1;
}

static void make_key(const struct rsan_graph *graph, struct graph_key *key) {
  uint8_t *out = key->bytes + KEY_MO;
  uint32_t first, second;
  for (uint32_t e = 0; e < graph->count; e++) {
    const struct rsan_graph_event *event = &graph->event[e];
    uint8_t name = name_of(graph, e);
    if (event->outcome == RSAN_GRAPH_BLOCKED)
      continue;
    key->bytes[name - 1] = kind_of(event);
    if (event->reads < RSAN_GRAPH_NONE && event->op.kind != RSAN_GRAPH_FENCE)
      key->bytes[KEY_READS + name - 1] = name_of(graph, event->reads);
  }
  for (uint32_t object = 0; object < PROGRAM_MAX_LOCATIONS; object++)
    out = add_writes(graph, object, out);
  add_writes(graph, RSAN_GRAPH_FENCES, out);
  key->bytes[KEY_RACE] = rsan_graph_find_race(graph, &first, &second);
}

struct text {
  char at[8192];
  uint32_t length;
};

static void append(void *context, const char *text, uint32_t length) {
  struct text *to = context;
  if (to->length + length < sizeof to->at) {
    memcpy(to->at + to->length, text, length);
    to->length += length;
  }
}

// Is the graph consistent by itself, and still the same when its text was read?
static bool is_read_again(const struct rsan_graph *graph) {
  struct text first = {{0}, 0}, second = {{0}, 0};
  struct rsan_graph again;
  uint32_t line;
  rsan_graph_write_text(graph, append, &first);
  if (rsan_graph_read_text(&again, first.at, &line))
    return false;
  rsan_graph_write_text(&again, append, &second);
  bool same = first.length == second.length && !memcmp(first.at, second.at, first.length) &&
              rsan_graph_is_consistent(&again);
  rsan_graph_clear(&again);
  return same;
}

struct explored find_by_exploring(const struct program *program, enum rsan_graph_model model,
                                  uint64_t most, struct graph_keys *keys) {
  struct rsan_explore x;
  struct explored found = {0};
  rsan_explore_init(&x, model);
  while (!found.given_up && rsan_explore_next(&x)) {
    enum rsan_graph_end end = run(&x, program);
    struct graph_key key = {{0}};
    if (end <= RSAN_EXPLORE_DEADLOCK) {
      make_key(&x.graph, &key);
      key.bytes[KEY_DEADLOCK] = end == RSAN_EXPLORE_DEADLOCK;
      keys_add(keys, &key);
    }
    found.unread = found.unread || !is_read_again(&x.graph);
    found.given_up = ++found.runs > most;
  }
  found.waits = x.runs[RSAN_EXPLORE_WAITS];
  found.diverged = x.runs[RSAN_EXPLORE_DIVERGED];
  found.dropped = x.dropped;
  found.revisits = x.revisits;
  found.most_left = x.most_left;
  rsan_explore_clear(&x);
  return found;
}
