// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of SARIF that records become.

#ifndef SARIF_H
#define SARIF_H

#include <cjson/cJSON.h>
#include <limits.h>

// Files below the root (the current folder) are named relative to it, as code scanning wants.
struct sarif_paths {
  char root[PATH_MAX]; // ends in a slash; "": not known
};

void sarif_paths_begin(struct sarif_paths *paths);
void sarif_add_root(cJSON *run, const struct sarif_paths *paths);

// The location of a frame, with a message if that is not NULL.
cJSON *sarif_location(const cJSON *frame, const char *message, const struct sarif_paths *paths);

// A code flow with a thread flow for each thread: the steps of the cycle, else each access with
// the calls that led there.
void sarif_add_flows(cJSON *result, const cJSON *record, const struct sarif_paths *paths);

void sarif_fingerprint(const cJSON *record, const struct sarif_paths *paths, char print[17]);

#endif
