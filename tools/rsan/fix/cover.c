// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Least-cost hitting set by branch and bound: the demands of a program are few, and most have the
// same handful of choices.

#include <stdlib.h>
#include <string.h>

#include "problem.h"

// What is asked of the machine counts first: a fence that is executed 256 times costs as much
// as two that are executed once. But a place in the function that a thread was started with, as of
// a test, leaves the program wrong for all others: one that is executed 32 times as often is
// preferred. Then, who else passes it; what is changed of the text decides between equals.
enum {
  COST_CHANGES_MAX = 63,
  COST_ORDER = 256,
  COST_FENCE = 1024,
  COST_FENCE_TWICE = 128, // for one that is executed twice as often
  COST_ORDER_TWICE = 8,
  COST_CALLER = 4,
  COST_OUTERMOST = 640,
  MAX_CALLERS = 16,
  COST_UNEDITABLE = 102400,
  MAX_NODES = 400000
};

struct search {
  const struct fix_problem *problem;
  bool chosen[FIX_MAX_RULES], best[FIX_MAX_RULES];
  unsigned long cost, best_cost;
  unsigned nodes;
};

// For each doubling `twice`, and its share of the last one.
static unsigned cost_of_executions(double number, unsigned twice) {
  unsigned cost = 0;
  for (; number >= 2; number /= 2)
    cost += twice;
  return cost + (number > 1 ? (unsigned)((number - 1) * twice) : 0);
}

static unsigned cost_of(const struct fix_rule *rule) {
  unsigned long callers = rule->callers < MAX_CALLERS ? rule->callers : MAX_CALLERS;
  return (rule->fence ? COST_FENCE : COST_ORDER) + (rule->refused ? COST_UNEDITABLE : 0u) +
         cost_of_executions(rule->executions, rule->fence ? COST_FENCE_TWICE : COST_ORDER_TWICE) +
         (rule->outermost ? COST_OUTERMOST : 0u) +
         (callers > 1 ? (unsigned)(callers - 1) * COST_CALLER : 0) +
         (rule->changes < COST_CHANGES_MAX ? rule->changes : COST_CHANGES_MAX);
}

unsigned long fix_cost(const struct fix_problem *problem, const bool *chosen) {
  unsigned long cost = 0;
  for (size_t i = 0; i < problem->rule_count; i++)
    cost += chosen[i] ? cost_of(&problem->rules[i]) : 0;
  return cost;
}

// The unmet demand with the fewest choices.
static const struct fix_demand *next_demand(const struct search *search) {
  const struct fix_demand *next = NULL;
  for (size_t i = 0; i < search->problem->demand_count; i++) {
    const struct fix_demand *demand = &search->problem->demands[i];
    bool met = false;
    for (size_t j = 0; j < demand->count; j++)
      met |= search->chosen[demand->choices[j]];
    if (!met && fix_is_possible(search->problem, demand) && (!next || demand->count < next->count))
      next = demand;
  }
  return next;
}

// Unmet demands that the rule would meet.
static unsigned uses_of(const struct search *search, unsigned rule) {
  unsigned uses = 0;
  for (size_t i = 0; i < search->problem->demand_count; i++) {
    const struct fix_demand *demand = &search->problem->demands[i];
    bool met = false, has = false;
    for (size_t j = 0; j < demand->count; j++) {
      met |= search->chosen[demand->choices[j]];
      has |= demand->choices[j] == rule;
    }
    uses += has && !met;
  }
  return uses;
}

static void branch(struct search *search) {
  const struct fix_demand *demand = next_demand(search);
  if (!demand) {
    if (search->cost < search->best_cost) {
      search->best_cost = search->cost;
      memcpy(search->best, search->chosen, sizeof search->best);
    }
    return;
  }
  if (search->best_cost != (unsigned long)-1 && ++search->nodes > MAX_NODES)
    return;
  // The most useful ones first, so that a good bound is found early.
  bool tried[FIX_MAX_CHOICES] = {false};
  for (size_t round = 0; round < demand->count; round++) {
    size_t pick = demand->count;
    unsigned long pick_value = 0;
    for (size_t i = 0; i < demand->count; i++) {
      const struct fix_rule *rule = &search->problem->rules[demand->choices[i]];
      unsigned long value = 1000000ul * uses_of(search, demand->choices[i]) / cost_of(rule) + 1;
      if (!tried[i] && !rule->illegal && value > pick_value) {
        pick = i;
        pick_value = value;
      }
    }
    if (pick == demand->count)
      break; // the others cannot be made
    unsigned rule = demand->choices[pick], cost = cost_of(&search->problem->rules[rule]);
    tried[pick] = true;
    if (search->cost + cost >= search->best_cost)
      continue;
    search->chosen[rule] = true;
    search->cost += cost;
    branch(search);
    search->cost -= cost;
    search->chosen[rule] = false;
  }
}

void fix_cover(const struct fix_problem *problem, bool *chosen) {
  struct search *search = calloc(1, sizeof *search);
  if (!search)
    abort();
  search->problem = problem;
  search->best_cost = (unsigned long)-1;
  branch(search);
  memcpy(chosen, search->best, sizeof search->best);
  free(search);
}
