// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stale values did to the program: the member "confirmed" of a violation's record, which `rsan
// confirm' writes (docs/guide/FORMATS.md).

#ifndef CONFIRMED_H
#define CONFIRMED_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

// Has the program failed in a way in which it does not fail else?
bool record_is_confirmed(const cJSON *record);

// How strong that is: 0 for use after free, then more; of what has not failed the most.
int confirmed_rank(const cJSON *record);

// `fails: assertion "x" (3 of 17 runs with a departure, 0 of 60 without)`, or that no failure was
// seen; nothing if nothing was tried.
void write_confirmed(const cJSON *record, FILE *out);

// `thread T2 read 0 in place of 1 at pop q.c:26:3 (version 3 of 5)`, as the runtime says it.
void write_departure(const cJSON *record, const cJSON *departure, FILE *out);

// `  After 2 departures from sequential consistency:` and a line for each, of a report that came
// after some, and an empty line.
void write_departures(const cJSON *record, FILE *out);

// All of it, a line each: the above, the departures of one run, and how to repeat that.
void write_confirmed_lines(const cJSON *record, const char *indent, FILE *out);

// Into the record of a report, what another one of the same violation says: the stronger answer.
void confirmed_merge(cJSON *record, const cJSON *other);

#endif
