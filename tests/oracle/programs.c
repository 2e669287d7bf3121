// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "programs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void program_params_default(struct program_params *params) {
  *params = (struct program_params){
      .max_ops = 9,
      .locations = 2,
      .values = 2,
      .ordered_percent = 100,
      .fence_percent = 25,
      .rmw_percent = 50,
      .blocking_percent = 5,
  };
}

static enum trace_op random_op(const struct program_params *p, struct rng *rng) {
  static const enum trace_op rmw[] = {TRACE_FETCH_OP, TRACE_EXCHANGE, TRACE_WEAK_CAS,
                                      TRACE_STRONG_CAS};
  if (rng_percent(rng, p->fence_percent))
    return TRACE_FENCE;
  if (rng_percent(rng, p->rmw_percent))
    return rmw[rng_below(rng, 4)];
  if (rng_percent(rng, p->blocking_percent))
    return rng_percent(rng, 50) ? TRACE_WAIT : TRACE_BCAS;
  return rng_percent(rng, 50) ? TRACE_LOAD : TRACE_STORE;
}

static enum trace_order random_order(const struct program_params *p, struct rng *rng,
                                     unsigned allowed) {
  if (allowed == TRACE_ORDERS_FENCE)
    return rng_percent(rng, 60) ? TRACE_SC
                                : (enum trace_order)rng_between(rng, TRACE_ACQ, TRACE_AR);
  if (p->sc_percent && rng_percent(rng, p->sc_percent))
    return TRACE_SC;
  if (!rng_percent(rng, p->ordered_percent))
    return TRACE_RLX;
  if (allowed == TRACE_ORDERS_READ)
    return TRACE_ACQ;
  if (allowed == TRACE_ORDERS_WRITE)
    return TRACE_REL;
  return (enum trace_order)rng_between(rng, TRACE_ACQ, TRACE_AR);
}

static void random_operation(const struct program_params *p, struct rng *rng,
                             struct trace_event *out) {
  memset(out, 0, sizeof *out);
  out->op = random_op(p, rng);
  out->order = random_order(p, rng, trace_op_orders(out->op));
  if (out->op == TRACE_FENCE)
    return;
  out->object = rng_below(rng, p->locations);
  out->failure = random_order(p, rng, TRACE_ORDERS_READ);
  out->expected = rng_below(rng, p->values + 1);
  out->written = rng_between(rng, 1, p->values);
  // What the operation does not have must be 0: programs are compared and
  // printed by their fields.
  const char *arguments = trace_op_arguments(out->op);
  if (!strchr(arguments, 'f'))
    out->failure = TRACE_RLX;
  if (!strchr(arguments, 'e'))
    out->expected = 0;
  if (!strchr(arguments, 'w'))
    out->written = 0;
}

void program_random(const struct program_params *params, uint64_t seed, struct program *out) {
  struct rng rng = {seed};
  // Some programs without fences, some without RMWs, some all relaxed:
  // uniform mixes are nearly all robust.
  struct program_params drawn = *params;
  drawn.fence_percent = rng_below(&rng, params->fence_percent + 1);
  drawn.rmw_percent = rng_below(&rng, params->rmw_percent + 1);
  drawn.ordered_percent = rng_below(&rng, params->ordered_percent + 1);
  memset(out, 0, sizeof *out);
  out->threads = rng_between(&rng, 2, PROGRAM_MAX_THREADS);
  uint32_t left = params->max_ops;
  for (uint32_t t = 0; t < out->threads; t++) {
    uint32_t level = left / (out->threads - t);
    uint32_t most = level + (level * (out->threads - t) < left);
    if (most > PROGRAM_MAX_OPS)
      most = PROGRAM_MAX_OPS;
    out->length[t] = rng_between(&rng, most > 2 ? 2 : 1, most);
    left -= out->length[t];
    for (uint32_t i = 0; i < out->length[t]; i++)
      random_operation(&drawn, &rng, &out->ops[t][i]);
  }
}

static const char *next_word(const char **text, size_t *length) {
  while (isspace((unsigned char)**text))
    (*text)++;
  const char *word = *text;
  while (**text && !isspace((unsigned char)**text) && !strchr("|;", **text))
    (*text)++;
  *length = (size_t)(*text - word);
  return word;
}

static bool word_is(const char *word, size_t length, const char *name) {
  return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool parse_number(const char *word, size_t length, uint64_t limit, uint64_t *out) {
  *out = 0;
  for (size_t i = 0; i < length; i++) {
    if (!isdigit((unsigned char)word[i]) || i > 8)
      return false;
    *out = *out * 10 + (uint64_t)(word[i] - '0');
  }
  return length && *out < limit;
}

static bool parse_order(const char *word, size_t length, unsigned allowed, enum trace_order *out) {
  for (int order = 0; order < TRACE_ORDER_COUNT; order++) {
    if (!word_is(word, length, trace_order_name(order)))
      continue;
    *out = (enum trace_order)order;
    return allowed >> order & 1;
  }
  return false;
}

// What a program may have beside operations of other orders than seq_cst on atomic locations.
enum { ALLOW_SC = 1, ALLOW_PLAIN = 2 };

static bool parse_argument(char argument, const char *word, size_t length, unsigned allow,
                           struct trace_event *out) {
  uint64_t location = 0;
  unsigned sc = allow & ALLOW_SC ? 0 : 1u << TRACE_SC;
  switch (argument) {
  case 'x':
  case 'n':
    if (!parse_number(word, length, PROGRAM_MAX_LOCATIONS, &location))
      return false;
    out->object = (uint32_t)location;
    return true;
  case 'o':
    return parse_order(word, length,
                       out->op == TRACE_FENCE ? trace_op_orders(out->op)
                                              : trace_op_orders(out->op) & ~sc,
                       &out->order);
  case 'f':
    return parse_order(word, length, TRACE_ORDERS_READ & ~sc, &out->failure);
  case 'e':
    return parse_number(word, length, TRACE_MAX_VALUE, &out->expected);
  default:
    return parse_number(word, length, TRACE_MAX_VALUE, &out->written);
  }
}

static bool is_operation(enum trace_op op, unsigned allow) {
  if (trace_op_is_plain(op))
    return allow & ALLOW_PLAIN;
  return trace_op_is_access(op) || op == TRACE_FENCE;
}

static bool parse_operation(const char **text, unsigned allow, struct trace_event *out,
                            const char **reason) {
  memset(out, 0, sizeof *out);
  size_t length;
  const char *word = next_word(text, &length);
  int op = 0;
  while (op < TRACE_OP_COUNT && !word_is(word, length, trace_op_name(op)))
    op++;
  *reason = "unknown operation";
  if (op == TRACE_OP_COUNT || !is_operation(op, allow))
    return false;
  out->op = (enum trace_op)op;
  *reason = "bad argument";
  for (const char *a = trace_op_arguments(out->op); *a; a++) {
    if (*a == 'r' || *a == 'k')
      continue;
    word = next_word(text, &length);
    if (!parse_argument(*a, word, length, allow, out))
      return false;
  }
  return true;
}

static bool parse(const char *text, unsigned allow, struct program *out, const char **reason) {
  memset(out, 0, sizeof *out);
  for (;;) {
    *reason = "too many threads";
    if (out->threads == PROGRAM_MAX_THREADS)
      return false;
    uint32_t thread = out->threads++;
    for (;;) {
      *reason = "too many operations";
      if (out->length[thread] == PROGRAM_MAX_OPS)
        return false;
      struct trace_event *op = &out->ops[thread][out->length[thread]++];
      if (!parse_operation(&text, allow, op, reason))
        return false;
      while (isspace((unsigned char)*text))
        text++;
      if (*text != ';')
        break;
      text++;
    }
    if (!*text)
      return true;
    *reason = "'|', ';' or the end expected";
    if (*text++ != '|')
      return false;
  }
}

bool program_parse(const char *text, struct program *out, const char **reason) {
  return parse(text, 0, out, reason);
}

bool program_parse_sc(const char *text, struct program *out, const char **reason) {
  return parse(text, ALLOW_SC, out, reason);
}

bool program_parse_plain(const char *text, struct program *out, const char **reason) {
  return parse(text, ALLOW_SC | ALLOW_PLAIN, out, reason);
}

static void print_operation(FILE *file, const struct trace_event *op) {
  fputs(trace_op_name(op->op), file);
  for (const char *a = trace_op_arguments(op->op); *a; a++) {
    if (*a == 'x' || *a == 'n')
      fprintf(file, " %" PRIu32, op->object);
    if (*a == 'o')
      fprintf(file, " %s", trace_order_name(op->order));
    if (*a == 'f')
      fprintf(file, " %s", trace_order_name(op->failure));
    if (*a == 'e')
      fprintf(file, " %" PRIu64, op->expected);
    if (*a == 'w')
      fprintf(file, " %" PRIu64, op->written);
  }
}

void program_print(FILE *file, const struct program *program) {
  for (uint32_t t = 0; t < program->threads; t++) {
    if (t)
      fputs(" | ", file);
    for (uint32_t i = 0; i < program->length[t]; i++) {
      if (i)
        fputs("; ", file);
      print_operation(file, &program->ops[t][i]);
    }
  }
}
