// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run of `rsan confirm` does: who runs when, and which stale values are given. Pure.

#ifndef CONFIRM_RECIPE_H
#define CONFIRM_RECIPE_H

#include <stdbool.h>
#include <stdio.h>

// Which of the older values an access is given.
enum candidate {
  CANDIDATE_REPORTED, // the newest that misses the write of the report
  CANDIDATE_NEWEST,
  CANDIDATE_RANDOM,
  CANDIDATES
};

struct recipe {
  unsigned seed;
  enum candidate candidate;
  unsigned departures; // at most so many in a process; 0: the run makes none
  unsigned skip;       // occasions that are left out first
  bool pause;          // after a departure others go on for a while
  unsigned follow;     // accesses of the same object that get the same version after a departure
};

// The policy of schedule= of all runs with that seed: "off", "mix" or "delay".
const char *recipe_schedule(unsigned seed);

// Can a run with that seed be repeated by its schedule?
bool recipe_is_repeatable(unsigned seed);

// What try NUMBER (from 0) of a violation does. The first 90 are all different.
struct recipe recipe_of(unsigned number, unsigned seed);

// RSAN_OPTIONS of a run with departures (of none if it makes none), at the places of the file.
void recipe_write(const struct recipe *recipe, const char *places, FILE *out);

const char *candidate_name(enum candidate candidate);
bool candidate_find(const char *name, enum candidate *candidate);

#endif
