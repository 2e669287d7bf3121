// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The violations to repair, as a covering problem: a repair is a set of rules; each violation asks
// for one rule out of each of its demands. A demand is a stretch of the violation's cycle without a
// conflict in it: one fence anywhere in there serves. So a repair that leaves a demand unmet leaves
// the violation, and a set of rules that meets all demands known so far is a candidate.

#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "run/records.h"

enum { FIX_MAX_RULES = 512, FIX_MAX_CHOICES = 64 };

// A rule of simulate=FILE.
struct fix_rule {
  char *text;       // "fence-after /p/f.c:3:9"
  char *point;      // "/p/f.c:3:9" or "/p/program+0x123"
  char *refused;    // why the source cannot be edited so, NULL if it can
  bool fence;       // else an order
  bool in_source;   // the point is one of a source
  bool judged;      // REFUSED is known
  bool outermost;   // in the function that a thread was started with, so others do not pass it
  unsigned changes; // how much of the source it changes

  bool measured;          // the three that follow are known
  double executions;      // of its place, in a run
  unsigned long callers;  // of the function that its place is in; at least 1 if it was executed
  char *illegal;          // why the accesses there cannot have the order, NULL: they can
  bool kept;              // is not taken out of a repair: the runs could do without it, others not
  const char *sibling_of; // text of the rule whose access it is a sibling of (sibling.c), else NULL
};

struct fix_demand {
  unsigned choices[FIX_MAX_CHOICES]; // of rules
  size_t count;
};

// How hard a violation is tried: its demands, all of their choices, seq_cst accesses.
enum fix_level { FIX_DEMANDS, FIX_ALL_CHOICES, FIX_ACCESSES, FIX_GIVEN_UP };

struct fix_violation {
  char *token, *place, *text; // the record
  enum fix_level level;
};

struct fix_problem {
  struct fix_rule rules[FIX_MAX_RULES];
  size_t rule_count;
  struct fix_demand *demands;
  size_t demand_count;
  struct fix_violation *violations;
  size_t violation_count;
  char **modules; // that violations are in
  size_t module_count;
  char **outermost; // functions that threads were started with
  size_t outermost_count;
};

// Adds the violations among the records. A violation that is known already shows that the chosen
// rules (CHOSEN: a flag for each rule) were not enough; for it this adds what to try next. True if
// there is something new to try.
bool fix_add_records(struct fix_problem *problem, const struct records *records,
                     const bool *chosen);

// The number of the rule KIND ("fence-after", "order seq_cst") at the frame of a record, -1 if it
// has no place.
struct cJSON;
int fix_add_rule(struct fix_problem *problem, const char *kind, const struct cJSON *frame);

// Notes that it is one of the problem's modules; gives the text that stays.
const char *fix_add_module(struct fix_problem *problem, const char *module);

// Demands the rule itself. False if that is demanded already.
bool fix_demand(struct fix_problem *problem, unsigned rule);

// Can the demand be met at all? Not if its accesses cannot have any of the orders.
bool fix_is_possible(const struct fix_problem *problem, const struct fix_demand *demand);

// The frame that a reader of the report can change: the innermost one that is no wrapper
// (docs/guide/FORMATS.md). Is the access in a wrapper? Its order is that of all callers.
const struct cJSON *fix_place_of(const struct cJSON *object);
bool fix_is_in_wrapper(const struct cJSON *object);

// The cheapest set of rules that meets all demands (exact unless it takes too long): flags.
void fix_cover(const struct fix_problem *problem, bool *chosen);

// Returns the cost of a set of rules, as fix_cover counts it.
unsigned long fix_cost(const struct fix_problem *problem, const bool *chosen);

void fix_free(struct fix_problem *problem);

// -- point.c --

// The rule point of a frame of a record: the source place of its innermost frame that is not in a
// system header, else its place in the module. NULL if it has neither. To be freed.
char *fix_point(const struct cJSON *frame, bool *in_source);

// Is the frame in a source of one's own?
bool fix_is_own_frame(const struct cJSON *frame);

// The caller asks for many points between the two calls, and runs no command there.
void fix_ask_points(bool begin);

#endif
