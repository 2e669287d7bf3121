// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a violation is, as program points: its access, the caller of the function that makes the
// access, and the missed write. A violation is one pair of places in the source. The compiled
// program may have several such triples of program points for it: one for each inlined copy, each
// instance of a template, each caller of a wrapper.

#ifndef CONFIRM_PLACES_H
#define CONFIRM_PLACES_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "recipe.h"

enum { MAX_PLACES = 32 }; // of a violation; how many more there are is counted

struct place_of_access {
  char *at, *from, *missing; // "/p/program+0x123"; from, missing: NULL if not known
};

struct places {
  struct place_of_access at[MAX_PLACES];
  size_t count;
  unsigned dropped;
};

// Adds those of a record of the violation, if they are new.
void places_add(struct places *places, const cJSON *record);

// Is an access with that stack at one of them?
bool places_have(const struct places *places, const cJSON *stack);

// How many of the departures in the list, before that one, were at the same place in its process:
// what `skip' of weak_file= leaves out to come to it.
unsigned places_before(const cJSON *departures, unsigned number);

// Writes the file of weak_file= for the recipe. ONLY: the stack of the one access that departs,
// NULL: none is chosen.
void places_write(const struct places *places, const struct recipe *recipe, const cJSON *only,
                  FILE *out);

// Writes such a file for accesses that have departed, each once: those in the list.
void places_write_departures(const cJSON *departures, FILE *out);

// Writes such a file anew, without the folders of these modules, which are elsewhere on another
// machine; COUNT of them.
void places_write_moved(const char *text, char *const *modules, size_t count, FILE *out);

void places_free(struct places *places);

#endif
