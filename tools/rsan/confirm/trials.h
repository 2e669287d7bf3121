// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which run is made next, and what the runs made so far say. There are these kinds of runs:
//
//   control   without departures; the first ones give the violations, others are made because a
//             run with the same seed has failed
//   try       with departures at a violation's places
//   again     a run that failed, once more
//   repeat    of a try that failed, with one of its departures alone
//
// A failure counts if two runs with departures have it, no run without a departure has one like it,
// and one with the same seed was made; three of them if the seed alone does not decide who runs. A
// hang counts if the run was not allowed any further departure, or made none in the second half of
// its time: else the thread may only have been given stale values for ever, which no machine does.

#ifndef CONFIRM_TRIALS_H
#define CONFIRM_TRIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "outcome.h"
#include "places.h"
#include "recipe.h"

enum { TRIALS_MOST = 1000000 }; // most controls, and most tries of one violation

enum trial_kind { TRIAL_CONTROL, TRIAL_TRY, TRIAL_AGAIN, TRIAL_REPEAT };

// A planned run.
struct trial {
  enum trial_kind kind;
  size_t violation; // of all but controls
  struct recipe recipe;
  unsigned of;     // of a repeat, or again: the run
  unsigned number; // of a repeat: which of its departures is made, from 0 in the run's list
};

// A run that was made. What it has come to is owned.
struct made {
  struct trial trial;
  unsigned run;
  unsigned long departures, most; // of all its processes, of the one with the most
  double seconds;
  bool ceased;                    // in the second half of its time there was no departure
  struct outcome outcome, before; // before: what was reported before the first departure
  unsigned repeats, again;        // how often it was repeated with one departure, made again
};

struct violation {
  char *token, *place; // owned
  struct places places;
  unsigned *seen; // seeds of control runs that reported it; owned
  size_t seen_count;
  unsigned started, tries, injected; // tries begun, ended, and ended with a departure
  unsigned long departures;          // in all its runs
  unsigned long occasions;           // as many of them there were in a process
  struct made *failed;               // runs with departures that failed somehow; owned
  size_t failed_count;
  unsigned runs; // all that had a departure
  // Set by aim.h, 0 before: the group and the violation's place in it, how likely a defect it is
  // (the least first), and whether it is tried at all.
  size_t group, order;
  unsigned rank;
  bool excluded;
  bool spared; // it is harmless by a rule: it is tried when all others have had their tries
  char *cause; // of the group; owned; NULL: none is known, and the group is its own
  int said;    // the kind of failure that has been told already, plus 1; 0: none
};

struct trials {
  unsigned first_seed, controls, runs; // asked for: of control runs, of runs with departures
  bool controls_only;                  // nothing else is made yet
  // Runs without a departure, whatever they were to be: how many, also of each seed from the first
  // one on, and with a failure of a kind; all their failures, and what others have reported before
  // their first departure.
  unsigned control_count;
  unsigned *by_seed;
  size_t seed_count; // room of by_seed
  unsigned failed_without[FAILURE_KINDS];
  struct outcome without;
  struct violation *violation;
  size_t violation_count;
  struct trial *running;
  size_t running_count;
};

// The violation of that token, which is added if need be.
struct violation *trials_violation(struct trials *trials, const char *token, const char *place);

// What to make now; false: nothing, though running runs may ask for more when they have ended.
bool trials_next(const struct trials *trials, struct trial *next);

void trials_begin(struct trials *trials, const struct trial *trial);

// It was not made to its end.
void trials_drop(struct trials *trials, const struct trial *trial);

// Takes the run in, with what it owns. A run that was begun before is begun no more.
void trials_add(struct trials *trials, struct made *made);

// Does something in the run, with departures, call for a closer look?
bool trials_is_suspect(const struct trials *trials, const struct made *made);

// The strongest failure of a run with departures that no run without one has; NULL: there is none.
const struct failure *trials_failure(const struct trials *trials, const struct made *made);

// The run that shows best what the violation does; NULL: no failure of it counts.
const struct made *trials_best(const struct trials *trials, const struct violation *violation);

// How many runs with departures, of those made for the violation, have failed in the same way.
unsigned trials_failed(const struct trials *trials, const struct violation *violation,
                       const struct failure *failure);

// Tries that hung while they were given stale values, of which no repeat hangs.
unsigned trials_unfair(const struct trials *trials, const struct violation *violation);

void trials_free(struct trials *trials);

#endif
