/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A part of rsan_structure.h: the clients of a scenario, and how they are explored.
 *
 * A client of a scenario may order calls of different threads: one call waits until another one has
 * returned. A client with less order allows all executions of a client with more order. So the
 * client that orders nothing shows all results. A further client has to be explored only if some of
 * these results do not agree with its order, but agree with each smaller order. Such clients are
 * computed from the results (rsan_ask_clients_). If none of them shows the results that do not
 * agree, the structure is linearizable in each client that makes these calls.
 *
 * Names that end in an underscore are not for use.
 */

#ifndef RSAN_STRUCTURE_H
#error "include rsan_structure.h"
#endif
#ifndef RSAN_STRUCTURE_CLIENTS_H
#define RSAN_STRUCTURE_CLIENTS_H

#include "rsan_structure_scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As in the runtime. By the exploration; by a schedule of the whole program, of `rsan check', `rsan
 * run --schedule' or `rsan replay'; the execution of execution=. */
enum { RSAN_EXPLORED_, RSAN_SCHEDULED_, RSAN_REPEATED_ };
struct rsan_scenario_words_ {
  const char *name, *table;
  bool quiet;
};
struct rsan_scenario_result_ {
  int status;
  unsigned turns, unroll, spurious;
  uint64_t executions, graphs;
  const char *why; /* it was not decided; else null */
  bool repeated;   /* one execution was repeated, as execution= asks for */
  bool freed;      /* graphs were explored, and threads have freed memory */
};

#ifdef __SANITIZE_ROBUSTNESS__
const char *__rsan_scenario(void);
int __rsan_scenario_way(void);
void __rsan_check_scenario(void (*setup)(void *), unsigned count, void (*const *threads)(void *),
                           bool (*check)(void *), void *argument,
                           const struct rsan_scenario_words_ *words,
                           struct rsan_scenario_result_ *result);
#endif

/* A set of orders. */
struct rsan_orders_ {
  rsan_order_ *slot; /* 0: it is free */
  size_t room, count;
};

/* Clients of a scenario, in the order in which they were found. */
enum { RSAN_CLIENTS_ = 4096 };
struct rsan_clients_ {
  rsan_order_ order[RSAN_CLIENTS_];
  bool explored[RSAN_CLIENTS_];
  unsigned count;
};

struct rsan_structures_check_ {
  const struct rsan_structure *structure;
  const char *only; /* null: all scenarios */
  bool is_client;   /* a client with waits alone */
  unsigned threads, calls, most_calls;
  struct rsan_call_ kind[RSAN_KINDS_]; /* each operation with each value */
  unsigned kinds;
  struct rsan_orders_ seen;
  struct rsan_clients_ clients, found; /* of the scenario, of some results */
  struct rsan_outcome_ outcome[RSAN_OUTCOMES_];
  struct rsan_scenario_result_ all; /* the largest bounds, and the sums */
  uint64_t scenarios, undecided;
  uint64_t explored, ordered; /* clients; those with calls that wait */
  bool failed;
  int fails_with; /* status */
  struct rsan_text_ first_undecided;
};

/* -- clients -- */

/* Adds the order; false: it is there. */
RSAN_UNUSED_ bool rsan_add_order_(struct rsan_orders_ *orders, rsan_order_ order) {
  order |= 1; /* no call is before itself */
  size_t at = (size_t)((order ^ order >> 29) * 0x9e3779b97f4a7c15u >> 32);
  while (orders->slot[at % orders->room] && orders->slot[at % orders->room] != order)
    at++;
  if (orders->slot[at % orders->room])
    return false;
  orders->slot[at % orders->room] = order;
  orders->count++;
  return true;
}

RSAN_UNUSED_ void rsan_add_client_(struct rsan_clients_ *clients, struct rsan_scenario_ *s,
                                   rsan_order_ order) {
  for (unsigned i = 0; i < clients->count; i++)
    if (clients->order[i] == order)
      return;
  if (clients->count == RSAN_CLIENTS_) {
    s->too_many = true;
    return;
  }
  clients->explored[clients->count] = false;
  clients->order[clients->count++] = order;
}

/* Adds the smallest orders that contain `order` and do not agree with the results, and some larger
 * ones that do not agree either. An order agrees with the results if it agrees with one of the
 * sequences that give them. So the function takes such a sequence, and goes on with each pair that
 * the sequence has the other way round. */
RSAN_UNUSED_ void rsan_grow_order_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                   const int64_t *result, rsan_order_ order) {
  size_t i = 0;
  s->too_many |= c->seen.count >= c->seen.room / 2;
  if (s->too_many || !rsan_add_order_(&c->seen, order))
    return;
  while (i < s->sequences &&
         ((s->sequence[i].against & order) || !rsan_gives_(&s->sequence[i], result, s->count)))
    i++;
  if (i == s->sequences) {
    rsan_add_client_(&c->found, s, order);
    return;
  }
  for (unsigned a = 0; a < s->count; a++)
    for (unsigned b = 0; b < s->count; b++)
      if ((s->sequence[i].against & rsan_before_(a, b)) && !(order & rsan_before_(b, a)))
        rsan_grow_order_(c, s, result, rsan_close_(order | rsan_before_(a, b), s->count));
}

RSAN_UNUSED_ void rsan_ask_clients_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s) {
  const rsan_order_ order = rsan_order_of_threads_(s);
  for (unsigned o = 0; o < s->outcomes && !s->too_many; o++) {
    if (s->outcome[o].asked)
      continue;
    s->outcome[o].asked = true;
    c->found.count = 0;
    memset(c->seen.slot, 0, c->seen.room * sizeof *c->seen.slot);
    c->seen.count = 0;
    rsan_grow_order_(c, s, s->outcome[o].result, order);
    for (unsigned i = 0; i < c->found.count; i++) {
      bool is_smallest = true;
      for (unsigned k = 0; k < c->found.count; k++)
        is_smallest &= k == i || (c->found.order[k] & ~c->found.order[i]) != 0;
      if (is_smallest)
        rsan_add_client_(&c->clients, s, c->found.order[i]);
    }
  }
}

/* The client with the least order that was not explored yet; false: there is none. */
RSAN_UNUSED_ bool rsan_next_client_(struct rsan_clients_ *clients, rsan_order_ *order) {
  unsigned next = clients->count;
  for (unsigned i = 0; i < clients->count; i++)
    if (!clients->explored[i] &&
        (next == clients->count ||
         __builtin_popcountll(clients->order[i]) < __builtin_popcountll(clients->order[next])))
      next = i;
  if (next == clients->count)
    return false;
  clients->explored[next] = true;
  *order = clients->order[next];
  return true;
}

/* -- exploring -- */

#ifndef __SANITIZE_ROBUSTNESS__
/* Does the structure give the same as the model, in this order of the calls? */
RSAN_UNUSED_ bool rsan_agrees_(struct rsan_scenario_ *s, const struct rsan_sequence_ *sequence) {
  for (unsigned i = 0; i < s->count; i++) {
    const uint64_t earlier = sequence->against >> (i * RSAN_CALLS_) & 0xff;
    s->in_turn[__builtin_popcountll(earlier)] = i;
  }
  rsan_run_sequence_(s, s->structure);
  if (rsan_gives_(sequence, s->result, s->count))
    return true;
  memcpy(s->bad, s->result, sizeof s->bad);
  s->found_bad = true;
  return false;
}
#endif

RSAN_UNUSED_ void rsan_explore_client_(struct rsan_scenario_ *s, bool quiet,
                                       struct rsan_scenario_result_ *result) {
#ifdef __SANITIZE_ROBUSTNESS__
  static void (*const threads[])(void *) = {rsan_thread_0_, rsan_thread_1_, rsan_thread_2_,
                                            rsan_thread_3_, rsan_thread_4_, rsan_thread_5_,
                                            rsan_thread_6_, rsan_thread_7_};
  struct rsan_text_ name = {{0}, 0}, table = {{0}, 0};
  rsan_add_structure_(&name, s);
  rsan_add_scenario_(&name, s);
  rsan_add_table_(&table, s, 0);
  const struct rsan_scenario_words_ words = {name.text, table.text, quiet};
  __rsan_check_scenario(rsan_begin_execution_, s->threads, threads, rsan_end_execution_, s, &words,
                        result);
  s->object = 0;
#else
  (void)quiet;
  memset(result, 0, sizeof *result);
  for (size_t i = 0; i < s->sequences && !result->status; i++)
    if (!rsan_agrees_(s, &s->sequence[i]))
      result->status = RSAN_CHECK_FAILED;
#endif
}

RSAN_UNUSED_ bool rsan_explore_sequence_(struct rsan_scenario_ *s) {
  struct rsan_scenario_result_ result;
  const unsigned announces = s->announces;
  s->is_sequence = true;
  s->announces = 0;
  rsan_explore_client_(s, true, &result);
  s->is_sequence = false;
  s->announces = announces;
  s->why = result.status == RSAN_CHECK_FOUND ? "they fail, or do not return" : result.why;
  return result.status == RSAN_CHECK_PROVED;
}

RSAN_UNUSED_ void rsan_count_(struct rsan_structures_check_ *c,
                              const struct rsan_scenario_result_ *result) {
  struct rsan_scenario_result_ *all = &c->all;
  c->explored++;
  all->executions += result->executions;
  all->graphs += result->graphs;
  all->freed |= result->freed;
  all->turns = result->turns > all->turns ? result->turns : all->turns;
  all->unroll = result->unroll > all->unroll ? result->unroll : all->unroll;
  all->spurious = result->spurious > all->spurious ? result->spurious : all->spurious;
}

/* Explores the clients of the scenario until one fails, or cannot be decided. */
RSAN_UNUSED_ void rsan_explore_scenario_(struct rsan_structures_check_ *c, struct rsan_scenario_ *s,
                                         rsan_order_ order, struct rsan_scenario_result_ *result) {
  c->is_client = order != rsan_order_of_threads_(s);
  c->clients.count = 0;
  rsan_add_client_(&c->clients, s, order);
  while (rsan_next_client_(&c->clients, &order)) {
    rsan_set_order_(s, order);
    rsan_explore_client_(s, true, result);
    c->ordered += s->announces != 0;
    rsan_count_(c, result);
    if (result->status != RSAN_CHECK_PROVED)
      return;
    if (!c->is_client)
      rsan_ask_clients_(c, s);
  }
  if (s->too_many) {
    result->status = RSAN_CHECK_NOT_PROVED;
    result->why = "its executions have too many different results";
  }
}

#ifdef __cplusplus
}
#endif

#endif
