// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "orders.h"

#include <string.h>

static bool has_order(const struct instruction *i) {
  return i->op <= I_BCAS;
}

static unsigned orders_of(const struct instruction *i) {
  switch (i->op) {
  case I_LOAD:
  case I_WAIT:
  case I_WAIT_OWN:
    return TRACE_ORDERS_READ;
  case I_STORE:
  case I_STORE_NEXT:
    return TRACE_ORDERS_WRITE;
  default:
    return TRACE_ORDERS_RMW;
  }
}

static uint8_t draw_order(struct rng *rng, unsigned allowed, uint32_t ordered_percent,
                          uint32_t sc_percent) {
  if (rng_percent(rng, sc_percent))
    return TRACE_SC;
  if (!rng_percent(rng, ordered_percent))
    return TRACE_RLX;
  uint32_t order;
  do
    order = rng_between(rng, TRACE_ACQ, TRACE_AR);
  while (!(allowed >> order & 1));
  return (uint8_t)order;
}

static void insert(struct dpor_program *p, uint32_t thread, uint32_t at,
                   const struct instruction *i) {
  if (p->length[thread] == MOST_INSTRUCTIONS)
    return;
  struct instruction *to = &p->at[thread][at];
  memmove(to + 1, to, (p->length[thread]++ - at) * sizeof *to);
  *to = *i;
}

// What is no step of the exploration.
static struct instruction draw_invisible(struct rng *rng) {
  struct instruction i = {.op = I_WEAK_FENCE,
                          .order = (uint8_t)rng_between(rng, TRACE_ACQ, TRACE_AR)};
  if (rng_percent(rng, 70))
    i = (struct instruction){.op = rng_percent(rng, 50) ? I_READ : I_WRITE,
                             .object = (uint8_t)rng_below(rng, 2)};
  return i;
}

void program_draw_orders(struct dpor_program *p, uint64_t seed, uint32_t sc_percent) {
  struct rng rng = {seed};
  uint32_t joined = 0, ordered = rng_below(&rng, 101), sc = rng_below(&rng, sc_percent + 1);
  for (uint32_t t = 0; t < p->threads; t++)
    for (uint32_t k = 0; k < p->length[t]; k++) {
      struct instruction *i = &p->at[t][k];
      if (i->op == I_JOIN && joined >> i->object & 1)
        *i = (struct instruction){.op = I_LOAD};
      if (i->op == I_JOIN)
        joined |= 1u << i->object;
      if (has_order(i))
        i->order = draw_order(&rng, orders_of(i), ordered, sc);
      if (i->op == I_CAS)
        i->failure = draw_order(&rng, TRACE_ORDERS_READ, ordered, sc);
    }
  for (uint32_t n = rng_below(&rng, 6); n > 0; n--) {
    uint32_t t = rng_below(&rng, p->threads);
    const struct instruction i = draw_invisible(&rng);
    insert(p, t, rng_below(&rng, p->length[t] + 1u), &i);
  }
}

static struct instruction instruction_of(const struct trace_event *op) {
  static const uint8_t ops[] = {
      [TRACE_LOAD] = I_LOAD,         [TRACE_STORE] = I_STORE,  [TRACE_FETCH_OP] = I_ADD,
      [TRACE_EXCHANGE] = I_EXCHANGE, [TRACE_WEAK_CAS] = I_CAS, [TRACE_STRONG_CAS] = I_CAS,
      [TRACE_WAIT] = I_WAIT,         [TRACE_BCAS] = I_BCAS,    [TRACE_FENCE] = I_WEAK_FENCE};
  bool sc_fence = op->op == TRACE_FENCE && op->order == TRACE_SC;
  return (struct instruction){.op = sc_fence ? I_FENCE : ops[op->op],
                              .object = (uint8_t)op->object,
                              .value = (uint8_t)op->written,
                              .expected = (uint8_t)op->expected,
                              .order = (uint8_t)op->order,
                              .failure = (uint8_t)op->failure};
}

void program_of_oracle(const struct program *program, struct dpor_program *out) {
  *out = (struct dpor_program){.threads = program->threads, .all_run = true};
  for (uint32_t t = 0; t < program->threads; t++) {
    out->length[t] = (uint8_t)program->length[t];
    for (uint32_t k = 0; k < program->length[t]; k++)
      out->at[t][k] = instruction_of(&program->ops[t][k]);
  }
}
