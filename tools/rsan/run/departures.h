// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the processes of a run say of their departures (weak_log=): a line of JSON each.

#ifndef RUN_DEPARTURES_H
#define RUN_DEPARTURES_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "runs.h"

enum { MAX_DEPARTURES = 128 }; // of a run that are kept

struct departures {
  cJSON *list; // array of the first ones, by process; owned
  unsigned long count;
  unsigned long most; // that one process made
  double last;        // when the last one was made, in seconds of CLOCK_REALTIME; 0: there was none
};

void departures_read(struct departures *departures, const struct run_plan *plan, unsigned run);
// Adds the departures of one such file, which need not exist.
void departures_read_file(struct departures *departures, const char *path);

// Was the last departure made in the first half of the run, which took SECONDS and has just ended?
bool departures_ceased(const struct departures *departures, double seconds);

void departures_free(struct departures *departures);

#endif
