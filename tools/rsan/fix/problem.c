// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "problem.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"
#include "report/record.h"

static const char *text_of(const cJSON *object, const char *name) {
  const char *text = record_text(object, name);
  return text ? text : "";
}

const char *fix_add_module(struct fix_problem *problem, const char *module) {
  for (size_t i = 0; i < problem->module_count; i++)
    if (strcmp(problem->modules[i], module) == 0)
      return problem->modules[i];
  size_t size = (problem->module_count + 1) * sizeof *problem->modules;
  problem->modules = need(realloc(problem->modules, size));
  return problem->modules[problem->module_count++] = need(strdup(module));
}

static bool is_outermost(const struct fix_problem *problem, const char *function) {
  for (size_t i = 0; i < problem->outermost_count; i++)
    if (strcmp(problem->outermost[i], function) == 0)
      return true;
  return false;
}

// Notes what the threads of a violation were started with: the last of their functions that is in a
// source of one's own.
static void add_outermost(struct fix_problem *problem, const cJSON *record) {
  const cJSON *access, *frame;
  cJSON_ArrayForEach(access, cJSON_GetObjectItemCaseSensitive(record, "accesses")) {
    const char *function = NULL;
    cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(access, "stack")) {
      if (fix_is_own_frame(frame) && *text_of(frame, "function"))
        function = text_of(frame, "function");
    }
    if (!function || is_outermost(problem, function))
      continue;
    size_t size = (problem->outermost_count + 1) * sizeof *problem->outermost;
    problem->outermost = need(realloc(problem->outermost, size));
    problem->outermost[problem->outermost_count++] = need(strdup(function));
  }
}

int fix_add_rule(struct fix_problem *problem, const char *kind, const cJSON *frame) {
  struct fix_rule rule = {.fence = strncmp(kind, "fence", 5) == 0};
  rule.point = fix_point(frame, &rule.in_source);
  if (!rule.point || asprintf(&rule.text, "%s %s", kind, rule.point) < 0) {
    free(rule.point);
    return -1;
  }
  if (*text_of(frame, "module"))
    fix_add_module(problem, text_of(frame, "module"));
  rule.outermost = is_outermost(problem, text_of(frame, "function"));
  for (size_t i = 0; i < problem->rule_count; i++)
    if (strcmp(problem->rules[i].text, rule.text) == 0) {
      problem->rules[i].outermost |= rule.outermost;
      free(rule.text);
      free(rule.point);
      return (int)i;
    }
  if (problem->rule_count == FIX_MAX_RULES) {
    free(rule.text);
    free(rule.point);
    return -1;
  }
  problem->rules[problem->rule_count] = rule;
  return (int)problem->rule_count++;
}

static void add_choice(struct fix_demand *demand, int rule) {
  if (rule < 0 || demand->count == FIX_MAX_CHOICES)
    return;
  for (size_t i = 0; i < demand->count; i++)
    if (demand->choices[i] == (unsigned)rule)
      return;
  demand->choices[demand->count++] = (unsigned)rule;
}

static bool same_demand(const struct fix_demand *a, const struct fix_demand *b) {
  return a->count == b->count && memcmp(a->choices, b->choices, a->count * sizeof *a->choices) == 0;
}

// True if it is new.
static bool add_demand(struct fix_problem *problem, const struct fix_demand *demand) {
  if (!demand->count)
    return false;
  for (size_t i = 0; i < problem->demand_count; i++)
    if (same_demand(&problem->demands[i], demand))
      return false;
  size_t size = (problem->demand_count + 1) * sizeof *problem->demands;
  problem->demands = need(realloc(problem->demands, size));
  problem->demands[problem->demand_count++] = *demand;
  return true;
}

static bool is_conflict(const cJSON *step) {
  const char *edge = text_of(step, "to_next");
  return strcmp(edge, "program order") != 0 && strcmp(edge, "synchronisation") != 0;
}

static const cJSON *frame_of(const cJSON *object) {
  return cJSON_GetObjectItemCaseSensitive(object, "frame");
}

const cJSON *fix_place_of(const cJSON *object) {
  const cJSON *place = cJSON_GetObjectItemCaseSensitive(object, "place");
  return place ? place : frame_of(object);
}

bool fix_is_in_wrapper(const cJSON *object) {
  const cJSON *place = fix_place_of(object), *frame = frame_of(object);
  return strcmp(text_of(place, "file"), text_of(frame, "file")) != 0 ||
         record_number(place, "line") != record_number(frame, "line");
}

static bool same_place(const cJSON *a, const cJSON *b) {
  return a && b && strcmp(text_of(a, "module"), text_of(b, "module")) == 0 &&
         strcmp(text_of(a, "offset"), text_of(b, "offset")) == 0 &&
         strcmp(text_of(a, "pc"), text_of(b, "pc")) == 0;
}

// Does a fence that the record proposes stand at one of the steps FIRST..END? A stretch without one
// has a fence already.
static bool is_proposed(const cJSON *repairs, const cJSON *steps, int first, int end) {
  const cJSON *repair;
  cJSON_ArrayForEach(repair, repairs) {
    for (int i = first; i <= end; i++)
      if (strcmp(text_of(repair, "kind"), "fence") == 0 &&
          same_place(frame_of(repair), frame_of(cJSON_GetArrayItem(steps, i))))
        return true;
  }
  return false;
}

// The fences that serve the stretch: between each two steps of it in program order.
static bool add_stretch(struct fix_problem *problem, const cJSON *steps, int first, int end) {
  struct fix_demand demand = {0};
  for (int i = first; i < end; i++) {
    const cJSON *step = cJSON_GetArrayItem(steps, i), *next = cJSON_GetArrayItem(steps, i + 1);
    if (strcmp(text_of(step, "to_next"), "program order") != 0)
      continue;
    if (cJSON_GetObjectItemCaseSensitive(step, "access"))
      add_choice(&demand, fix_add_rule(problem, "fence-after", fix_place_of(step)));
    if (cJSON_GetObjectItemCaseSensitive(next, "access"))
      add_choice(&demand, fix_add_rule(problem, "fence-before", fix_place_of(next)));
  }
  return add_demand(problem, &demand);
}

static bool add_cycle(struct fix_problem *problem, const cJSON *steps, const cJSON *repairs) {
  bool added = false;
  int count = cJSON_GetArraySize(steps);
  for (int first = 0, end; first < count; first = end + 1) {
    end = first;
    while (end + 1 < count && !is_conflict(cJSON_GetArrayItem(steps, end)))
      end++;
    if (end > first && is_proposed(repairs, steps, first, end))
      added |= add_stretch(problem, steps, first, end);
  }
  return added;
}

bool fix_demand(struct fix_problem *problem, unsigned rule) {
  struct fix_demand demand = {.choices = {rule}, .count = 1};
  return add_demand(problem, &demand);
}

static bool demand_rule(struct fix_problem *problem, const char *kind, const cJSON *frame) {
  struct fix_demand demand = {0};
  add_choice(&demand, fix_add_rule(problem, kind, frame));
  return add_demand(problem, &demand);
}

static const cJSON *access_of(const cJSON *record, int number) {
  return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(record, "accesses"), number);
}

static const cJSON *access_frame(const cJSON *record, int number) {
  const cJSON *access = access_of(record, number), *frame;
  const cJSON *stack = cJSON_GetObjectItemCaseSensitive(access, "stack");
  bool in_source = false;
  // A member function of std::atomic that was not inlined is no place for a fence.
  cJSON_ArrayForEach(frame, stack) {
    char *point = fix_point(frame, &in_source);
    free(point);
    if (in_source)
      return frame;
  }
  return cJSON_GetArrayItem(stack, 0);
}

static const cJSON *access_place(const cJSON *record, int number) {
  const cJSON *place = cJSON_GetObjectItemCaseSensitive(access_of(record, number), "place");
  return place ? place : access_frame(record, number);
}

// A fence after the missed write and one before the offending access.
static bool add_ends(struct fix_problem *problem, const cJSON *record) {
  bool after = demand_rule(problem, "fence-after", access_place(record, 1));
  return demand_rule(problem, "fence-before", access_place(record, 0)) || after;
}

static bool add_orders(struct fix_problem *problem, const cJSON *repairs) {
  const cJSON *repair;
  bool added = false;
  char kind[64];
  cJSON_ArrayForEach(repair, repairs) {
    snprintf(kind, sizeof kind, "order %s", text_of(repair, "order"));
    if (strcmp(text_of(repair, "kind"), "order") == 0 && !fix_is_in_wrapper(repair))
      added |= demand_rule(problem, kind, frame_of(repair));
  }
  return added;
}

static bool add_all_choices(struct fix_problem *problem, const cJSON *record, const cJSON *steps) {
  bool added = add_ends(problem, record);
  const cJSON *step;
  cJSON_ArrayForEach(step, steps) {
    if (!cJSON_GetObjectItemCaseSensitive(step, "access"))
      continue;
    added |= demand_rule(problem, "fence-after", fix_place_of(step));
    added |= demand_rule(problem, "fence-before", fix_place_of(step));
  }
  return added;
}

static bool add_accesses(struct fix_problem *problem, const cJSON *record, const cJSON *steps) {
  bool added = demand_rule(problem, "order seq_cst", access_frame(record, 0));
  added |= demand_rule(problem, "order seq_cst", access_frame(record, 1));
  const cJSON *step;
  cJSON_ArrayForEach(step, steps) {
    if (cJSON_GetObjectItemCaseSensitive(step, "access"))
      added |= demand_rule(problem, "order seq_cst", frame_of(step));
  }
  return added;
}

static bool add_level(struct fix_problem *problem, const struct fix_violation *violation) {
  cJSON *record = cJSON_Parse(violation->text);
  const cJSON *repairs = cJSON_GetObjectItemCaseSensitive(record, "repairs");
  const cJSON *cycle = cJSON_GetObjectItemCaseSensitive(record, "cycle");
  const cJSON *steps = cJSON_GetObjectItemCaseSensitive(cycle, "steps");
  bool added = false;
  add_outermost(problem, record);
  switch (violation->level) {
  case FIX_DEMANDS:
    added = add_orders(problem, repairs);
    added |= add_cycle(problem, steps, repairs);
    if (!cJSON_GetArraySize(repairs))
      added |= add_ends(problem, record);
    break;
  case FIX_ALL_CHOICES:
    added = add_all_choices(problem, record, steps);
    break;
  case FIX_ACCESSES:
    added = add_accesses(problem, record, steps);
    break;
  case FIX_GIVEN_UP:
    break;
  }
  cJSON_Delete(record);
  return added;
}

static struct fix_violation *find_violation(struct fix_problem *problem,
                                            const struct record *record) {
  for (size_t i = 0; i < problem->violation_count; i++)
    if (strcmp(problem->violations[i].token, record->token) == 0)
      return &problem->violations[i];
  size_t size = (problem->violation_count + 1) * sizeof *problem->violations;
  problem->violations = need(realloc(problem->violations, size));
  struct fix_violation *violation = &problem->violations[problem->violation_count++];
  *violation = (struct fix_violation){.token = need(strdup(record->token)),
                                      .place = need(strdup(record->place)),
                                      .text = need(strdup(record->text))};
  return violation;
}

static bool is_met(const struct fix_demand *demand, const bool *chosen) {
  for (size_t i = 0; i < demand->count; i++)
    if (chosen[demand->choices[i]])
      return true;
  return false;
}

bool fix_is_possible(const struct fix_problem *problem, const struct fix_demand *demand) {
  for (size_t i = 0; i < demand->count; i++)
    if (!problem->rules[demand->choices[i]].illegal)
      return true;
  return false;
}

static bool is_anything_unmet(const struct fix_problem *problem, const bool *chosen) {
  for (size_t i = 0; i < problem->demand_count; i++)
    if (!is_met(&problem->demands[i], chosen) && fix_is_possible(problem, &problem->demands[i]))
      return true;
  return false;
}

bool fix_add_records(struct fix_problem *problem, const struct records *records,
                     const bool *chosen) {
  bool news = false;
  for (size_t i = 0; i < records->count; i++) {
    const struct record *record = &records->at[i];
    if (!record->json || record->known || strcmp(record->type, "robustness violation") != 0)
      continue;
    struct fix_violation *violation = find_violation(problem, record);
    // The same pair of sites may be on another cycle this time.
    free(violation->text);
    violation->text = need(strdup(record->text));
    for (;;) {
      add_level(problem, violation);
      if (is_anything_unmet(problem, chosen) || violation->level == FIX_GIVEN_UP)
        break;
      violation->level++;
    }
    news |= is_anything_unmet(problem, chosen);
  }
  return news;
}

void fix_free(struct fix_problem *problem) {
  for (size_t i = 0; i < problem->rule_count; i++) {
    free(problem->rules[i].text);
    free(problem->rules[i].point);
    free(problem->rules[i].refused);
    free(problem->rules[i].illegal);
  }
  for (size_t i = 0; i < problem->violation_count; i++) {
    free(problem->violations[i].token);
    free(problem->violations[i].place);
    free(problem->violations[i].text);
  }
  for (size_t i = 0; i < problem->module_count; i++)
    free(problem->modules[i]);
  for (size_t i = 0; i < problem->outermost_count; i++)
    free(problem->outermost[i]);
  free(problem->outermost);
  free(problem->demands);
  free(problem->violations);
  free(problem->modules);
}
