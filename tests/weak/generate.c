// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.h"

#include <stdlib.h>
#include <string.h>

// Locations are renamed, and orders drawn. Plain cells: 0.
static const char *const shapes[] = {
    "st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; ld 0 rlx",
    "st 0 rlx 1; ld 1 rlx | st 1 rlx 1; ld 0 rlx",
    "st 0 rlx 1; st 1 rlx 1 | st 1 rlx 2; ld 0 rlx",
    "st 0 rlx 1; st 1 rlx 2 | st 1 rlx 1; st 0 rlx 2; ld 0 rlx",
    "wr 0; st 0 rlx 1; st 0 rlx 2; st 1 rlx 1 | ld 1 rlx; ld 0 rlx; rd 0",
    "wr 0; st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; xc 0 rlx 2; ld 0 rlx; rd 0",
    "wr 0; st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; st 0 rlx 2; ld 0 rlx; rd 0",
    "st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; fa 0 rlx 1 | ld 1 rlx; fa 0 rlx 1",
    "st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; st 2 rlx 1; ld 0 rlx | ld 2 rlx; ld 0 rlx",
    "st 0 rlx 1; st 0 rlx 2; st 1 rlx 1 | ld 1 rlx; ld 0 rlx; st 2 rlx 1 | ld 2 rlx; ld 0 rlx",
    "st 0 rlx 1 | st 1 rlx 1 | ld 0 rlx; ld 1 rlx | ld 1 rlx; ld 0 rlx",
    "st 0 rlx 1; ld 1 rlx | st 1 rlx 1; ld 2 rlx | st 2 rlx 1; ld 0 rlx",
    "st 0 rlx 1; fn sc; ld 1 rlx | st 1 rlx 1; fn sc; ld 0 rlx",
    "st 0 rlx 1; fn sc; st 1 rlx 1 | ld 1 rlx; fn sc; ld 0 rlx",
    "st 0 rlx 1; st 1 rlx 1 | ld 1 rlx; cs 0 rlx rlx 0 2 | ld 1 rlx; cw 0 rlx rlx 1 3",
};

struct growth {
  struct rng rng;
  struct program *program;
  bool seq_cst;
  uint32_t most, count, ordered_percent, sc_percent;
};

static enum trace_order draw_order(struct growth *g, unsigned allowed) {
  bool fence = allowed == TRACE_ORDERS_FENCE;
  if (g->seq_cst || fence)
    if (rng_percent(&g->rng, fence ? 70 : g->sc_percent))
      return TRACE_SC;
  if (!fence && !rng_percent(&g->rng, g->ordered_percent))
    return TRACE_RLX;
  if (allowed == TRACE_ORDERS_READ)
    return TRACE_ACQ;
  if (allowed == TRACE_ORDERS_WRITE)
    return TRACE_REL;
  return (enum trace_order)rng_between(&g->rng, TRACE_ACQ, TRACE_AR);
}

static void draw_orders(struct growth *g, struct trace_event *op) {
  if (trace_op_is_plain(op->op))
    return;
  op->order = draw_order(g, trace_op_orders(op->op));
  if (strchr(trace_op_arguments(op->op), 'f'))
    op->failure = draw_order(g, TRACE_ORDERS_READ);
}

static struct trace_event draw_op(struct growth *g) {
  static const enum trace_op ops[] = {
      TRACE_LOAD,     TRACE_LOAD,       TRACE_LOAD,     TRACE_STORE,      TRACE_STORE,
      TRACE_STORE,    TRACE_FENCE,      TRACE_EXCHANGE, TRACE_WAIT,       TRACE_FETCH_OP,
      TRACE_WEAK_CAS, TRACE_STRONG_CAS, TRACE_BCAS,     TRACE_PLAIN_READ, TRACE_PLAIN_WRITE};
  struct trace_event op = {.op = ops[rng_below(&g->rng, sizeof ops / sizeof *ops)]};
  const char *arguments = trace_op_arguments(op.op);
  if (strchr(arguments, 'x'))
    op.object = rng_below(&g->rng, 3);
  if (strchr(arguments, 'e'))
    op.expected = rng_below(&g->rng, 3);
  if (strchr(arguments, 'w'))
    op.written = rng_between(&g->rng, 1, 3);
  draw_orders(g, &op);
  return op;
}

static void put_in(struct growth *g) {
  uint32_t t = rng_below(&g->rng, g->program->threads);
  uint32_t *length = &g->program->length[t];
  if (*length == PROGRAM_MAX_OPS || g->count == g->most)
    return;
  uint32_t at = rng_below(&g->rng, *length + 1);
  struct trace_event *ops = g->program->ops[t];
  memmove(ops + at + 1, ops + at, (*length - at) * sizeof *ops);
  ops[at] = draw_op(g);
  (*length)++;
  g->count++;
}

static void take_out(struct growth *g) {
  uint32_t t = rng_below(&g->rng, g->program->threads);
  uint32_t *length = &g->program->length[t];
  if (*length < 2)
    return;
  uint32_t at = rng_below(&g->rng, *length);
  struct trace_event *ops = g->program->ops[t];
  memmove(ops + at, ops + at + 1, (*length - at - 1) * sizeof *ops);
  (*length)--;
  g->count--;
}

static void change(struct growth *g) {
  uint32_t t = rng_below(&g->rng, g->program->threads);
  uint32_t length = g->program->length[t];
  g->program->ops[t][rng_below(&g->rng, length)] = draw_op(g);
}

static void grow(struct growth *g) {
  const char *reason, *shape = shapes[rng_below(&g->rng, sizeof shapes / sizeof *shapes)];
  if (!program_parse_plain(shape, g->program, &reason))
    abort();
  for (uint32_t t = 0; t < g->program->threads; t++)
    for (uint32_t i = 0; i < g->program->length[t]; i++, g->count++)
      draw_orders(g, &g->program->ops[t][i]);
  for (uint32_t edits = rng_below(&g->rng, 5); edits > 0 || g->count > g->most; edits--) {
    uint32_t kind = rng_below(&g->rng, 6);
    if (g->count > g->most || kind == 0)
      take_out(g);
    else if (kind < 4)
      put_in(g);
    else
      change(g);
    if (!edits)
      edits++;
  }
}

// Loads, stores and SC fences: chains of S alone.
static void draw_chains(struct growth *g) {
  static const enum trace_op ops[] = {TRACE_LOAD,  TRACE_LOAD,  TRACE_LOAD, TRACE_STORE,
                                      TRACE_STORE, TRACE_STORE, TRACE_FENCE};
  struct program *program = g->program;
  uint32_t locations = rng_between(&g->rng, 2, 4), fences = rng_percent(&g->rng, 50);
  memset(program, 0, sizeof *program);
  program->threads = rng_between(&g->rng, 2, PROGRAM_MAX_THREADS);
  for (uint32_t t = 0; t < program->threads; t++) {
    uint32_t left = (g->most - g->count) - (program->threads - t - 1);
    uint32_t most = left < 4 ? left : 4;
    program->length[t] = most < 2 ? most : rng_between(&g->rng, 1, most);
    for (uint32_t i = 0; i < program->length[t]; i++, g->count++) {
      struct trace_event *op = &program->ops[t][i];
      op->op = ops[rng_below(&g->rng, 6 + fences)];
      op->object = op->op == TRACE_FENCE ? 0 : rng_below(&g->rng, locations);
      op->written = op->op == TRACE_STORE ? g->count + 1 : 0;
      draw_orders(g, op);
    }
  }
}

void generate_program(uint64_t seed, uint32_t most, bool seq_cst, struct program *out) {
  struct growth g = {.rng = {seed}, .program = out, .seq_cst = seq_cst, .most = most};
  g.ordered_percent = rng_below(&g.rng, 101);
  g.sc_percent = rng_between(&g.rng, 20, 100);
  if (seq_cst && rng_percent(&g.rng, 50)) {
    draw_chains(&g);
    return;
  }
  if (rng_percent(&g.rng, 65)) {
    grow(&g);
    return;
  }
  struct program_params params;
  program_params_default(&params);
  params.max_ops = most;
  params.locations = 2 + rng_below(&g.rng, 2);
  params.sc_percent = seq_cst ? g.sc_percent : 0;
  program_random(&params, rng_next(&g.rng), out);
  for (uint32_t t = 0; t < out->threads; t++)
    for (uint32_t i = 0; i < out->length[t]; i++)
      if (rng_percent(&g.rng, 10))
        out->ops[t][i] = (struct trace_event){.op = rng_percent(&g.rng, 50) ? TRACE_PLAIN_WRITE
                                                                            : TRACE_PLAIN_READ};
}
